/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler attributes that the whole tree uses. Nothing else belongs here. */
#ifndef LOD_COMPILER_H
#define LOD_COMPILER_H

/* For functions that return 0 or a negative errno: the caller must use the result. */
#define LOD_MUST_CHECK __attribute__((warn_unused_result))

/* For printf-like functions: `text` and `first` are parameter numbers, counted from 1. */
#define LOD_PRINTF(text, first) __attribute__((format(printf, text, first)))

#endif
