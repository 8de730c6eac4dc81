/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of containers, reading; see container.h. */
#include "l3/container/container.h"

static const struct lod_l3_container *const containers[LOD_L3_CONTAINERS] = {
    [LOD_L3_CONTAINER_PNG] = &lod_l3_container_png,
    [LOD_L3_CONTAINER_PNM] = &lod_l3_container_pnm,
    [LOD_L3_CONTAINER_BMP] = &lod_l3_container_bmp,
};

const struct lod_l3_container *lod_l3_container_find(unsigned id)
{
    return id < LOD_L3_CONTAINERS ? containers[id] : NULL;
}
