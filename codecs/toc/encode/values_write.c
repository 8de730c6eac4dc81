/* SPDX-License-Identifier: Apache-2.0 */
/* Collects values and writes them, directly or as a table and indexes. See values_write.h. */
#include "toc/encode/values_write.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/shard/bits.h"
#include "toc/encode/radix.h"
#include "bytes.h"
#include "toc/shard/values.h"

#define FORMS       8u
#define FIRST_WORDS 256u
#define STEP        1024u

int lod_values_init(struct lod_values_write *values, uint8_t dtype, uint32_t distinct_max,
                    uint64_t distinct)
{
    unsigned forms = 0;

    for (uint8_t value = 0; value < FORMS; value++) {
        forms |= lod_value_bytes(dtype, value) ? 1u << value : 0;
    }
    *values =
        (struct lod_values_write){.dtype = dtype, .forms = forms, .distinct_max = distinct_max};
    return lod_word_map_init(&values->map, distinct > FIRST_WORDS ? distinct : FIRST_WORDS);
}

void lod_values_finish(struct lod_values_write *values)
{
    lod_word_map_finish(&values->map);
    free(values->distinct);
    free(values->rank);
    *values = (struct lod_values_write){0};
}

/*
 * Narrows the possible forms to those of the distinct words. Later words, which are not looked up,
 * narrow them further.
 */
static void settle_forms(struct lod_values_write *values)
{
    values->forms =
        lod_values_forms(values->dtype, values->forms, values->distinct, values->map.count);
}

static int add_distinct(struct lod_values_write *values, uint64_t word)
{
    uint32_t count = values->map.count;

    if (count > values->room) {
        uint64_t room = values->room ? values->room * 2 : FIRST_WORDS;
        uint64_t *distinct = realloc(values->distinct, room * sizeof(*distinct));
        if (!distinct) {
            return -ENOMEM;
        }
        values->distinct = distinct;
        values->room = room;
    }
    values->distinct[count - 1] = word;
    if (count > values->distinct_max) {
        values->many = true;
        settle_forms(values);
    }
    /* The map has room for distinct_max + 1 words without growing; after that none is added. */
    return count < values->distinct_max && lod_word_map_full(&values->map)
               ? lod_word_map_grow(&values->map)
               : 0;
}

int lod_values_add(struct lod_values_write *values, uint64_t word, uint32_t *ret_number)
{
    uint32_t before = values->map.count;

    if (values->many) {
        values->forms = lod_values_forms(values->dtype, values->forms, &word, 1);
        return 0;
    }
    uint32_t number = lod_word_map_put(&values->map, word);
    int error = number == before ? add_distinct(values, word) : 0;
    if (!error && ret_number) {
        *ret_number = number;
    }
    return error;
}

/* Numbers words until one of the arrays has to grow. Returns how many were numbered. */
static uint64_t number_some(struct lod_values_write *values, const uint64_t *words, uint64_t count,
                            uint32_t *restrict numbers)
{
    struct lod_word_map in = values->map; /* a local copy, which the stores below cannot alias */
    /* Half of the slots; with one more word the map counts as full. */
    const uint64_t half = (UINT64_C(1) << (in.bits - 1)) - 1;
    const uint32_t most = (uint32_t)lod_least(lod_least(values->room, half), values->distinct_max);
    uint64_t *restrict distinct = values->distinct;
    uint64_t i = 0;

    for (; i < count && words[i] != LOD_WORD_NONE; i++) {
        const uint64_t slot = lod_word_map_slot(&in, words[i]);
        if (in.key[slot] == LOD_WORD_NONE) {
            if (in.count >= most) {
                break;
            }
            in.key[slot] = distinct[in.count] = words[i];
            in.number[slot] = in.count++;
        }
        numbers[i] = in.number[slot];
    }
    values->map.count = in.count;
    return i;
}

int lod_values_add_all(struct lod_values_write *values, const uint64_t *words, uint64_t count,
                       uint32_t *numbers)
{
    int error = 0;

    while (count && !values->many && !error) {
        uint64_t done = number_some(values, words, count, numbers);
        if (done < count) {
            error = lod_values_add(values, words[done], &numbers[done]);
            done++;
        }
        words += done;
        numbers += done;
        count -= done;
    }
    if (count) {
        values->forms = lod_values_forms(values->dtype, values->forms, words, count);
    }
    return error;
}

