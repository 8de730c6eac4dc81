/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the inputs of a codec's maker from the records: without a cache or log lines, in one
 * thread. A mount uses unit_inputs.h for this.
 */
#ifndef LOD_CHECK_INPUTS_H
#define LOD_CHECK_INPUTS_H

#include "record/record.h"
#include "verify/check.h"

struct lod_check_inputs {
    struct lod_verify *verify;
    struct lod_record *record; /* of the item to be made; borrowed */
    const struct lod_codec *codec;
    bool in_index; /* `record` is in the index, so later items can be in another record */

    /* The record and the segment of the last AHEAD input, since many units need the same. */
    struct lod_record *other;
    struct lod_input kept;
    uint32_t kept_item;
};

/*
 * Reads all inputs of a unit of `slot`. The caller calls lod_check_drop, also after an error.
 * Returns -EILSEQ if an input is malformed or does not exist, -EBADMSG if bytes cannot be read
 * (another step reports that), -ENOMEM.
 */
LOD_MUST_CHECK int lod_check_gather(struct lod_check_inputs *from, uint32_t slot, unsigned form,
                                    uint64_t unit, struct lod_inputs *inputs);
/* Reads one whole segment of `slot`, for free(). */
LOD_MUST_CHECK int lod_check_read_segment(struct lod_check_inputs *from, uint32_t slot,
                                          unsigned group, struct lod_span *ret_bytes);
void lod_check_drop(const struct lod_check_inputs *from, struct lod_inputs *inputs);
void lod_check_inputs_finish(struct lod_check_inputs *from);

#endif
