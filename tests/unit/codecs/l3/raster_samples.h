/* SPDX-License-Identifier: Apache-2.0 */
/* PGM, PPM and BMP files made in memory, of smooth pixels with some noise, and their items. */
#ifndef LOD_RASTER_SAMPLES_H
#define LOD_RASTER_SAMPLES_H

#include <stdio.h>

#include "png_samples.h"

enum plain_palette { NO_PALETTE, GRAY_PALETTE, COLOUR_PALETTE };

struct plain_sample {
    uint32_t width, height;
    unsigned channels;   /* of the file's pixels: 1, 3, 4 */
    unsigned maxval;     /* PGM and PPM; 0: a BMP */
    const char *comment; /* PGM and PPM: between its numbers; NULL: none */
    unsigned header;     /* BMP: size of the image header */
    bool downward;       /* BMP: the top row comes first */
    enum plain_palette palette;
    unsigned gap, tail; /* unused bytes before and after the pixels */
    unsigned fill;      /* BMP: value of the bytes that pad rows */
    unsigned bits; /* BMP with a palette: bits of a pixel; 0 means 8. PNM: 1 with maxval 1: PBM */
    bool alpha;    /* BMP of 32 bits: masks, including alpha's */
};

/* Returns sample c of a pixel in the order of decoded/: red first. */
static inline unsigned plain_value(const struct plain_sample *s, uint32_t x, uint32_t y, unsigned c)
{
    const unsigned top = s->maxval ? s->maxval : s->bits ? (1u << s->bits) - 1 : 255;
    const unsigned value = x * 2 + y + 31 * c + ((x * 7919u + y * 104729u) >> 3) % 3;

    if (s->bits == 1) {
        return (x / 9 + y / 7) & 1; /* patches of one-bit noise would be larger than the file */
    }
    return top > 255 ? value * 61 % (top + 1) : value % (top + 1);
}

static inline void plain_le(struct lod_buf *file, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, value >>= 8) {
        const uint8_t byte = (uint8_t)value;
        png_append(file, &byte, 1);
    }
}

static inline void plain_pnm(const struct plain_sample *s, struct lod_buf *file)
{
    char text[128];
    int used = snprintf(text, sizeof(text), "P%c\n%s%u\t%u\n%u\n", s->channels == 1 ? '5' : '6',
                        s->comment ? s->comment : "", s->width, s->height, s->maxval);

    if (s->bits) {
        used = snprintf(text, sizeof(text), "P4\n%s%u\t%u\n", s->comment ? s->comment : "",
                        s->width, s->height);
    }
    png_append(file, text, (size_t)used);
    for (uint32_t y = 0; s->bits && y < s->height; y++) {
        for (uint32_t x = 0; x < s->width; x += 8) {
            unsigned byte = 0;
            for (uint32_t i = x; i < x + 8; i++) {
                byte = byte << 1 | (i < s->width ? plain_value(s, i, y, 0) : s->fill);
            }
            plain_le(file, byte, 1);
        }
    }
    if (s->bits) {
        return;
    }
    for (uint32_t y = 0; y < s->height; y++) {
        for (uint32_t x = 0; x < s->width; x++) {
            for (unsigned c = 0; c < s->channels; c++) {
                const unsigned value = plain_value(s, x, y, c);
                const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
                png_append(file, s->maxval > 255 ? bytes : bytes + 1, s->maxval > 255 ? 2 : 1);
            }
        }
    }
}

/* Returns channel c of a palette's entry, red first. */
static inline uint8_t plain_colour(const struct plain_sample *s, unsigned entry, unsigned c)
{
    return (uint8_t)(s->palette == GRAY_PALETTE ? entry : 255 - entry + 40 * c);
}

