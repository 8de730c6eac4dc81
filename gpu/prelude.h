/* SPDX-License-Identifier: Apache-2.0 */
/* The text of prelude.cl as a constant, which embed.py makes at build time. */
#ifndef LOD_PRELUDE_H
#define LOD_PRELUDE_H

extern const char lod_gpu_prelude[];

#endif
