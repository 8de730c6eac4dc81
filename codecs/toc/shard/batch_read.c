/* SPDX-License-Identifier: Apache-2.0 */
/* Reads batches; see batch_read.h. */
#include "toc/shard/batch_read.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "toc/shard/batch_row.h"
#include "toc/shard/bits.h"
#include "toc/shard/toc_format.h"

#define ALIGNMENT UINT64_C(64)

static uint64_t room_for(uint64_t count, uint64_t bytes)
{
    return lod_round_up(count * bytes, ALIGNMENT);
}

static void *take(struct lod_arena *arena, uint64_t count, uint64_t bytes)
{
    uint64_t room = room_for(count, bytes);
    void *at = arena->at;

    assert(room <= arena->left);
    arena->at += room;
    arena->left -= room;
    return at;
}

/* Returns the number of codes in one batch, plus one: see number_of. */
static uint64_t codes_room(const struct lod_toc_shard *s)
{
    return (uint64_t)s->leaves + s->nodes_max + 1;
}

uint64_t lod_layer_read_bytes(const struct lod_toc_shard *s)
{
    return room_for(s->values, 8) + room_for(s->leaves, 8) + 3 * room_for(codes_room(s), 4) +
           room_for((uint64_t)s->leaves + 1, 4);
}

int lod_layer_values(const struct lod_layer_read *layer, const uint8_t *at, const uint8_t *end,
                     uint64_t first, uint64_t count, uint64_t *into)
{
    const struct lod_toc_shard *shard = layer->shard;
    uint32_t index[LOD_LAYER_STEP];

    if (!shard->values) {
        unsigned bytes = lod_value_bytes(shard->dtype, shard->value);
        lod_values_read(shard, layer->as, at + first * bytes, count, into);
        return 0;
    }
    for (uint64_t done = 0; done < count; done += LOD_LAYER_STEP) {
        uint64_t step = count - done < LOD_LAYER_STEP ? count - done : LOD_LAYER_STEP;
        lod_bits_unpack(at, end, first + done, step, shard->index_bits, index);
        for (uint64_t i = 0; i < step; i++) {
            if (index[i] >= shard->values) {
                return -EILSEQ;
            }
            into[done + i] = layer->table[index[i]];
        }
    }
    return 0;
}

/* Turns the number of leaves of each column into the column of each leaf. -EILSEQ: the numbers do
 * not add up to the leaves. */
static int spread_counts(const struct lod_toc_shard *s, uint32_t *column)
{
    const uint8_t *at = s->leaf_columns.at, *end = at + s->leaf_columns.bytes;
    uint32_t counts[LOD_LAYER_STEP], leaf = 0;

    for (uint32_t done = 0; done < s->columns; done += LOD_LAYER_STEP) {
        uint32_t step = s->columns - done < LOD_LAYER_STEP ? s->columns - done : LOD_LAYER_STEP;
        lod_bits_unpack(at, end, done, step, s->column_bits, counts);
        for (uint32_t i = 0; i < step; i++) {
            if (counts[i] > s->leaves - leaf) {
                return -EILSEQ;
            }
            for (uint32_t left = counts[i]; left > 0; left--) {
                column[leaf++] = done + i;
            }
        }
    }
    return leaf == s->leaves ? 0 : -EILSEQ;
}

static int read_columns(const struct lod_toc_shard *s, uint32_t *column)
{
    const uint8_t *at = s->leaf_columns.at;
    uint32_t before = 0;

    if (s->column_form == LOD_TOC_LEAVES_OF_COLUMN) {
        return spread_counts(s, column);
    }
    lod_bits_unpack(at, at + s->leaf_columns.bytes, 0, s->leaves, s->column_bits, column);
    for (uint32_t i = 0; i < s->leaves; i++) {
        if (column[i] < before || column[i] >= s->columns) {
            return -EILSEQ;
        }
        before = column[i];
    }
    return 0;
}

int lod_layer_read(const struct lod_toc_shard *s, enum lod_words_as as, struct lod_arena *arena,
                   struct lod_layer_read *ret_layer)
{
    struct lod_layer_read layer = {
        .shard = s,
        .as = as,
        .table = take(arena, s->values, 8),
        .word = take(arena, s->leaves, 8),
        .first = take(arena, codes_room(s), 4),
        .last = take(arena, codes_room(s), 4),
        .number = take(arena, codes_room(s), 4),
        .used = take(arena, (uint64_t)s->leaves + 1, 4),
    };

