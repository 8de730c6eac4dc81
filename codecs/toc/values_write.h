/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical encoding of values (section 3.2 of the paper): the narrowest form that keeps the bits of
 * all of them, and a table of the distinct ones with an index each where that is smaller. First
 * all words are added, then it is settled how they are written. For encoders; values.h reads.
 */
#ifndef LOD_VALUES_WRITE_H
#define LOD_VALUES_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/word_map.h"

struct lod_values_write {
    uint8_t dtype;
    unsigned forms; /* 1 << enum lod_toc_value of those that all words have; when decided */
    bool many;      /* more than distinct_max: no table, and no numbers */
    uint32_t distinct_max;
    struct lod_word_map map;
    uint64_t *distinct; /* by number, the order of appearance */
    uint64_t room;

    /* Settled: */
    uint8_t value;      /* enum lod_toc_value */
    bool table;         /* else direct */
    uint8_t index_bits; /* of an index into the table */
    uint32_t *rank;     /* by number: place among the distinct, which then ascend; NULL if many */
};

/* `distinct`: how many are expected; more are no error. -ENOMEM. finish accepts an all-zero struct.
 */
LOD_MUST_CHECK int lod_values_init(struct lod_values_write *values, uint8_t dtype,
                                   uint32_t distinct_max, uint64_t distinct);
void lod_values_finish(struct lod_values_write *values);

/* Adds a word; its number, if ret_number is not NULL and there are not `many`. -ENOMEM. */
LOD_MUST_CHECK int lod_values_add(struct lod_values_write *values, uint64_t word,
                                  uint32_t *ret_number);

/* The same for `count` words; their numbers are whole while there are not `many`. -ENOMEM. */
LOD_MUST_CHECK int lod_values_add_all(struct lod_values_write *values, const uint64_t *words,
                                      uint64_t count, uint32_t *numbers);

/* Decides for `count` words that refer to these values: what the sizes below need. */
void lod_values_decide(struct lod_values_write *values, uint64_t count);

/* The same, and sorts the distinct ones: what writing needs. -ENOMEM. */
LOD_MUST_CHECK int lod_values_settle(struct lod_values_write *values, uint64_t count);

/* Bytes of the table and of `count` words as settled. */
uint64_t lod_values_table_bytes(const struct lod_values_write *values);
uint64_t lod_values_bytes(const struct lod_values_write *values, uint64_t count);

/* Appends the table; nothing if values are direct. -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_table(const struct lod_values_write *values,
                                          struct lod_buf *into);

/* Appends `count` words, all of which were added. -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_words(const struct lod_values_write *values,
                                          const uint64_t *words, uint64_t count,
                                          struct lod_buf *into);

/* The same of words that have these numbers, if values have a table. -ENOMEM. */
LOD_MUST_CHECK int lod_values_write_numbers(const struct lod_values_write *values,
                                            const uint32_t *numbers, uint64_t count,
                                            struct lod_buf *into);

#endif
