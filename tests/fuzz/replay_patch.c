/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_patch.c as an ordinary test, without libFuzzer: with streams of every kind, and with
 * random changes of them.
 *   replay_patch COUNT [FIRST_SEED]   runs them
 *   replay_patch corpus FOLDER        writes the streams for the fuzzer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "l3/stream/l3_stream_write.h"
#include "replaying.h"

#define STREAMS 60u

/* Returns the stream of a small image, whose kind depends on `number`. */
static struct lod_buf make(unsigned number)
{
    static const uint8_t depths[] = {8, 1, 16, 4, 8, 2};
    struct chance chance = {number};
    struct lod_l3_image image = {.width = (uint32_t)(1 + chance_below(&chance, 70)),
                                 .height = (uint32_t)(1 + chance_below(&chance, 40)),
                                 .samples = (uint8_t)(1 + number % 4),
                                 .bits = depths[number / 4 % 6]};
    struct lod_l3_options options = {.mode = number % LOD_L3_MODES, .side_log2 = 5};
    uint8_t samples[70 * 40 * 8];
    uint64_t noise = 1 + chance_below(&chance, 200);
    struct lod_buf stream = {0};

    for (size_t i = 0; i < sizeof(samples); i++) {
        uint64_t value = i / 8 + chance_below(&chance, noise);
        samples[i] = (uint8_t)(image.bits < 8 ? value & ((1u << image.bits) - 1) : value);
    }
    if (lod_l3_encode(&image, samples, lod_l3_row_bytes(&image), &options, &stream)) {
        abort();
    }
    return stream;
}

static int save(const char *folder)
{
    int failed = 0;

    for (unsigned i = 0; i < STREAMS && !failed; i++) {
        struct lod_buf stream = make(i);
        failed = replay_save(folder, i, stream.data, stream.bytes);
        lod_buf_finish(&stream);
    }
    return failed;
}

/* Runs the target on a stream, changed in up to four places or cut. The input is a heap block of
 * its exact size, so that AddressSanitizer sees a read past it. */
static void run(const struct lod_buf *stream, struct chance *chance)
{
    size_t bytes = chance_below(chance, 8) ? stream->bytes : chance_below(chance, stream->bytes);
    uint8_t *data = malloc(bytes + !bytes);

    if (!data) {
        abort();
    }
    memcpy(data, stream->data, bytes);
    for (uint64_t left = chance_below(chance, 5); bytes && left > 0; left--) {
        size_t first = chance_below(chance, 4) ? bytes * 3 / 4 : bytes;
        data[bytes - 1 - chance_below(chance, first)] ^=
            (uint8_t)(chance_below(chance, 2) ? 1u << chance_below(chance, 8)
                                              : chance_below(chance, 256));
    }
    LLVMFuzzerTestOneInput(data, bytes);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "corpus") == 0) {
        return save(argv[2]);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: replay_patch COUNT [FIRST_SEED] | corpus FOLDER\n");
        return 2;
    }
    unsigned long count = strtoul(argv[1], NULL, 10);
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    for (unsigned i = 0; i < STREAMS; i++) {
        struct lod_buf stream = make(i);
        struct chance chance = {first * STREAMS + i + 1};
        LLVMFuzzerTestOneInput(stream.data, stream.bytes);
        for (unsigned long n = i; n < count; n += STREAMS) {
            run(&stream, &chance);
        }
        lod_buf_finish(&stream);
    }
    printf("tests: %lu passed, 0 failed\n", count);
    return 0;
}
