/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the data that restores the source's bytes: rebuild data, checked here by rebuilding, or
 * the source file beside its groups. FORMAT.md, Rebuild data; pcr_original.c reads it.
 */
#include <errno.h>

#include "pcr/exact/rebuild_write.h"
#include "pcr/pcr_write.h"
#include "pcr/pcr_original.h"
#include "pcr/pcr_row.h"

#define EOI_BYTES 2

/* Number of groups beside a file that cannot be rebuilt: those that training uses. */
#define KEPT_TOP 5

int lod_pcr_set_lengths(struct lod_encoded *item)
{
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        if (item->group[i].bytes > UINT32_MAX) {
            return -ENOTSUP;
        }
        lod_put_le32(item->row + LOD_PCR_GROUPS + 4 * i, (uint32_t)item->group[i].bytes);
    }
    return 0;
}

/* Makes the file at fidelity full as a mount does. */
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

/* Returns whether the file at q_k is as large as the source, and so useless beside it. */
static bool is_vain(const struct lod_pcr_job *job, const struct lod_encoded *item, unsigned k)
{
    uint64_t bytes = EOI_BYTES;

    for (unsigned group = 1; group <= k; group++) {
        bytes += item->group[group - 1].bytes;
    }
    return bytes >= job->source.bytes;
}

int lod_pcr_keep(const struct lod_pcr_job *job, unsigned top, struct lod_encoded *item)
{
    struct lod_buf *file = &item->group[LOD_PCR_GROUP_FILE - 1];

    for (; top > LOD_Q1 && is_vain(job, item, top); top--) {
    }
    for (unsigned group = top + 1; group < LOD_PCR_GROUP_FILE; group++) {
        lod_buf_finish(&item->group[group - 1]);
    }
    item->row[0] |= LOD_ITEM_KEPT;
    item->row[0] &= (uint8_t)~LOD_ITEM_NO_ORIGINAL;
    item->row[LOD_PCR_SHAPE] = (uint8_t)(lod_pcr_components(item->row) | top << 4);
    int error = lod_buf_append(file, job->source.at, job->source.bytes);
    return error ? error : lod_pcr_set_lengths(item);
}

int lod_pcr_original_write(struct lod_pcr_job *job, struct lod_encoded *item)
{
    struct lod_rebuild_made made = {0};
    struct lod_buf full = {0};
    const char *why;

    int error = make_full(item, &full);
    if (!error) {
        error = lod_pcr_original_cost(item->row) > LOD_PCR_ORIGINAL_COST_MAX
                    ? -ENOTSUP
                    : lod_rebuild_make(job->source, job->jpeg, lod_buf_span(&full), &made, &why);
    }
    lod_buf_finish(&full);
    if (error && error != -ENOTSUP) {
        return error;
    }
    if (error) {
        return lod_pcr_keep(job, KEPT_TOP, item);
    }
    item->row[0] &= (uint8_t)~LOD_ITEM_NO_ORIGINAL;
    item->header = made.header;
    item->group[LOD_PCR_GROUP_FILE - 1] = made.tail;
    return 0;
}

int lod_pcr_original_join(struct lod_encoded *item, uint32_t slot)
{
    struct lod_buf *tail = &item->group[LOD_PCR_GROUP_FILE - 1], joined = {0};
    const struct lod_rebuild_made made = {.header = item->header, .tail = *tail};

    int error = slot == LOD_SLOT_OWN
                    ? lod_rebuild_join(&made, &joined)
                    : lod_rebuild_join_shared((uint16_t)slot, lod_buf_span(tail), &joined);
    if (error) {
        lod_buf_finish(&joined);
        return error;
    }
    lod_buf_finish(tail);
    *tail = joined;
    return lod_pcr_set_lengths(item);
}
