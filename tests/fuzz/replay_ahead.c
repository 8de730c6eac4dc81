/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_ahead.c as an ordinary test, without libFuzzer: with messages made here, some of them
 * changed at random.
 *   replay_ahead COUNT                runs them
 *   replay_ahead corpus FOLDER        writes the corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "mount/ahead_request.h"

#define MESSAGES     40u
#define RECORDS      50u /* of a message: its length is a byte */
#define CORPUS_COUNT 40u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Draws a message like those that a job sends; few numbers, so that messages meet the same list. */
static size_t draw(struct chance *chance, uint8_t *into)
{
    uint32_t records[RECORDS];
    uint8_t message[LOD_AHEAD_BYTES];
    struct lod_ahead_tell tell = {.job = chance_below(chance, 3), .records = records};

    tell.fidelity = 1 + (uint32_t)chance_below(chance, 12);
    tell.at = (uint32_t)chance_below(chance, 4) * 20;
    tell.count = (uint32_t)chance_below(chance, 3) * 20;
    tell.done = (uint32_t)chance_below(chance, 3) * 10;
    tell.keep_s = (uint32_t)chance_below(chance, 100);
    for (uint32_t i = 0; i < tell.count; i++) {
        records[i] = (uint32_t)chance_below(chance, 1000);
    }
    if (lod_ahead_request_write(&tell, message)) {
        abort();
    }
    const size_t bytes = LOD_AHEAD_HEAD_BYTES + 4 * (size_t)tell.count;
    into[0] = (uint8_t)bytes;
    memcpy(into + 1, message, bytes);
    if (chance_below(chance, 4) == 0) {
        into[chance_below(chance, bytes + 1)] = (uint8_t)chance_bits(chance);
    }
    return bytes + 1;
}

static size_t draw_all(uint64_t seed, uint8_t *into)
{
    struct chance chance = {.state = seed};
    size_t used = 0;

    for (unsigned i = 0; i < MESSAGES; i++) {
        used += draw(&chance, into + used);
    }
    return used;
}

static int write_corpus(const char *folder)
{
    uint8_t input[MESSAGES * 256];
    char path[4096];

    for (unsigned i = 0; i < CORPUS_COUNT; i++) {
        const size_t bytes = draw_all(i + 1, input);
        snprintf(path, sizeof(path), "%s/%u", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(input, 1, bytes, file) != bytes || fclose(file)) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t input[MESSAGES * 256];

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(argv[2]);
    }
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (uint64_t seed = 1; seed <= count; seed++) {
        LLVMFuzzerTestOneInput(input, draw_all(seed, input));
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