    lod_values_read(s, as, s->table.at, s->values, layer.table);
    for (uint32_t leaf = 0; leaf < s->leaves; leaf++) {
        layer.first[leaf] = leaf;
        layer.number[leaf] = LOD_NO_LEAF;
    }
    for (uint32_t node = 0; node < s->nodes_max; node++) {
        layer.number[s->leaves + node] = node;
    }
    int error = read_columns(s, layer.last);
    if (!error) {
        error =
            lod_layer_values(&layer, s->leaf_values.at, s->leaf_values.at + s->leaf_values.bytes, 0,
                             s->leaves, layer.word);
    }
    if (!error) {
        *ret_layer = layer;
    }
    return error;
}

uint64_t lod_batch_read_bytes(const struct lod_toc_shard *s, uint32_t batch, uint64_t *body_offset)
{
    struct lod_batch_row row = {0};
    int error = lod_batch_row_read(s, batch, &row);

    assert(!error); /* lod_toc_open has read it */
    (void)error;
    *body_offset += row.bytes;
    if (s->kind == LOD_TOC_RAW) {
        return room_for(row.codes, 8);
    }
    uint32_t leaves = s->kind == LOD_TOC_CSR || row.codes < s->leaves ? row.codes : s->leaves;
    uint64_t bytes =
        room_for((uint64_t)row.rows + 1, 4) + room_for(leaves, 4) + room_for(leaves, 8);
    return s->kind == LOD_TOC_CSR
               ? bytes
               : bytes + room_for(row.codes, 4) + 2 * room_for((uint64_t)row.nodes + 1, 4);
}

/* Turns the sizes of rows into their starts. */
static int read_starts(const struct lod_batch_row *row, const uint8_t *at, uint32_t *start)
{
    uint64_t sum = 0;
    uint32_t empty = 0;

    start[0] = 0;
    lod_bits_unpack(at, at + row->size_bytes, 0, row->rows, row->size_bits, start + 1);
    for (uint32_t i = 1; i <= row->rows; i++) {
        uint64_t size = (uint64_t)start[i] + row->size_min;
        empty += size == 0;
        sum += size;
        if (sum > row->codes) {
            return -EILSEQ;
        }
        start[i] = (uint32_t)sum;
    }
    return sum == row->codes && empty == row->empty ? 0 : -EILSEQ;
}

static void set_words(const struct lod_layer_read *layer, struct lod_toc_batch *batch,
                      uint64_t *words)
{
    batch->word = words;
    batch->number = layer->as == LOD_AS_NUMBERS ? (lod_number *)words : NULL;
}

static int read_csr(const struct lod_layer_read *layer, const struct lod_batch_row *row,
                    const uint8_t *at, struct lod_arena *arena, struct lod_toc_batch *ret_batch)
{
    const struct lod_toc_shard *s = layer->shard;
    uint32_t *start = take(arena, (uint64_t)row->rows + 1, 4);
    uint32_t *column = take(arena, row->codes, 4);
    uint64_t *word = take(arena, row->codes, 8);
    const uint8_t *columns = at + row->size_bytes, *values = columns + row->code_bytes;
    int error = read_starts(row, at, start);

    if (error) {
        return error;
    }
    lod_bits_unpack(columns, values, 0, row->codes, s->column_bits, column);
    for (uint32_t r = 0; r < row->rows; r++) {
        uint64_t least = 0;
        for (uint32_t i = start[r]; i < start[r + 1]; i++) {
            if (column[i] < least || column[i] >= s->columns) {
                return -EILSEQ;
            }
            least = (uint64_t)column[i] + 1;
        }
    }
    *ret_batch = (struct lod_toc_batch){
        .rows = row->rows, .leaves = row->codes, .start = start, .column = column};
    set_words(layer, ret_batch, word);
    return lod_layer_values(layer, values, values + row->flag_bytes, 0, row->codes, word);
}

/* The tree of one batch while it is rebuilt. */
struct tree {
    const struct lod_layer_read *layer;
    uint32_t nodes, nodes_made, leaves_made;
    uint32_t *parent, *key; /* of nodes; with room for one more */
};

/*
 * Returns the code's number in the batch. A leaf gets a number when it first occurs. To avoid a
 * mispredicted branch, the entry of the next leaf is always written.
 */
static inline uint32_t number_of(struct tree *tree, uint32_t code)
{
    const struct lod_layer_read *layer = tree->layer;
    uint32_t number = layer->number[code];
    bool made = number == LOD_NO_LEAF;

    number = made ? tree->nodes + tree->leaves_made : number;
    layer->number[code] = number;
    layer->used[tree->leaves_made] = code;
    tree->leaves_made += made;
    return number;
}

/*
 * Makes the node that a flag stands for: `before` and the first leaf of `now`. To avoid a
 * mispredicted branch, it is written even if the flag is 0.
 */
