/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables of many kinds, made here, for the tests of codecs/toc. */
#ifndef LOD_TOC_SAMPLES_H
#define LOD_TOC_SAMPLES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "toc/shard/toc.h"
#include "toc/encode/toc_write.h"

static const uint8_t all_dtypes[] = {
    0x00, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0d, 0x0e,
    0x0f, 0x15, 0x16, 0x17, 0x19, 0x1a, 0x1b, 0x1d, 0x1e, 0x1f,
};

struct sample_chance {
    uint64_t state;
};

static inline uint64_t sample_bits(struct sample_chance *chance)
{
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t sample_below(struct sample_chance *chance, uint64_t limit)
{
    return limit ? sample_bits(chance) % limit : 0;
}

enum sample_look {
    SAMPLE_NOISE,   /* any bits: NaN payloads, infinities, -0.0 */
    SAMPLE_SPARSE,  /* few values, most of them 0 */
    SAMPLE_ONE_HOT, /* one word in each group of columns, rows that repeat */
    SAMPLE_ZERO,    /* zeros, with some rows that have one word */
    SAMPLE_LOOKS,
};

/* Returns rows x columns elements; the caller frees them. */
static inline uint8_t *sample_table(struct sample_chance *chance, enum sample_look look,
                                    uint8_t dtype, uint32_t rows, uint32_t columns)
{
    unsigned bytes = lod_dtype_bytes(dtype);
    size_t elements = (size_t)rows * columns;
    uint8_t *table = calloc(elements + 1, bytes);
    uint64_t few[4];

    cr_assert_not_null(table);
    for (unsigned i = 0; i < 4; i++) {
        few[i] = sample_bits(chance) | 1;
    }
    for (size_t i = 0; i < elements; i++) {
        uint64_t word = 0, row = i / columns, column = i % columns;
        switch (look) {
        case SAMPLE_NOISE:
            word = sample_bits(chance);
            break;
        case SAMPLE_SPARSE:
            word = sample_below(chance, 4) == 0 ? few[sample_below(chance, 4)] : 0;
            break;
        case SAMPLE_ONE_HOT:
            word = (row * row / 3 + column / 5) % 5 == column % 5 ? few[column % 2] : 0;
            break;
        default:
            word = sample_below(chance, 100) == 0 ? few[0] : 0;
        }
        memcpy(table + i * bytes, &word, bytes);
    }
    return table;
}

/* Encodes and opens a shard; the buffer holds its bytes. */
static inline struct lod_toc_shard sample_shard(const struct lod_toc_rows *rows,
                                                enum lod_toc_choice choice, uint32_t batch_rows,
                                                struct lod_buf *into)
{
    struct lod_toc_options options = {.batch_rows = batch_rows, .choice = choice};
    struct lod_toc_shard shard;

    *into = (struct lod_buf){0};
    cr_assert_eq(lod_toc_encode(rows, &options, into), 0);
    int error = lod_toc_open(lod_buf_span(into), &shard);
    cr_assert_eq(error, 0, "%d: choice %u dtype %x %u x %u batches of %u", error, choice,
                 rows->dtype, rows->rows, rows->columns, batch_rows);
    return shard;
}

#endif
