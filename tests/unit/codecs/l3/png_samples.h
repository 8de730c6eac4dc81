/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG files of every kind, written without libpng from pixels that the test knows, and l3 items
 * reassembled. Files of deflate level 0 are larger than their patches, whatever their contents.
 */
#ifndef LOD_PNG_SAMPLES_H
#define LOD_PNG_SAMPLES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>

#include "encoder.h"
#include "l3/container/png_chunks.h"

struct png_sample {
    uint32_t width, height;
    uint8_t depth, colour;
    bool interlaced;
    int level;              /* of deflate */
    uint32_t idat;          /* contents of each IDAT but the last; 0: a single IDAT */
    struct lod_span before; /* whole chunks; PLTE and tRNS are added where the kind needs them */
    struct lod_span after;
    bool transparent; /* with a tRNS */
    unsigned noise;   /* how many of 256 samples are random */
    uint32_t tile;    /* not 0: repeat a square of this side */
};

static inline void png_put_be32(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static inline void png_append(struct lod_buf *buf, const void *data, size_t bytes)
{
    cr_assert_eq(lod_buf_append(buf, data, bytes), 0);
}

static inline void png_chunk(struct lod_buf *file, const char *type, const void *data, size_t bytes)
{
    uint8_t word[4];
    png_put_be32(word, bytes);
    png_append(file, word, 4);
    size_t at = file->bytes;
    png_append(file, type, 4);
    png_append(file, data, bytes);
    png_put_be32(word, crc32_z(0, file->data + at, 4 + bytes));
    png_append(file, word, 4);
}

/* Returns the sample at (x, y), channel c: flat areas, slopes and noise; the same at every call. */
static inline unsigned png_value(const struct png_sample *s, uint32_t x, uint32_t y, unsigned c)
{
    if (s->tile) {
        x %= s->tile;
        y %= s->tile;
    }
    uint32_t mixed = (x * 0x9e3779b1u) ^ (y * 0x85ebca77u) ^ (c * 0xc2b2ae3du);
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    mixed ^= mixed >> 13;
    unsigned value =
        mixed >> 24 < s->noise ? mixed : (x / 8 + y / 4 + c) * (s->depth == 16 ? 771 : 3);
    return value & ((1u << s->depth) - 1);
}

static inline unsigned png_channels(uint8_t colour)
{
    return colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
}

/* Appends row y of the pixels x0, x0 + dx, .. as PNG packs it, after its filter byte. */
static inline void png_put_row(const struct png_sample *s, struct lod_buf *raw, uint32_t x0,
                               uint32_t dx, uint32_t y)
{
    unsigned bits = 0, used = 0, channels = png_channels(s->colour);
    uint8_t byte = 0;

    png_append(raw, &byte, 1);
    for (uint32_t x = x0; x < s->width; x += dx) {
        for (unsigned c = 0; c < channels; c++) {
            bits = bits << s->depth | png_value(s, x, y, c);
            for (used += s->depth; used >= 8; used -= 8) {
                byte = (uint8_t)(bits >> (used - 8));
                png_append(raw, &byte, 1);
            }
        }
    }
    if (used) {
        byte = (uint8_t)(bits << (8 - used));
        png_append(raw, &byte, 1);
    }
}

/* Returns all rows as in a file that is not interlaced. */
static inline struct lod_buf png_rows(const struct png_sample *s)
{
    struct lod_buf raw = {0};
    for (uint32_t y = 0; y < s->height; y++) {
        png_put_row(s, &raw, 0, 1, y);
    }
    return raw;
}

static inline struct lod_buf png_rows_interlaced(const struct png_sample *s)
{
    static const uint8_t pass[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                       {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    struct lod_buf raw = {0};
    for (unsigned i = 0; i < 7; i++) {
        for (uint32_t y = pass[i][1]; pass[i][0] < s->width && y < s->height; y += pass[i][3]) {
            png_put_row(s, &raw, pass[i][0], pass[i][2], y);
        }
    }
    return raw;
}

static inline void png_put_palette(const struct png_sample *s, struct lod_buf *file)
{
    uint8_t colours[3 * 256], alpha[256];
    for (unsigned i = 0; i < sizeof(colours); i++) {
        colours[i] = (uint8_t)(i * 37);
    }
    for (unsigned i = 0; i < sizeof(alpha); i++) {
        alpha[i] = (uint8_t)(i * 11);
    }
    if (s->colour == LOD_PNG_PALETTE) {
        png_chunk(file, "PLTE", colours, 3u << s->depth);
    }
    if (s->transparent) {
        png_chunk(file, "tRNS", alpha, s->colour == LOD_PNG_PALETTE ? 1 : s->colour == 2 ? 6 : 2);
    }
}

static inline void png_put_data(const struct png_sample *s, struct lod_buf *file)
{
    struct lod_buf raw = s->interlaced ? png_rows_interlaced(s) : png_rows(s);
    uLongf bytes = compressBound(raw.bytes) + 64;
    uint8_t *packed = malloc(bytes);

    cr_assert_eq(compress2(packed, &bytes, raw.data, raw.bytes, s->level), Z_OK);
    uint32_t step = s->idat ? s->idat : (uint32_t)bytes;
    for (size_t at = 0; at < bytes; at += step) {
        png_chunk(file, "IDAT", packed + at, bytes - at < step ? bytes - at : step);
    }
    free(packed);
    lod_buf_finish(&raw);
}

static inline struct lod_buf sample_png(const struct png_sample *s)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[13] = {[8] = s->depth, [9] = s->colour, [12] = s->interlaced};
    struct lod_buf file = {0};

    png_put_be32(header, s->width);
    png_put_be32(header + 4, s->height);
    png_append(&file, signature, sizeof(signature));
    png_chunk(&file, "IHDR", header, sizeof(header));
    png_append(&file, s->before.at, s->before.bytes);
    png_put_palette(s, &file);
    png_put_data(s, &file);
    png_append(&file, s->after.at, s->after.bytes);
    png_chunk(&file, "IEND", NULL, 0);
    return file;
}

static inline struct lod_encoded png_encode(struct lod_span source,
                                            const struct lod_encode_options *options)
{
    struct lod_encoded item;
    uint64_t bytes[LOD_GROUPS_MAX];

    cr_assert_eq(lod_encoder_l3.encode(source, options, &item), 0);
    cr_assert_eq(lod_codec_segments(&lod_codec_l3, item.row, bytes), 0);
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        cr_assert_eq(bytes[i], item.group[i].bytes, "group %u: row and bytes differ", i + 1);
    }
    cr_assert_eq(lod_codec_l3.source_bytes(item.row), source.bytes);
    cr_assert_eq(item.whole != NULL, (lod_row_flags(item.row) & LOD_ITEM_WHOLE) != 0);
    return item;
}

static inline struct lod_span png_segment(const struct lod_encoded *item,
                                          const struct lod_piece *piece)
{
    const struct lod_buf *group = &item->group[piece->group - 1];
    cr_assert_leq(piece->offset + piece->bytes, group->bytes, "a piece past its group");
    return (struct lod_span){.at = group->data + piece->offset, .bytes = piece->bytes};
}

/* Makes one unit as fs/read/unit_cache.c does and returns the error of need or make. */
static inline int png_make_unit(const struct lod_encoded *item, unsigned form, uint64_t unit,
                                uint8_t *into, size_t bytes)
{
    const struct lod_maker *maker = lod_codec_l3.maker;
    struct lod_inputs inputs = {0};
    unsigned done = 0;
    int error = maker->need(item->row, form, unit, &inputs);

    while (!error && done < inputs.count) {
        struct lod_input *input = &inputs.input[done++];
        cr_assert_eq(input->slot, LOD_SLOT_OWN);
        cr_assert_leq(input->plan.count, 1);
        if (input->plan.count) {
            input->data = png_segment(item, &input->plan.pieces[0]);
        }
        if (done == inputs.count) {
            error = maker->need(item->row, form, unit, &inputs);
        }
    }
    return error ? error : maker->make(item->row, form, unit, &inputs, into, bytes);
}

/* Appends the bytes of a MADE piece, unit by unit. */
static inline void png_append_made(const struct lod_encoded *item, const struct lod_piece *piece,
                                   struct lod_buf *file)
{
    const uint64_t unit_bytes = lod_codec_l3.maker->unit_bytes(item->row, piece->form);

    cr_assert_eq(piece->offset, 0);
    for (uint64_t at = 0; at < piece->bytes; at += unit_bytes) {
        uint64_t bytes = piece->bytes - at < unit_bytes ? piece->bytes - at : unit_bytes;
        cr_assert_eq(lod_buf_reserve(file, bytes), 0);
        int error =
            png_make_unit(item, piece->form, at / unit_bytes, file->data + file->bytes, bytes);
        cr_assert_eq(error, 0, "unit %u: %d", (unsigned)(at / unit_bytes), error);
        file->bytes += bytes;
    }
}

/* Returns the virtual file. */
static inline struct lod_buf png_file_at(const struct lod_encoded *item, enum lod_format format,
                                         enum lod_fidelity fidelity)
{
    struct lod_plan plan;
    struct lod_buf file = {0};

    cr_assert_eq(lod_codec_plan(&lod_codec_l3, item->row, format, fidelity, &plan), 0);
    for (unsigned i = 0; i < plan.count; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        switch (piece->kind) {
        case LOD_PIECE_STORED:
            png_append(&file, png_segment(item, piece).at, piece->bytes);
            break;
        case LOD_PIECE_TEXT:
            png_append(&file, plan.text + piece->offset, piece->bytes);
            break;
        case LOD_PIECE_MADE:
            png_append_made(item, piece, &file);
            break;
        default:
            png_append(&file, piece->mem, piece->bytes);
        }
    }
    cr_assert_eq(file.bytes, plan.bytes);
    return file;
}

#endif
