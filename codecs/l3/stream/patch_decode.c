/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the kind of a patch by its first byte and calls its decoder. */
#include "l3/stream/patch_decode.h"

#include <errno.h>

#include "l3/patch/paper.h"

int lod_l3_patch_decode(const struct lod_l3_patch_dispatch *kernels,
                        const struct lod_l3_patch *patch, struct lod_span bytes,
                        const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                        struct lod_small_rows *rows)
{
    unsigned kind = bytes.bytes ? bytes.at[0] : 0;

    kernels = lod_l3_patch_dispatch_of(kernels, patch->bits);

    if (bytes.bytes == 0 || kind & ~(LOD_L3_KIND_MODE | LOD_L3_KIND_GREEN) ||
        (kind & LOD_L3_KIND_GREEN &&
         (patch->samples < 3 || (kind & LOD_L3_KIND_MODE) > LOD_L3_KIND_PACKED))) {
        return -EILSEQ;
    }
    switch (kind & LOD_L3_KIND_MODE) {
    case LOD_L3_KIND_PACKED:
        return kernels->packed(patch, bytes, target, &rows->samples);
    case LOD_L3_KIND_PAPER:
        return lod_paper_decode(patch, bytes, target, &rows->samples);
    case LOD_L3_KIND_SMALL:
        return tables ? kernels->small(patch, bytes, tables, target, rows) : -EILSEQ;
    default:
        return lod_l3_flat_decode(patch, bytes, target);
    }
}
