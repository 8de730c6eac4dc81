/* SPDX-License-Identifier: Apache-2.0 */
/* How values lie in a shard, and back to words; FORMAT.md, Values. */
#ifndef LOD_VALUES_H
#define LOD_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "toc/toc.h"

/* Bytes of a value in this form, 1 .. 8; 0 if the dtype has no such form. */
unsigned lod_value_bytes(uint8_t dtype, uint8_t value);

/*
 * The element that a stored value stands for, and the reverse; false if the word has no such form,
 * which is so if it does not come back the same.
 */
uint64_t lod_value_widen(uint8_t dtype, uint8_t value, uint64_t stored);
bool lod_value_narrow(uint8_t dtype, uint8_t value, uint64_t word, uint64_t *ret_stored);

/* Of `forms` (1 << enum lod_toc_value) those that all words have. */
unsigned lod_values_forms(uint8_t dtype, unsigned forms, const uint64_t *words, uint64_t count);

/* Words that have the form, as they are stored: count * lod_value_bytes bytes. */
void lod_values_narrow(uint8_t dtype, uint8_t value, const uint64_t *words, uint64_t count,
                       uint8_t *into);

/* What words become when they are read. */
enum lod_words_as {
    LOD_AS_WORDS,    /* what they are */
    LOD_AS_ELEMENTS, /* in the table's own byte order */
    LOD_AS_NUMBERS,  /* the bits of a double */
    LOD_AS_FLOATS,   /* the bits of a float */
};

/* `count` stored values of this form, or the table of a shard, as words. */
void lod_values_read(const struct lod_toc_shard *shard, enum lod_words_as as, const uint8_t *at,
                     uint64_t count, uint64_t *into);

#endif
