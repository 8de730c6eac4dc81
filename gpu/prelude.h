/* SPDX-License-Identifier: Apache-2.0 */
/* The text of prelude.cl, made into a constant by embed.py when it is built. */
#ifndef LOD_PRELUDE_H
#define LOD_PRELUDE_H

extern const char lod_gpu_prelude[];

#endif
