/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huffman tables of JPEG: the standard ones (ITU-T T.81, K.3.3), codes from lengths (annex C), and
 * the optimal table for given counts (K.2). Ties are resolved as in the figures of K.2, so encoders
 * that follow them make the same table.
 */
#include "pcr/entropy/huffman.h"

#include <errno.h>
#include <string.h>

const struct lod_huffman_table lod_huffman_standard[2][2] = {
    {{.counts = {0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
      .values_count = 12,
      .values = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b}},
     {.counts = {0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0},
      .values_count = 12,
      .values = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b}}},
    {{.counts = {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
      .values_count = 162,
      .values = {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51,
                 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1,
                 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18,
                 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39,
                 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57,
                 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75,
                 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92,
                 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
                 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
                 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8,
                 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2,
                 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}},
     {.counts = {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
      .values_count = 162,
      .values = {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07,
                 0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09,
                 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25,
                 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38,
                 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56,
                 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74,
                 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
                 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5,
                 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
                 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6,
                 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2,
                 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}}}};

int lod_huffman_codes(const struct lod_huffman_table *table, struct lod_huffman_codes *ret_codes)
{
    struct lod_huffman_codes codes = {0};
    uint32_t code = 0;
    unsigned at = 0;

    for (unsigned bits = 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++, code <<= 1) {
        for (unsigned i = 0; i < table->counts[bits - 1]; i++, code++) {
            if (at == table->values_count || code >> bits) {
                return -EILSEQ;
            }
            uint32_t *entry = &codes.entry[table->values[at++]];
            *entry = *entry ? *entry : code << 8 | bits;
        }
    }
    if (at != table->values_count) {
        return -EILSEQ;
    }
    *ret_codes = codes;
    return 0;
}

bool lod_huffman_same(const struct lod_huffman_table *a, const struct lod_huffman_table *b)
{
    return memcmp(a->counts, b->counts, sizeof(a->counts)) == 0 &&
           a->values_count == b->values_count && memcmp(a->values, b->values, a->values_count) == 0;
}

/*
 * The leaves are the symbols that occur, and one more for the code of all ones, which no symbol may
 * have. That one is the largest, so K.2 gives it a longest code.
 */
#define RESERVED  256u
#define LEAVES    257
#define NO_BRANCH UINT16_MAX

struct tree {
    unsigned count; /* remaining subtrees and merged ones */
    uint64_t weight[LEAVES];
    uint16_t symbol[LEAVES]; /* ascending */
    uint16_t length[LEAVES];
    uint16_t next[LEAVES]; /* the next leaf of the same subtree */
};

static void plant(struct tree *tree, const uint32_t counts[256])
{
    tree->count = 0;
    for (unsigned symbol = 0; symbol <= RESERVED; symbol++) {
        uint32_t weight = symbol == RESERVED ? 1 : counts[symbol];
        if (weight) {
            tree->weight[tree->count] = weight;
            tree->symbol[tree->count] = (uint16_t)symbol;
            tree->length[tree->count] = 0;
            tree->next[tree->count++] = NO_BRANCH;
        }
    }
}

/* Finds the two lightest subtrees; of equal ones that with the larger symbol. Returns false if only
 * one is left. */
static bool lightest(const struct tree *tree, unsigned *ret_first, unsigned *ret_second)
{
    uint64_t weight1 = UINT64_MAX, weight2 = UINT64_MAX;
    unsigned first = LEAVES, second = LEAVES;

    for (unsigned i = 0; i < tree->count; i++) {
        uint64_t weight = tree->weight[i];
        if (weight && weight <= weight1) {
            second = first;
            weight2 = weight1;
            first = i;
            weight1 = weight;
        } else if (weight && weight <= weight2) {
            second = i;
            weight2 = weight;
        }
    }
    *ret_first = first;
    *ret_second = second;
    return second != LEAVES;
}

/* Adds a bit to the length of every leaf of the subtree. Returns its last leaf. */
static unsigned lengthen(struct tree *tree, unsigned leaf)
{
    tree->length[leaf]++;
    while (tree->next[leaf] != NO_BRANCH) {
        leaf = tree->next[leaf];
        tree->length[leaf]++;
    }
    return leaf;
}

static void grow(struct tree *tree)
{
    unsigned first, second;

    while (lightest(tree, &first, &second)) {
        tree->weight[first] += tree->weight[second];
        tree->weight[second] = 0;
        tree->next[lengthen(tree, first)] = (uint16_t)second;
        lengthen(tree, second);
    }
}

/* Figure K.3: shortens pairs of codes that are too long, and splits a shorter code to make room. */
static void shorten(uint16_t counts[LEAVES + 1])
{
    for (unsigned bits = LEAVES; bits > LOD_HUFFMAN_BITS_MAX; bits--) {
        while (counts[bits]) {
            unsigned shorter = bits - 2;
            while (!counts[shorter]) {
                shorter--;
            }
            counts[bits] = (uint16_t)(counts[bits] - 2);
            counts[bits - 1]++;
            counts[shorter + 1] = (uint16_t)(counts[shorter + 1] + 2);
            counts[shorter]--;
        }
    }
}

void lod_huffman_optimal(const uint32_t counts[256], struct lod_huffman_table *ret_table)
{
    struct lod_huffman_table table = {0};
    uint16_t of_length[LEAVES + 1] = {0};
    struct tree tree;

    plant(&tree, counts);
    grow(&tree);
    for (unsigned bits = 1; bits < LEAVES; bits++) {
        for (unsigned i = 0; i < tree.count; i++) {
            if (tree.length[i] == bits && tree.symbol[i] != RESERVED) {
                table.values[table.values_count++] = (uint8_t)tree.symbol[i];
            }
            of_length[bits] = (uint16_t)(of_length[bits] + (tree.length[i] == bits));
        }
    }
    shorten(of_length);
    unsigned longest = LOD_HUFFMAN_BITS_MAX;
    while (longest && !of_length[longest]) {
        longest--;
    }
    of_length[longest]--; /* removes the reserved code, whose length is 0 if all counts are 0 */
    for (unsigned bits = 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++) {
        table.counts[bits - 1] = (uint8_t)of_length[bits];
    }
    *ret_table = table;
}

int lod_huffman_take(struct lod_cursor *c, struct lod_huffman_table *ret_table)
{
    struct lod_huffman_table table = {0};
    const uint8_t *counts = lod_take(c, LOD_HUFFMAN_BITS_MAX);
    unsigned count = 0;

    for (unsigned i = 0; counts && i < LOD_HUFFMAN_BITS_MAX; i++) {
        table.counts[i] = counts[i];
        count += counts[i];
    }
    const uint8_t *values = count <= sizeof(table.values) ? lod_take(c, count) : NULL;
    if (!values) {
        return -EILSEQ;
    }
    memcpy(table.values, values, count);
    table.values_count = (uint16_t)count;
    *ret_table = table;
    return 0;
}
