/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical encoding of values (section 3.2 of the paper). It finds the narrowest form that
 * preserves the bits of all values. Where that is smaller, it makes a table of the distinct values
 * and an index for each value. First all words are added, then the encoding is settled. For
 * encoders; values.h reads.
 */
#ifndef LOD_VALUES_WRITE_H
#define LOD_VALUES_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/encode/word_map.h"

struct lod_values_write {
    uint8_t dtype;
    unsigned forms; /* a bit, 1 << enum lod_toc_value, for each form that fits all words */
    bool many;      /* more than distinct_max values: no table and no numbers */
    uint32_t distinct_max;
    struct lod_word_map map;
    uint64_t *distinct; /* by number, which is the order of appearance */
    uint64_t room;

    /* After settle: */
    uint8_t value;      /* enum lod_toc_value */
    bool table;         /* false: values are stored directly */
    uint8_t index_bits; /* of an index into the table */
    uint32_t *rank;     /* by number: the value's index in the sorted table; NULL if many */
};

/*
 * Initialises. `distinct` is the expected number of values; more are allowed. Returns -ENOMEM.
 * lod_values_finish accepts an all-zero struct.
 */
LOD_MUST_CHECK int lod_values_init(struct lod_values_write *values, uint8_t dtype,
                                   uint32_t distinct_max, uint64_t distinct);
void lod_values_finish(struct lod_values_write *values);

/* Adds a word. Returns its number if ret_number is not NULL and there are not `many`. -ENOMEM. */
LOD_MUST_CHECK int lod_values_add(struct lod_values_write *values, uint64_t word,
                                  uint32_t *ret_number);

/* Adds `count` words. Their numbers are valid as long as there are not `many`. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_values_add_all(struct lod_values_write *values, const uint64_t *words,
                                      uint64_t count, uint32_t *numbers);

/*
 * Chooses the encoding for `count` words with these values. Call it before the size functions
 * below.
 */
void lod_values_decide(struct lod_values_write *values, uint64_t count);

/*
 * Chooses the encoding as well, and sorts the distinct values. Call it before the write functions
 * below. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_values_settle(struct lod_values_write *values, uint64_t count);

/* Return the size of the table, and of `count` words in the chosen encoding. */
uint64_t lod_values_table_bytes(const struct lod_values_write *values);
uint64_t lod_values_bytes(const struct lod_values_write *values, uint64_t count);

/* Appends the table, or nothing if values are stored directly. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_table(const struct lod_values_write *values,
                                          struct lod_buf *into);

/* Appends `count` words, all of which were added. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_words(const struct lod_values_write *values,
                                          const uint64_t *words, uint64_t count,
                                          struct lod_buf *into);

/* Appends the words that have these numbers, if there is a table. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_numbers(const struct lod_values_write *values,
                                            const uint32_t *numbers, uint64_t count,
                                            struct lod_buf *into);

#endif
