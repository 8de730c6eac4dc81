/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of containers, writing; see container_write.h. */
#include "l3/container/container_write.h"

static const struct lod_l3_container_write *const containers[] = {
    &lod_l3_container_png_write,
    &lod_l3_container_pnm_write,
    &lod_l3_container_bmp_write,
};

const struct lod_l3_container_write *lod_l3_container_probe(struct lod_span head)
{
    for (unsigned i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        if (containers[i]->probe(head)) {
            return containers[i];
        }
    }
    return NULL;
}
