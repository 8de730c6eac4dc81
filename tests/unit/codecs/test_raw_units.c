/* SPDX-License-Identifier: Apache-2.0 */
/* Files in compressed units: made again unit by unit, and forged frames, tables and rows. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "encoder.h"
#include "raw_row.h"
#include "raw_units_write.h"

#define UNIT ((size_t)LOD_RAW_UNIT_BYTES)

/* A file, and the item that it became. */
struct file {
    uint8_t *data;
    size_t bytes;
    struct lod_buf stored;
    uint8_t row[LOD_ROW_BYTES];
    bool pays;
};

static void encode(struct file *f, size_t step)
{
    struct lod_raw_units units;

    cr_assert_eq(lod_raw_units_begin(&units, f->bytes, &f->stored), 0);
    for (size_t at = 0; units.pays && at < f->bytes; at += step) {
        const size_t left = f->bytes - at;
        const struct lod_span next = {.at = f->data + at, .bytes = left < step ? left : step};
        cr_assert_eq(lod_raw_units_add(&units, next), 0);
    }
    f->pays = units.pays;
    if (f->pays) {
        lod_raw_units_row(&units, f->row);
    }
    lod_raw_units_finish(&units);
}

/* A text whose last `noise` bytes are random. */
static struct file text(size_t bytes, size_t noise)
{
    struct file f = {.data = malloc(bytes), .bytes = bytes};
    uint32_t random = 7;

    for (size_t i = 0; i < bytes; i++) {
        random = random * 1664525 + 1013904223;
        f.data[i] = i < bytes - noise ? (uint8_t)("01 a"[random >> 30]) : (uint8_t)(random >> 24);
    }
    encode(&f, 2 * UNIT);
    return f;
}

static void finish(struct file *f)
{
    free(f->data);
    lod_buf_finish(&f->stored);
}

static size_t unit_bytes(const struct file *f, uint64_t unit)
{
    const size_t left = f->bytes - (size_t)unit * UNIT;

    return left < UNIT ? left : UNIT;
}

/* Makes a unit as a mount does. Inputs are copies of their exact length, so that AddressSanitizer
 * detects reads past them. */
static int make(const struct file *f, uint64_t unit, uint8_t *into)
{
    struct lod_inputs inputs = {0};
    unsigned done = 0;
    int error = lod_raw_maker.need(f->row, 0, unit, &inputs);

    while (!error && done < inputs.count) {
        struct lod_input *input = &inputs.input[done++];
        const struct lod_piece *piece = &input->plan.pieces[0];
        cr_assert(input->plan.count == 1 && piece->kind == LOD_PIECE_STORED && piece->group == 1);
        cr_assert_leq(piece->offset + piece->bytes, f->stored.bytes);
        uint8_t *copy = malloc(piece->bytes);
        memcpy(copy, f->stored.data + piece->offset, piece->bytes);
        input->data = (struct lod_span){.at = copy, .bytes = piece->bytes};
        error = lod_raw_maker.need(f->row, 0, unit, &inputs);
    }
    error = error ? error : lod_raw_maker.make(f->row, 0, unit, &inputs, into, unit_bytes(f, unit));
    for (unsigned i = 0; i < done; i++) {
        free((void *)(uintptr_t)inputs.input[i].data.at);
    }
    return error;
}

static void check(const struct file *f)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_plan plan;

    cr_assert_eq(lod_codec_segments(&lod_codec_raw, f->row, bytes), 0);
    cr_assert_eq(bytes[0], f->stored.bytes);
    cr_assert_leq(bytes[0], f->bytes - f->bytes / 8);
    cr_assert_eq(lod_codec_raw.source_bytes(f->row), f->bytes);
    cr_assert_eq(lod_codec_plan(&lod_codec_raw, f->row, LOD_FORMAT_TREE, LOD_Q1, &plan), 0);
    cr_assert(plan.bytes == f->bytes && lod_plan_made_bytes(&plan, 0) == f->bytes);
    for (uint64_t unit = 0; unit * UNIT < f->bytes; unit++) {
        uint8_t *into = malloc(unit_bytes(f, unit));
        cr_assert_eq(make(f, unit, into), 0);
        cr_assert_eq(memcmp(into, f->data + unit * UNIT, unit_bytes(f, unit)), 0);
        free(into);
    }
}

Test(raw_units, files_of_many_lengths_are_made_again)
{
    static const size_t lengths[] = {300,      1000,         UNIT - 1, UNIT,
                                     UNIT + 1, 2 * UNIT - 1, 2 * UNIT, 5 * UNIT + 77};

    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct file f = text(lengths[i], 0);
        cr_assert(f.pays, "%zu bytes", lengths[i]);
        check(&f);
        finish(&f);
    }
}

