/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a codec's maker asks for, read from the records themselves: no cache, no log lines, one
 * thread. A mount gathers the same in making.h.
 */
#ifndef LOD_CHECK_INPUTS_H
#define LOD_CHECK_INPUTS_H

#include "store/record.h"
#include "verify/check.h"

struct lod_check_inputs {
    struct lod_verify *verify;
    struct lod_record *record; /* of the item that is made; borrowed */
    const struct lod_codec *codec;
    bool in_index; /* `record` is one of the index: what lies ahead may be in another */

    /* The record and the segment that were asked for ahead last: units ask for them many times. */
    struct lod_record *other;
    struct lod_input kept;
    uint32_t kept_item;
};

/*
 * All inputs of a unit of `slot`; good or not, the caller drops what there is. -EILSEQ: what it
 * asks for is malformed, or there is no such item; -EBADMSG: bytes of it cannot be read, which has
 * findings of its own; -ENOMEM.
 */
LOD_MUST_CHECK int lod_check_gather(struct lod_check_inputs *from, uint32_t slot, unsigned form,
                                    uint64_t unit, struct lod_inputs *inputs);
/* One segment of `slot` whole, for free(). */
LOD_MUST_CHECK int lod_check_read_segment(struct lod_check_inputs *from, uint32_t slot,
                                          unsigned group, struct lod_span *ret_bytes);
void lod_check_drop(const struct lod_check_inputs *from, struct lod_inputs *inputs);
void lod_check_inputs_finish(struct lod_check_inputs *from);

#endif
