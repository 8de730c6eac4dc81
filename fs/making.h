/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit that is to be made: which, of what item, and the bytes its codec asks for. What is shared
 * by made.c, which makes one, and made_batch.c, which makes many on a device.
 */
#ifndef LOD_MAKING_H
#define LOD_MAKING_H

#include "codec.h"
#include "compiler.h"
#include "dataset.h"
#include "frames.h"
#include "spare.h"

struct lod_making {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    const struct lod_item *item;
    unsigned form;
    uint64_t unit, bytes;    /* of this unit */
    struct lod_spare *spare; /* memory of inputs; NULL: fresh */
};

/* Unit `unit` of a form that has `made_bytes` bytes in all. */
struct lod_making lod_making_of(struct lod_dataset *dataset, struct lod_frames *frames,
                                const struct lod_item *item, unsigned form, uint64_t unit,
                                uint64_t made_bytes);

/* What the unit is called in the cache of made bytes. */
struct lod_key lod_making_key(const struct lod_making *making);

/*
 * Gets all that the codec asks for. Good or not, the caller drops what there is. -EILSEQ, -EIO
 * (already logged), -ENOMEM, -EINTR.
 */
LOD_MUST_CHECK int lod_making_gather(const struct lod_making *making, struct lod_inputs *inputs);
void lod_making_drop(const struct lod_making *making, struct lod_inputs *inputs);

#endif