Test(raw_units, a_unit_that_cannot_be_compressed_is_stored_as_it_is)
{
    struct file f = text(8 * UNIT, UNIT);

    cr_assert(f.pays);
    const uint32_t begin = lod_get_le32(f.stored.data + 6 * LOD_RAW_END_BYTES);
    const uint32_t end = lod_get_le32(f.stored.data + 7 * LOD_RAW_END_BYTES);
    cr_assert(end - begin == UNIT && end == f.stored.bytes);
    check(&f);
    finish(&f);
}

Test(raw_units, a_file_that_saves_less_than_an_eighth_does_not_pay)
{
    struct file f = text(3 * UNIT, 3 * UNIT);

    cr_assert_not(f.pays);
    finish(&f);
    for (size_t bytes = 1; bytes < 12; bytes++) {
        f = text(bytes, 0);
        cr_assert_not(f.pays, "a frame has a header");
        finish(&f);
    }
}

Test(raw_units, steps_do_not_change_the_bytes)
{
    struct file f = text(5 * UNIT + 77, 0), g = f;

    g.stored = (struct lod_buf){0};
    encode(&g, UNIT);
    cr_assert(g.stored.bytes == f.stored.bytes &&
              memcmp(g.stored.data, f.stored.data, f.stored.bytes) == 0);
    lod_buf_finish(&g.stored);
    finish(&f);
}

/* Letters of five bits save three eighths. */
Test(raw_units, a_file_of_several_units_has_to_save_a_half)
{
    for (size_t bytes = UNIT; bytes <= UNIT + 1; bytes++) {
        struct file f = text(bytes, bytes);
        for (size_t i = 0; i < bytes; i++) {
            f.data[i] &= 31;
        }
        f.stored.bytes = 0;
        encode(&f, UNIT);
        cr_assert_eq(f.pays, bytes == UNIT, "%zu bytes", bytes);
        finish(&f);
    }
}

/* Puts these bytes in place of the only frame. */
static int make_of(struct file *f, const uint8_t *frame, size_t bytes)
{
    uint8_t *into = malloc(f->bytes);

    f->stored.bytes = 0;
    cr_assert_eq(lod_buf_append(&f->stored, frame, bytes), 0);
    lod_put_le32(f->row + LOD_RAW_AT_STORED, (uint32_t)bytes);
    int error = make(f, 0, into);
    cr_assert(error || memcmp(into, f->data, f->bytes) == 0);
    free(into);
    return error;
}

Test(raw_units, only_one_frame_of_the_exact_length_is_decoded)
{
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'h', 'i'};
    struct file f = text(4000, 0);
    uint8_t frame[8000];

    size_t bytes = ZSTD_compress(frame, sizeof(frame), f.data, 4000, 19);
    cr_assert_eq(make_of(&f, frame, bytes), 0, "of another level");
    cr_assert_eq(make_of(&f, frame, bytes - 1), -EILSEQ, "cut");
    frame[bytes] = 0;
    cr_assert_eq(make_of(&f, frame, bytes + 1), -EILSEQ, "a byte behind it");
    memcpy(frame + bytes, skippable, sizeof(skippable));
    cr_assert_eq(make_of(&f, frame, bytes + sizeof(skippable)), -EILSEQ, "a frame behind it");
    memmove(frame + sizeof(skippable), frame, bytes);
    memcpy(frame, skippable, sizeof(skippable));
    cr_assert_eq(make_of(&f, frame, bytes + sizeof(skippable)), -EILSEQ, "a frame before it");
    for (size_t length = 3999; length <= 4001; length += 2) {
        bytes = ZSTD_compress(frame, sizeof(frame), f.data, 3999, 3);
        if (length > 4000) {
            uint8_t longer[4001] = {0};
            memcpy(longer, f.data, 4000);
            bytes = ZSTD_compress(frame, sizeof(frame), longer, length, 3);
        }
        cr_assert_eq(make_of(&f, frame, bytes), -EILSEQ, "of %zu bytes", length);
    }
    finish(&f);
}

Test(raw_units, a_frame_without_its_length_or_with_a_dictionary_is_refused)
{
    struct file f = text(4000, 0);
    uint8_t frame[8000];
    ZSTD_CCtx *encoder = ZSTD_createCCtx();

    cr_assert_not(ZSTD_isError(ZSTD_CCtx_setParameter(encoder, ZSTD_c_contentSizeFlag, 0)));
    size_t bytes = ZSTD_compress2(encoder, frame, sizeof(frame), f.data, 4000);
    cr_assert_eq(make_of(&f, frame, bytes), -EILSEQ);
    ZSTD_freeCCtx(encoder);

    bytes = ZSTD_compress(frame, sizeof(frame), f.data, 4000, 3);
    cr_assert_eq(frame[4], 0x60, "a single segment, whose length has 2 bytes");
    memmove(frame + 6, frame + 5, bytes - 5);
    frame[4] |= 1; /* a dictionary id of a byte */
    frame[5] = 9;
    cr_assert_eq(make_of(&f, frame, bytes + 1), -EILSEQ);
    frame[5] = 0;
    cr_assert_eq(make_of(&f, frame, bytes + 1), 0, "0 is no dictionary");
    finish(&f);
}

