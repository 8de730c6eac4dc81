/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One photograph of a store at some fidelities, as the pictures of the page: at the size of
 * training, and a part of that to be enlarged.
 */
#ifndef LOD_PICTURE_H
#define LOD_PICTURE_H

#include "buf.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "read/reader.h"

#define LOD_PICTURE_LEVELS_MAX 8u
#define LOD_PICTURE_SIDE_MAX   240u /* shorter side of a picture that is shown */
#define LOD_PICTURE_PART       112u /* side of the part, less in a smaller picture */

struct lod_picture {
    uint32_t width, height;
    struct lod_buf file; /* a JPEG */
};

struct lod_picture_pair {
    struct lod_picture whole, part;
};

struct lod_picture_set {
    uint32_t source_width, source_height;
    struct lod_picture_pair pairs[LOD_PICTURE_LEVELS_MAX];
};

/*
 * Makes a pair for each of `count` fidelities, full among them, from images whose shorter side is
 * `size`. The part has contrast at full and is near the middle. Returns -ENOTSUP if
 * the item's pixels are neither gray nor RGB, -ENOMEM, or an error of reading. The caller finishes
 * the set in any case.
 */
LOD_MUST_CHECK int lod_picture_set_make(struct lod_reader *reader, const struct lod_item *item,
                                        uint32_t size, const enum lod_fidelity *fidelities,
                                        unsigned count, struct lod_picture_set *set);
void lod_picture_set_finish(struct lod_picture_set *set);

/* Returns the bytes of all its files. */
size_t lod_picture_set_bytes(const struct lod_picture_set *set);

#endif
