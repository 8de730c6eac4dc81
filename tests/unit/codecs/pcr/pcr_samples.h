/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes with the pcr encoder and reassembles its items; every size is checked. */
#ifndef LOD_PCR_SAMPLES_H
#define LOD_PCR_SAMPLES_H

#include "encoder.h"
#include "jpeg_samples.h"
#include "pcr/jpeg/script.h"
#include "pcr/pcr_row.h"

static inline struct lod_scan_choice choose(const struct lod_script *const *scripts, unsigned count)
{
    struct lod_scan_choice choice;
    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        choice.classes[c].count = count;
        memcpy(choice.classes[c].scripts, scripts, count * sizeof(scripts[0]));
    }
    return choice;
}

/* `top`: see encoder.h. */
static inline struct lod_encoded encode_top(struct lod_span source,
                                            const struct lod_script *const *scripts, unsigned count,
                                            unsigned top)
{
    struct lod_scan_choice choice = choose(scripts, count);
    struct lod_encode_options options = {.scans = &choice, .top = (uint8_t)top};
    struct lod_encoded item;
    uint64_t bytes[LOD_GROUPS_MAX];

    cr_assert_eq(lod_encoder_pcr.encode(source, &options, &item), 0);
    cr_assert_eq(lod_codec_segments(&lod_codec_pcr, item.row, bytes), 0);
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        cr_assert_eq(bytes[i], item.group[i].bytes, "group %u: row and bytes differ", i + 1);
    }
    cr_assert_eq(lod_codec_pcr.source_bytes(item.row), source.bytes);
    cr_assert_eq(item.whole != NULL, (lod_row_flags(item.row) & LOD_ITEM_WHOLE) != 0);
    return item;
}

static inline struct lod_encoded
encode_with(struct lod_span source, const struct lod_script *const *scripts, unsigned count)
{
    return encode_top(source, scripts, count, 0);
}

/* Returns the virtual file at a fidelity. */
static inline struct lod_buf file_at(const struct lod_encoded *item, enum lod_fidelity fidelity)
{
    struct lod_plan plan;
    struct lod_buf file = {0};

    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE, fidelity, &plan), 0);
    for (unsigned i = 0; i < plan.count; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        const uint8_t *at = piece->mem;
        if (piece->kind == LOD_PIECE_STORED) {
            const struct lod_buf *group = &item->group[piece->group - 1];
            cr_assert_leq(piece->offset + piece->bytes, group->bytes, "a piece past its group");
            at = group->data + piece->offset;
        }
        cr_assert_eq(lod_buf_append(&file, at, piece->bytes), 0);
    }
    cr_assert_eq(file.bytes, plan.bytes);
    return file;
}

/* q1 without its closing scans. */
static inline struct lod_buf open_q1(const struct lod_encoded *item)
{
    struct lod_buf file = file_at(item, LOD_Q1);

    file.bytes -= item->row[LOD_PCR_CLOSING] + 2u;
    cr_assert_eq(lod_buf_append(&file, "\xff\xd9", 2), 0);
    return file;
}

static inline bool same_bytes(struct lod_span a, struct lod_span b)
{
    return a.bytes == b.bytes && (!a.bytes || memcmp(a.at, b.at, a.bytes) == 0);
}

/* Checks that `full` has the source's coefficients and pixels. */
static inline void expect_full(struct lod_span source, const struct lod_encoded *item)
{
    struct lod_buf full = file_at(item, LOD_FULL);
    struct lod_buf a = sample_coefficients(source), b = sample_coefficients(lod_buf_span(&full));

    cr_assert(same_bytes(lod_buf_span(&a), lod_buf_span(&b)), "other coefficients");
    cr_assert(sample_same_pixels(source, lod_buf_span(&full)), "other pixels");
    lod_buf_finish(&full);
    lod_buf_finish(&a);
    lod_buf_finish(&b);
}

static inline bool contains(struct lod_span file, const void *part, size_t bytes)
{
    return memmem(file.at, file.bytes, part, bytes) != NULL;
}

#endif