static inline void make_node(struct tree *tree, uint32_t before, uint32_t now, unsigned flag)
{
    const struct lod_layer_read *layer = tree->layer;
    uint32_t node = tree->nodes_made, code = layer->shard->leaves + node;
    uint32_t leaf = layer->first[now];

    tree->parent[node] = layer->number[before];
    tree->key[node] = layer->number[leaf];
    layer->first[code] = layer->first[before];
    layer->last[code] = layer->last[leaf];
    tree->nodes_made += flag;
}

static inline unsigned flag_at(const uint8_t *flags, uint32_t flag)
{
    return (unsigned)flags[flag / 8] >> flag % 8 & 1u;
}

/* Turns codes of the shard into numbers of the batch, and makes a node wherever a flag is set. */
static int read_codes(struct tree *tree, const struct lod_toc_batch *batch, const uint8_t *flags,
                      uint32_t *code)
{
    const struct lod_layer_read *layer = tree->layer;
    uint32_t leaves = layer->shard->leaves, flag = 0;

    for (uint32_t r = 0; r < batch->rows; r++) {
        uint32_t before = 0;
        for (uint32_t i = batch->start[r]; i < batch->start[r + 1]; i++) {
            uint32_t now = code[i];
            if (now >= leaves + tree->nodes_made) {
                return -EILSEQ;
            }
            code[i] = number_of(tree, now);
            if (i > batch->start[r]) {
                unsigned set = flag_at(flags, flag++);
                if (layer->last[before] >= layer->last[layer->first[now]] ||
                    tree->nodes_made + set > tree->nodes) {
                    return -EILSEQ;
                }
                make_node(tree, before, now, set);
            }
            before = now;
        }
    }
    return tree->nodes_made == tree->nodes ? 0 : -EILSEQ;
}

/* Copies column and word of the leaves that the batch uses, and restores the layer. */
static void take_leaves(const struct tree *tree, uint32_t *column, uint64_t *word)
{
    const struct lod_layer_read *layer = tree->layer;

    for (uint32_t j = 0; j < tree->leaves_made; j++) {
        uint32_t leaf = layer->used[j];
        column[j] = layer->last[leaf];
        word[j] = layer->word[leaf];
        layer->number[leaf] = LOD_NO_LEAF;
    }
}

static int read_tree(const struct lod_layer_read *layer, const struct lod_batch_row *row,
                     const uint8_t *at, struct lod_arena *arena, struct lod_toc_batch *ret_batch)
{
    const uint8_t *codes = at + row->size_bytes, *flags = codes + row->code_bytes;
    uint32_t *start = take(arena, (uint64_t)row->rows + 1, 4);
    uint32_t *code = take(arena, row->codes, 4);
    struct tree tree = {
        .layer = layer,
        .nodes = row->nodes,
        .parent = take(arena, (uint64_t)row->nodes + 1, 4),
        .key = take(arena, (uint64_t)row->nodes + 1, 4),
    };
    int error = read_starts(row, at, start);

    if (error) {
        return error;
    }
    lod_bits_unpack(codes, flags, 0, row->codes, row->code_bits, code);
    *ret_batch = (struct lod_toc_batch){.rows = row->rows,
                                        .nodes = row->nodes,
                                        .start = start,
                                        .code = code,
                                        .parent = tree.parent,
                                        .key = tree.key};
    error = read_codes(&tree, ret_batch, flags, code);
    if (error) {
        return error;
    }
    uint64_t *word = take(arena, tree.leaves_made, 8);
    uint32_t *column = take(arena, tree.leaves_made, 4);
    take_leaves(&tree, column, word);
    ret_batch->leaves = tree.leaves_made;
    ret_batch->column = column;
    set_words(layer, ret_batch, word);
    return 0;
}

static int read_raw(const struct lod_layer_read *layer, const struct lod_batch_row *row,
                    const uint8_t *at, struct lod_arena *arena, struct lod_toc_batch *ret_batch)
{
    uint64_t *word = take(arena, row->codes, 8);

    *ret_batch = (struct lod_toc_batch){.rows = row->rows, .leaves = row->codes};
    set_words(layer, ret_batch, word);
    return lod_layer_values(layer, at, at + row->code_bytes, 0, row->codes, word);
}

int lod_batch_read(const struct lod_layer_read *layer, uint32_t batch, uint64_t body_offset,
                   struct lod_arena *arena, struct lod_toc_batch *ret_batch)
{
    const uint8_t *at = layer->shard->body.at + body_offset;
    struct lod_batch_row row;
    int error = lod_batch_row_read(layer->shard, batch, &row);

    if (error) {
        return error;
    }
    switch (layer->shard->kind) {
    case LOD_TOC_RAW:
        return read_raw(layer, &row, at, arena, ret_batch);
    case LOD_TOC_CSR:
        return read_csr(layer, &row, at, arena, ret_batch);
    default:
        return read_tree(layer, &row, at, arena, ret_batch);
    }
}