static int sort_distinct(struct lod_values_write *values)
{
    uint32_t count = values->map.count;
    struct lod_keyed *keyed = malloc((2 * (size_t)count + 1) * sizeof(*keyed));
    values->rank = malloc(((size_t)count + 1) * sizeof(*values->rank));

    if (!keyed || !values->rank) {
        free(keyed);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        keyed[i] = (struct lod_keyed){.key = values->distinct[i], .number = i};
    }
    lod_radix_sort(keyed, count, keyed + count);
    for (uint32_t i = 0; i < count; i++) {
        values->rank[keyed[i].number] = i;
        values->distinct[i] = keyed[i].key;
    }
    free(keyed);
    return 0;
}

void lod_values_decide(struct lod_values_write *values, uint64_t count)
{
    uint32_t distinct = values->map.count;

    if (!values->many) {
        settle_forms(values);
    }
    values->value = LOD_TOC_VALUE_OWN;
    for (uint8_t value = 1; value < FORMS; value++) {
        if (values->forms >> value & 1 &&
            lod_value_bytes(values->dtype, value) < lod_value_bytes(values->dtype, values->value)) {
            values->value = value;
        }
    }
    if (values->many) {
        return;
    }
    uint64_t direct = lod_values_bytes(values, count);
    values->table = distinct > 0;
    values->index_bits = (uint8_t)lod_bits_of(distinct ? distinct - 1 : 0);
    values->table = lod_values_table_bytes(values) + lod_values_bytes(values, count) < direct;
}

int lod_values_settle(struct lod_values_write *values, uint64_t count)
{
    lod_values_decide(values, count);
    return values->many ? 0 : sort_distinct(values);
}

uint64_t lod_values_table_bytes(const struct lod_values_write *values)
{
    uint64_t bytes = lod_value_bytes(values->dtype, values->value);
    return values->table ? values->map.count * bytes : 0;
}

uint64_t lod_values_bytes(const struct lod_values_write *values, uint64_t count)
{
    return values->table ? lod_bits_bytes(count, values->index_bits)
                         : count * lod_value_bytes(values->dtype, values->value);
}

/* Writes words directly, without a table. */
static int write_narrow(const struct lod_values_write *values, const uint64_t *words,
                        uint64_t count, struct lod_buf *into)
{
    unsigned bytes = lod_value_bytes(values->dtype, values->value);
    int error = lod_buf_reserve(into, count * bytes);

    if (!error && count) {
        lod_values_narrow(values->dtype, values->value, words, count, into->data + into->bytes);
        into->bytes += count * bytes;
    }
    return error;
}

int lod_values_write_table(const struct lod_values_write *values, struct lod_buf *into)
{
    return values->table ? write_narrow(values, values->distinct, values->map.count, into) : 0;
}

static uint32_t number_of(const struct lod_values_write *values, uint64_t word)
{
    return word == LOD_WORD_NONE ? values->map.none_number - 1
                                 : values->map.number[lod_word_map_slot(&values->map, word)];
}

int lod_values_write_words(const struct lod_values_write *values, const uint64_t *words,
                           uint64_t count, struct lod_buf *into)
{
    uint32_t number[STEP]; /* STEP indexes fill whole bytes at any width */
    int error = 0;

    if (!values->table) {
        return write_narrow(values, words, count, into);
    }
    for (uint64_t at = 0; at < count && !error; at += STEP) {
        uint64_t step = count - at < STEP ? count - at : STEP;
        for (uint64_t i = 0; i < step; i++) {
            number[i] = number_of(values, words[at + i]);
        }
        error = lod_values_write_numbers(values, number, step, into);
    }
    return error;
}

int lod_values_write_numbers(const struct lod_values_write *values, const uint32_t *numbers,
                             uint64_t count, struct lod_buf *into)
{
    uint32_t index[STEP];
    const uint32_t *rank = values->rank;

    if (lod_bits_bytes(count, values->index_bits) == 0) {
        return 0; /* a single value needs no index */
    }
    int error = lod_buf_reserve(into, lod_bits_bytes(count, values->index_bits));
    for (uint64_t at = 0; at < count && !error; at += STEP) {
        uint64_t step = count - at < STEP ? count - at : STEP;
        for (uint64_t i = 0; i < step; i++) {
            index[i] = rank[numbers[at + i]];
        }
        lod_bits_pack(index, step, values->index_bits, into->data + into->bytes);
        into->bytes += lod_bits_bytes(step, values->index_bits);
    }
    return error;
}
