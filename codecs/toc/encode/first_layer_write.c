/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the distinct pairs of a shard as leaves; see first_layer_write.h. */
#include "toc/encode/first_layer_write.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/shard/bits.h"
#include "toc/encode/radix.h"
#include "toc/shard/toc_format.h"

/*
 * Up to this many columns each column remembers its last pair. One-hot columns then never use the
 * hash map.
 */
#define REMEMBERED_COLUMNS (1u << 16)
#define FIRST_LEAVES       1024u

/* During the look-up leaves are numbered by first appearance. The word 0 means no pair. */
struct lookup {
    struct last {
        uint64_t word;
        uint32_t leaf;
    } * last;
    uint32_t remembered;
    struct lod_word_map pairs; /* key: column and number of the value */
    uint64_t *key;             /* of each leaf */
    uint64_t room;
};

static void lookup_finish(struct lookup *lookup)
{
    free(lookup->last);
    free(lookup->key);
    lod_word_map_finish(&lookup->pairs);
}

static int lookup_init(struct lookup *lookup, uint32_t columns)
{
    *lookup = (struct lookup){.remembered = columns <= REMEMBERED_COLUMNS ? columns : 0};
    lookup->last = calloc((size_t)lookup->remembered + 1, sizeof(*lookup->last));
    return lookup->last ? lod_word_map_init(&lookup->pairs, FIRST_LEAVES) : -ENOMEM;
}

static int add_key(struct lookup *lookup, uint64_t key)
{
    uint32_t count = lookup->pairs.count;

    if (count > lookup->room) {
        uint64_t room = lookup->room ? lookup->room * 2 : FIRST_LEAVES;
        uint64_t *grown = realloc(lookup->key, room * sizeof(*grown));
        if (!grown) {
            return -ENOMEM;
        }
        lookup->key = grown;
        lookup->room = room;
    }
    lookup->key[count - 1] = key;
    return lod_word_map_full(&lookup->pairs) ? lod_word_map_grow(&lookup->pairs) : 0;
}

static int find(struct lookup *lookup, struct lod_values_write *values, uint32_t column,
                uint64_t word, uint32_t *ret_leaf)
{
    uint32_t number = 0, before = lookup->pairs.count;
    int error = lod_values_add(values, word, &number);

    if (error) {
        return error;
    }
    uint64_t key = (uint64_t)column << 32 | number;
    uint32_t leaf = lod_word_map_put(&lookup->pairs, key);
    if (column < lookup->remembered) {
        lookup->last[column] = (struct last){.word = word, .leaf = leaf};
    }
    *ret_leaf = leaf;
    return leaf == before ? add_key(lookup, key) : 0;
}

static int find_all(struct lookup *lookup, const struct lod_sparse *sparse,
                    struct lod_first_layer *layer)
{
    uint32_t pairs = lod_sparse_pairs(sparse);
    int error = 0;

    for (uint32_t i = 0; i < pairs && !error; i++) {
        uint32_t column = sparse->column[i];
        uint64_t word = sparse->word[i];
        if (column < lookup->remembered && lookup->last[column].word == word) {
            layer->leaf_of_pair[i] = lookup->last[column].leaf;
        } else {
            error = find(lookup, &layer->values, column, word, &layer->leaf_of_pair[i]);
        }
    }
    return error;
}

/* Sorts the leaves into their final order and renumbers the pairs. */
static int sort_leaves(const struct lookup *lookup, const struct lod_sparse *sparse,
                       struct lod_first_layer *layer)
{
    uint32_t leaves = lookup->pairs.count, pairs = lod_sparse_pairs(sparse);
    const struct lod_values_write *values = &layer->values;
    struct lod_keyed *keyed = malloc((2 * (size_t)leaves + 1) * sizeof(*keyed));
    uint32_t *place = malloc(((size_t)leaves + 1) * sizeof(*place));

