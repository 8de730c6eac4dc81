/* SPDX-License-Identifier: Apache-2.0 */
/* See shuffle.h. */
#include "order/shuffle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

struct keyed {
    uint64_t key;
    uint32_t number;
};

uint64_t lod_shuffle_pass_seed(struct lod_id store, uint64_t seed, uint32_t pass)
{
    uint8_t text[28];

    lod_put_le64(text, store.low);
    lod_put_le64(text + 8, store.high);
    lod_put_le64(text + 16, seed);
    lod_put_le32(text + 24, pass);
    return lod_hash64(text, sizeof(text), 0);
}

uint64_t lod_shuffle_run_seed(uint64_t pass_seed, uint32_t cursor, uint32_t repeat)
{
    uint8_t text[16];

    lod_put_le64(text, pass_seed);
    lod_put_le32(text + 8, cursor);
    lod_put_le32(text + 12, repeat);
    return lod_hash64(text, sizeof(text), 0);
}

static int compare(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

int lod_shuffle(uint32_t *numbers, size_t count, uint64_t seed)
{
    struct keyed *keyed = calloc(count + 1, sizeof(*keyed));
    uint8_t text[4];

    if (!keyed) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        lod_put_le32(text, numbers[i]);
        keyed[i] =
            (struct keyed){.key = lod_hash64(text, sizeof(text), seed), .number = numbers[i]};
    }
    qsort(keyed, count, sizeof(*keyed), compare);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = keyed[i].number;
    }
    free(keyed);
    return 0;
}

void lod_shuffle_deal(const uint32_t *items, uint32_t count, uint32_t nodes, uint32_t *ret_node,
                      uint64_t *ret_sums)
{
    memset(ret_sums, 0, nodes * sizeof(*ret_sums));
    for (uint32_t e = 0; e < count; e++) {
        uint32_t fewest = 0;
        for (uint32_t n = 1; n < nodes; n++) {
            fewest = ret_sums[n] < ret_sums[fewest] ? n : fewest;
        }
        ret_node[e] = fewest;
        ret_sums[fewest] += items[e];
    }
}
