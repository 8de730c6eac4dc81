/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What brings the source's own bytes back: rebuild data, proven here by rebuilding, or the source
 * file beside its groups. FORMAT.md, Rebuild data; pcr_original.c reads it.
 */
#include <errno.h>

#include "pcr/exact_write.h"
#include "pcr/pcr_write.h"
#include "pcr/pcr_original.h"
#include "pcr/pcr_row.h"

static void set_group_bytes(struct lod_encoded *item)
{
    lod_put_le32(item->row + LOD_PCR_GROUPS + 4 * (LOD_PCR_GROUP_FILE - 1),
                 (uint32_t)item->group[LOD_PCR_GROUP_FILE - 1].bytes);
}

/* The file at fidelity full, put together as a mount would. */
static int make_full(const struct lod_encoded *item, struct lod_buf *full)
{
    struct lod_plan plan;
    int error = lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE, LOD_FULL, &plan);

    for (unsigned i = 0; i < plan.count && !error; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        const uint8_t *at = piece->kind == LOD_PIECE_MEM
                                ? piece->mem
                                : item->group[piece->group - 1].data + piece->offset;
        error = lod_buf_append(full, at, piece->bytes);
    }
    return error;
}

static int keep(const struct lod_pcr_job *job, struct lod_encoded *item)
{
    item->row[0] |= LOD_ITEM_KEPT;
    int error =
        lod_buf_append(&item->group[LOD_PCR_GROUP_FILE - 1], job->source.at, job->source.bytes);
    set_group_bytes(item);
    return error;
}

int lod_pcr_original_write(struct lod_pcr_job *job, struct lod_encoded *item)
{
    struct lod_exact_made made = {0};
    struct lod_buf full = {0};
    const char *why;

    int error = make_full(item, &full);
    if (!error) {
        error = lod_pcr_original_cost(item->row) > LOD_PCR_ORIGINAL_COST_MAX
                    ? -ENOTSUP
                    : lod_exact_make(job->source, job->jpeg, lod_buf_span(&full), job->again, &made,
                                     &why);
    }
    lod_buf_finish(&full);
    if (error && error != -ENOTSUP) {
        return error;
    }
    item->row[0] &= (uint8_t)~LOD_ITEM_NO_ORIGINAL;
    if (error) {
        return keep(job, item);
    }
    item->header = made.header;
    item->group[LOD_PCR_GROUP_FILE - 1] = made.tail;
    return 0;
}

int lod_pcr_original_join(struct lod_encoded *item, uint32_t slot)
{
    struct lod_buf *tail = &item->group[LOD_PCR_GROUP_FILE - 1], joined = {0};
    const struct lod_exact_made made = {.header = item->header, .tail = *tail};

    int error = slot == LOD_SLOT_OWN
                    ? lod_exact_join(&made, &joined)
                    : lod_exact_join_shared((uint16_t)slot, lod_buf_span(tail), &joined);
    if (error) {
        lod_buf_finish(&joined);
        return error;
    }
    lod_buf_finish(tail);
    *tail = joined;
    set_group_bytes(item);
    return 0;
}
