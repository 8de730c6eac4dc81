/* SPDX-License-Identifier: Apache-2.0 */
/* The maker of l3 items: decodes bands of patches and converts them to bytes of files. */
#ifndef LOD_L3_MAKE_H
#define LOD_L3_MAKE_H

#include "codec.h"

extern const struct lod_maker lod_l3_maker;

#endif
