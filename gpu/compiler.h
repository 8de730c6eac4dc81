/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler is asked to check for us. Nothing else belongs here. */
#ifndef LOD_COMPILER_H
#define LOD_COMPILER_H

/* The int result is 0 or a negative errno and may not be dropped. */
#define LOD_MUST_CHECK __attribute__((warn_unused_result))

/* A printf-like function: `text` and `first` are parameter numbers, from 1. */
#define LOD_PRINTF(text, first) __attribute__((format(printf, text, first)))

#endif
