/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a shard stores values, and their conversion to words. FORMAT.md, Values. */
#ifndef LOD_VALUES_H
#define LOD_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "toc/shard/toc.h"

/* Returns the size of a value in this form, 1 .. 8; 0 if the dtype has no such form. */
unsigned lod_value_bytes(uint8_t dtype, uint8_t value);

/* Returns those of `forms` (bits 1 << enum lod_toc_value) that fit all words. */
unsigned lod_values_forms(uint8_t dtype, unsigned forms, const uint64_t *words, uint64_t count);

/* Converts words that fit the form; writes count * lod_value_bytes bytes. */
void lod_values_narrow(uint8_t dtype, uint8_t value, const uint64_t *words, uint64_t count,
                       uint8_t *into);

/* The conversion of words on reading. */
enum lod_words_as {
    LOD_AS_WORDS,    /* none */
    LOD_AS_ELEMENTS, /* in the table's own byte order */
    LOD_AS_NUMBERS,  /* the bits of a double */
    LOD_AS_FLOATS,   /* the bits of a float */
};

/* Reads `count` stored values of the shard's form, or its table of values. */
void lod_values_read(const struct lod_toc_shard *shard, enum lod_words_as as, const uint8_t *at,
                     uint64_t count, uint64_t *into);

#endif