static inline void plain_bmp_headers(const struct plain_sample *s, struct lod_buf *file)
{
    const bool core = s->header == 12;
    const unsigned entry = core ? 3 : 4;
    const unsigned palette = s->palette ? (s->bits ? 1u << s->bits : 256) * entry : 0;
    const unsigned masks =
        s->alpha && s->header == 40 ? 16 : 0; /* the masks follow a header of 40 bytes */
    const uint64_t height = s->downward ? -(uint64_t)s->height : s->height;

    png_append(file, "BM", 2);
    plain_le(file, 4711, 4); /* readers ignore the size field */
    plain_le(file, 0, 4);
    plain_le(file, 14 + s->header + masks + palette + s->gap, 4);
    plain_le(file, s->header, 4);
    plain_le(file, s->width, core ? 2 : 4);
    plain_le(file, height, core ? 2 : 4);
    plain_le(file, 1, 2);
    plain_le(file, s->bits ? s->bits : 8 * s->channels, 2);
    for (unsigned i = core ? 12 : 16; i < s->header + masks; i++) {
        static const uint8_t of_blue_first[] = {0,    0, 0xff, 0, 0, 0xff, 0, 0,
                                                0xff, 0, 0,    0, 0, 0,    0, 0xff};
        const uint8_t mask = i >= 40 && i < 56 ? of_blue_first[i - 40] : 0;
        plain_le(file, !s->alpha ? 0 : i == 16 ? (masks ? 6 : 3) : mask, 1);
    }
    for (unsigned i = 0; i < palette; i++) {
        plain_le(file, i % entry == 3 ? 0 : plain_colour(s, i / entry, 2 - i % entry), 1);
    }
    for (unsigned i = 0; i < s->gap; i++) {
        plain_le(file, i + 1, 1);
    }
}

static inline void plain_bmp(const struct plain_sample *s, struct lod_buf *file)
{
    plain_bmp_headers(s, file);
    for (uint32_t row = 0; row < s->height; row++) {
        const uint32_t y = s->downward ? row : s->height - 1 - row;
        const unsigned bits = s->bits ? s->bits : 8 * s->channels;
        unsigned byte = 0;
        for (uint32_t x = 0; x < s->width; x++) {
            for (unsigned c = 0; c < s->channels && !s->bits; c++) {
                plain_le(file, plain_value(s, x, y, s->channels >= 3 && c < 3 ? 2 - c : c), 1);
            }
            byte |= s->bits ? plain_value(s, x, y, 0) << (8 - bits - x * bits % 8) : 0;
            if (s->bits && ((x + 1) * bits % 8 == 0 || x + 1 == s->width)) {
                plain_le(file, byte, 1);
                byte = 0;
            }
        }
        for (uint32_t i = (s->width * bits + 7) / 8; i % 4; i++) {
            plain_le(file, s->fill, 1);
        }
    }
}

static inline struct lod_buf sample_plain(const struct plain_sample *s)
{
    struct lod_buf file = {0};

    if (s->maxval) {
        plain_pnm(s, &file);
    } else {
        plain_bmp(s, &file);
    }
    for (unsigned i = 0; i < s->tail; i++) {
        plain_le(&file, i * 7, 1);
    }
    return file;
}

/* Checks that an image returns byte for byte at every fidelity; `small`: it may be stored WHOLE. */
static inline void plain_comes_back(const struct plain_sample *s, uint8_t mode, bool small)
{
    const struct lod_encode_options options = {.l3_mode = mode, .keep = true};
    struct lod_buf source = sample_plain(s);
    struct lod_encoded item = png_encode(lod_buf_span(&source), &options);

    cr_assert(!item.whole || small, "%ux%u: %s", s->width, s->height, item.whole);
    cr_assert(lod_encoder_l3.probe(lod_buf_span(&source)));
    cr_assert_eq(lod_row_flags(item.row), item.whole ? LOD_ITEM_WHOLE : 0);
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        struct lod_buf file = png_file_at(&item, LOD_FORMAT_TREE, (enum lod_fidelity)f);
        cr_assert_eq(file.bytes, source.bytes);
        cr_assert_eq(memcmp(file.data, source.data, source.bytes), 0, "%ux%u at %u", s->width,
                     s->height, f);
        lod_buf_finish(&file);
    }
    lod_encoded_finish(&item);
    lod_buf_finish(&source);
}

/* Returns why the image is refused; NULL: it is accepted. */
static inline const char *plain_why_not(struct lod_span source)
{
    const struct lod_encode_options options = {.l3_mode = 0};
    struct lod_encoded item = png_encode(source, &options);
    struct lod_buf file = png_file_at(&item, LOD_FORMAT_TREE, LOD_ORIGINAL);
    const char *why = item.whole;

    cr_assert_eq(file.bytes, source.bytes);
    cr_assert(!file.bytes || memcmp(file.data, source.at, source.bytes) == 0);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
    return why;
}

#endif