/* A frame of few bytes that states the length of a unit, and one that states 2^63. */
Test(raw_units, a_stated_length_is_not_believed)
{
    static const uint8_t huge[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0,
                                   0,    0,    0,    0,    0x80, 1, 0, 0};
    uint8_t run[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 2, 0, 0, 0, 0, 'x'};
    struct file f = text(UNIT, 0);

    memset(f.data, 'x', UNIT);
    cr_assert_eq(make_of(&f, huge, sizeof(huge)), -EILSEQ);
    lod_put_le32(run + 5, UNIT);
    run[9] = (uint8_t)(1 | 1 << 1 | (UNIT & 31) << 3); /* last block, of one byte repeated */
    run[10] = (uint8_t)(UNIT >> 5);
    run[11] = (uint8_t)(UNIT >> 13);
    cr_assert_eq(make_of(&f, run, sizeof(run)), 0, "the longest block");
    run[9] = (uint8_t)(1 | 1 << 1 | (7u << 3));
    run[10] = run[11] = 0;
    cr_assert_eq(make_of(&f, run, sizeof(run)), -EILSEQ, "a block of 7 bytes");
    finish(&f);
}

Test(raw_units, a_forged_table_is_refused)
{
    static const uint32_t ends[][3] = {
        {11, 500, 1000}, {12, 500, 1000}, {600, 500, 1000}, {1001, 1001, 1000}, {400, 500, 999}};
    struct file f = text(2 * UNIT + 5, 0);
    uint8_t into[UNIT];

    lod_put_le32(f.row + LOD_RAW_AT_STORED, 1000);
    f.stored.bytes = 1000;
    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        int worst = 0;
        for (unsigned k = 0; k < 3; k++) {
            lod_put_le32(f.stored.data + k * LOD_RAW_END_BYTES, ends[i][k]);
        }
        for (unsigned k = 0; k < 3; k++) {
            int error = make(&f, k, into);
            cr_assert(error == 0 || error == -EILSEQ);
            worst = error ? error : worst;
        }
        cr_assert_eq(worst, -EILSEQ, "table %u", i);
    }
    finish(&f);
}

Test(raw_units, bytes_behind_the_last_unit_are_refused)
{
    struct file f = text(2 * UNIT + 5, 0);
    uint8_t *into = malloc(UNIT);

    cr_assert_eq(make(&f, 2, into), 0);
    cr_assert_eq(lod_buf_append(&f.stored, "more", 4), 0);
    lod_put_le32(f.row + LOD_RAW_AT_STORED, (uint32_t)f.stored.bytes);
    cr_assert_eq(make(&f, 1, into), 0);
    cr_assert_eq(make(&f, 2, into), -EILSEQ);
    free(into);
    finish(&f);
}

Test(raw_units, changed_bytes_are_refused_or_decoded_to_the_length)
{
    struct file f = text(3 * UNIT - 9, 0);
    uint8_t *into = malloc(UNIT);

    for (size_t at = 0; at < f.stored.bytes; at += 1 + at / 50) {
        f.stored.data[at] ^= (uint8_t)(1u << at % 8);
        for (uint64_t unit = 0; unit < 3; unit++) {
            int error = make(&f, unit, into);
            cr_assert(error == 0 || error == -EILSEQ, "%d", error);
        }
        f.stored.data[at] ^= (uint8_t)(1u << at % 8);
    }
    free(into);
    check(&f);
    finish(&f);
}

static int read_row(const struct lod_codec *codec, uint8_t storage, uint64_t bytes, uint64_t stored)
{
    uint8_t row[LOD_ROW_BYTES] = {[LOD_RAW_AT_STORAGE] = storage};
    uint64_t segments[LOD_GROUPS_MAX];
    struct lod_plan plan;

    lod_put_le64(row + LOD_RAW_AT_LENGTH, bytes);
    lod_put_le64(row + LOD_RAW_AT_STORED, stored);
    int error = lod_codec_segments(codec, row, segments);
    cr_assert_eq(lod_codec_plan(codec, row, LOD_FORMAT_TREE, LOD_FULL, &plan), error);
    return error;
}

Test(raw_units, malformed_rows_are_refused)
{
    const uint64_t most = LOD_RAW_FILE_MAX, table = 8192 * 4;

    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_PLAIN, INT64_MAX, 0), 0);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_PLAIN, 1ull << 63, 0), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_PLAIN, 100, 50), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, most, table + 1), 0);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, most, table), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, most + 1, table + 9), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, 100, 100), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, 100, 99), 0);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, 100, 0), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, LOD_RAW_ZSTD, 100, 1ull << 32 | 50), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_raw, 2, 100, 50), -EILSEQ);
    cr_assert_eq(read_row(&lod_codec_tree, LOD_RAW_PLAIN, 100, 0), 0);
    cr_assert_eq(read_row(&lod_codec_tree, LOD_RAW_ZSTD, 100, 50), -EILSEQ);
}