    layer->leaves = leaves;
    layer->column = malloc(((size_t)leaves + 1) * sizeof(*layer->column));
    layer->word = malloc(((size_t)leaves + 1) * sizeof(*layer->word));
    if (!keyed || !place || !layer->column || !layer->word) {
        free(keyed);
        free(place);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < leaves; i++) {
        uint64_t key = lookup->key[i];
        keyed[i].key = (key & ~(uint64_t)UINT32_MAX) | values->rank[(uint32_t)key];
        keyed[i].number = i;
    }
    lod_radix_sort(keyed, leaves, keyed + leaves);
    for (uint32_t i = 0; i < leaves; i++) {
        place[keyed[i].number] = i;
        layer->column[i] = (uint32_t)(keyed[i].key >> 32);
        layer->word[i] = values->distinct[(uint32_t)keyed[i].key];
    }
    for (uint32_t i = 0; i < pairs; i++) {
        layer->leaf_of_pair[i] = place[layer->leaf_of_pair[i]];
    }
    free(keyed);
    free(place);
    return 0;
}

int lod_first_layer_init(struct lod_first_layer *layer, uint8_t dtype, uint32_t columns,
                         const struct lod_sparse *sparse)
{
    struct lookup lookup;

    *layer = (struct lod_first_layer){0};
    layer->leaf_of_pair =
        malloc(((size_t)lod_sparse_pairs(sparse) + 1) * sizeof(*layer->leaf_of_pair));
    int error = lookup_init(&lookup, columns);
    if (!error) {
        error =
            layer->leaf_of_pair ? lod_values_init(&layer->values, dtype, UINT32_MAX, 0) : -ENOMEM;
    }
    if (!error) {
        error = find_all(&lookup, sparse, layer);
    }
    if (!error) {
        error = lod_values_settle(&layer->values, lookup.pairs.count);
    }
    if (!error) {
        error = sort_leaves(&lookup, sparse, layer);
    }
    lookup_finish(&lookup);
    if (error) {
        lod_first_layer_finish(layer);
    }
    return error;
}

void lod_first_layer_finish(struct lod_first_layer *layer)
{
    free(layer->column);
    free(layer->word);
    free(layer->leaf_of_pair);
    lod_values_finish(&layer->values);
    *layer = (struct lod_first_layer){0};
}

static uint32_t count_of_column(const struct lod_first_layer *layer, uint32_t *at, uint32_t column)
{
    uint32_t first = *at;

    while (*at < layer->leaves && layer->column[*at] == column) {
        ++*at;
    }
    return *at - first;
}

struct lod_leaf_columns lod_first_layer_columns(const struct lod_first_layer *layer,
                                                uint32_t columns)
{
    uint32_t most = 0, last = layer->leaves ? layer->column[layer->leaves - 1] : 0;

    for (uint32_t at = 0; at < layer->leaves;) {
        uint32_t count = count_of_column(layer, &at, layer->column[at]);
        most = count > most ? count : most;
    }
    struct lod_leaf_columns own = {.form = LOD_TOC_COLUMN_OF_LEAF,
                                   .bits = (uint8_t)lod_bits_of(last)};
    struct lod_leaf_columns counts = {.form = LOD_TOC_LEAVES_OF_COLUMN,
                                      .bits = (uint8_t)lod_bits_of(most)};
    own.bytes = lod_bits_bytes(layer->leaves, own.bits);
    counts.bytes = lod_bits_bytes(columns, counts.bits);
    return counts.bytes < own.bytes ? counts : own;
}

int lod_first_layer_write_columns(const struct lod_first_layer *layer, uint32_t columns,
                                  struct lod_buf *into)
{
    struct lod_leaf_columns settings = lod_first_layer_columns(layer, columns);
    int error = lod_buf_reserve(into, settings.bytes);

    if (error || !settings.bytes) {
        return error;
    }
    if (settings.form == LOD_TOC_COLUMN_OF_LEAF) {
        lod_bits_pack(layer->column, layer->leaves, settings.bits, into->data + into->bytes);
    } else {
        uint32_t *counts = malloc((size_t)columns * sizeof(*counts));
        if (!counts) {
            return -ENOMEM;
        }
        for (uint32_t column = 0, at = 0; column < columns; column++) {
            counts[column] = count_of_column(layer, &at, column);
        }
        lod_bits_pack(counts, columns, settings.bits, into->data + into->bytes);
        free(counts);
    }
    into->bytes += settings.bytes;
    return 0;
}
