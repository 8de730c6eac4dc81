/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_shard.c on shards made here; see replaying.h. */
#include <stdlib.h>
#include <string.h>

#include "replaying.h"
#include "toc/encode/toc_write.h"

#define ELEMENTS_MAX 1024u

static uint8_t draw_dtype(struct chance *chance)
{
    for (;;) {
        uint8_t dtype = (uint8_t)chance_below(chance, 32);
        if (lod_dtype_legal(dtype)) {
            return dtype;
        }
    }
}

/* Draws rows that repeat, rows of a few distinct values, or random rows. */
static void draw_table(struct chance *chance, uint8_t *table, size_t bytes, size_t row_bytes)
{
    uint64_t look = chance_below(chance, 3);

    for (size_t i = 0; i < bytes; i++) {
        table[i] = look == 2                 ? (uint8_t)chance_bits(chance)
                   : chance_below(chance, 3) ? 0
                                             : (uint8_t)chance_below(chance, 3);
    }
    for (size_t i = row_bytes; look == 1 && row_bytes && i + row_bytes <= bytes; i += row_bytes) {
        memcpy(table + i, table + chance_below(chance, 2) * row_bytes, row_bytes);
    }
}

static void make(uint64_t number, struct replay_input *input)
{
    struct chance chance = {.state = number};
    uint8_t table[ELEMENTS_MAX * 8];
    struct lod_toc_rows rows = {.dtype = draw_dtype(&chance), .dense = table};
    struct lod_toc_options options = {.choice = (enum lod_toc_choice)chance_below(&chance, 4)};
    const unsigned element = lod_dtype_bytes(rows.dtype);
    struct lod_buf shard = {0};

    rows.rows = (uint32_t)chance_below(&chance, 33);
    rows.columns = (uint32_t)chance_below(&chance, 33);
    options.batch_rows = 1 + (uint32_t)chance_below(&chance, 12);
    draw_table(&chance, table, (size_t)rows.rows * rows.columns * element,
               (size_t)rows.columns * element);
    if (lod_toc_encode(&rows, &options, &shard) || shard.bytes > sizeof(input->data)) {
        abort();
    }
    memcpy(input->data, shard.data, shard.bytes);
    input->bytes = shard.bytes;
    lod_buf_finish(&shard);
}

static void change(struct chance *chance, struct replay_input *shard)
{
    for (uint64_t left = chance_below(chance, 5); left > 0 && shard->bytes; left--) {
        /* mostly after magic and version, and often in the header */
        size_t most = chance_below(chance, 2) && shard->bytes > 128 ? 112 : shard->bytes;
        size_t at = (size_t)chance_below(chance, most);
        switch (chance_below(chance, 4)) {
        case 0:
            shard->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
            break;
        case 1:
            shard->data[at] = (uint8_t)chance_bits(chance);
            break;
        case 2:
            shard->data[at] = (uint8_t)(shard->data[at] + 1 - 2 * chance_below(chance, 2));
            break;
        default:
            shard->bytes -= chance_below(chance, 8) ? 0 : chance_below(chance, shard->bytes);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 60, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
