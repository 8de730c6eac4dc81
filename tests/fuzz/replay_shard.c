/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_shard.c as an ordinary test, without libFuzzer: with shards made here, and with random
 * changes of them.
 *   replay_shard COUNT [FIRST_SEED]   runs them
 *   replay_shard corpus FOLDER        writes the corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "toc/encode/toc_write.h"

#define ELEMENTS_MAX 1024u
#define CORPUS_COUNT 60u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

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

static void draw(struct chance *chance, struct lod_buf *into)
{
    uint8_t table[ELEMENTS_MAX * 8];
    struct lod_toc_rows rows = {.dtype = draw_dtype(chance), .dense = table};
    struct lod_toc_options options = {.choice = (enum lod_toc_choice)chance_below(chance, 4)};
    unsigned element = lod_dtype_bytes(rows.dtype);

    rows.rows = (uint32_t)chance_below(chance, 33);
    rows.columns = (uint32_t)chance_below(chance, 33);
    options.batch_rows = 1 + (uint32_t)chance_below(chance, 12);
    draw_table(chance, table, (size_t)rows.rows * rows.columns * element,
               (size_t)rows.columns * element);
    into->bytes = 0;
    if (lod_toc_encode(&rows, &options, into)) {
        abort();
    }
}

static void change(struct chance *chance, struct lod_buf *shard)
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

static int write_corpus(const char *folder)
{
    struct chance chance = {.state = 1};
    struct lod_buf shard = {0};
    char path[4096];

    for (unsigned i = 0; i < CORPUS_COUNT; i++) {
        draw(&chance, &shard);
        snprintf(path, sizeof(path), "%s/%u", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(shard.data, 1, shard.bytes, file) != shard.bytes || fclose(file)) {
            perror(path);
            return 1;
        }
    }
    lod_buf_finish(&shard);
    return 0;
}

int main(int argc, char **argv)
{
    struct lod_buf shard = {0};

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(argv[2]);
    }
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct chance chance = {.state = seed};
        draw(&chance, &shard);
        change(&chance, &shard);
        /* a heap block of the exact size: AddressSanitizer sees a read past it */
        uint8_t *exact = malloc(shard.bytes ? shard.bytes : 1);
        if (!exact) {
            abort();
        }
        memcpy(exact, shard.data, shard.bytes);
        LLVMFuzzerTestOneInput(exact, shard.bytes);
        free(exact);
    }
    lod_buf_finish(&shard);
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
