/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target as an ordinary test, without libFuzzer: with inputs made here, and with random
 * changes of them.
 *   replay_WHAT COUNT [FIRST_SEED]   runs them
 *   replay_WHAT corpus FOLDER        writes the corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "watch.h"

#define INPUT_MAX    4096
#define CORPUS_COUNT 40

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct input {
    uint8_t data[INPUT_MAX];
    size_t bytes;
};

#define SCRIPT "0,1,2: 0-0, 0, 0;\n0: 1-63, 0, 0;\n1: 1-63, 0, 0;\n2: 1-63, 0, 0;\n"
#define STEPS                                                                                      \
    "# ten groups\n0,1,2: 0-0, 0, 1;\n0: 1-5, 0, 2;\n2: 1-63, 0, 1;\n1: 1-63, 0, 1;\n"             \
    "0: 6-63, 0, 2;\n0: 1-63, 2, 1;\n0,1,2: 0-0, 1, 0;\n2: 1-63, 1, 0;\n1: 1-63, 1, 0;\n"          \
    "0: 1-63, 1, 0;\n"
#define MANIFEST                                                                                   \
    "{\"format\":\"lodfs\",\"major\":1,\"minor\":1,\"store_id\":"                                  \
    "\"93005056864900c010d0722117e947b1\",\"index_bytes\":266240,\"index_hash\":"                  \
    "\"0000000000000000\",\"records\":2,\"items\":2,\"source_bytes\":6,\"pack\":{},"               \
    "\"scans\":null}"
#define NESTED "{\"format\":\"lodfs\",\"major\":1,\"items\":-1,\"pack\":[[[[1e400,\"\\u0000\"]]]]}"

static const char *const texts[] = {SCRIPT, STEPS, MANIFEST, NESTED};

/* Draws an input: a changed text, or changes for patches.h. Each change has a place below 2^17 and
 * up to 8 bytes, whose value is small, extreme or random. */
static void draw(struct chance *chance, struct input *input)
{
    static const uint8_t bytes[] = {0, 1, 0xff, 0x80, 0x7f, 0xfe, 2, '/', '.'};

    *input = (struct input){0};
    if (chance_below(chance, 4) == 0) {
        const char *text = texts[chance_below(chance, sizeof(texts) / sizeof(texts[0]))];
        input->bytes = strlen(text);
        memcpy(input->data, text, input->bytes);
        return;
    }
    for (uint64_t left = 1 + chance_below(chance, 6); left > 0; left--) {
        uint64_t place = chance_below(chance, 1u << 17), width = 1 + chance_below(chance, 8);
        for (unsigned i = 0; i < 3; i++) {
            input->data[input->bytes++] = (uint8_t)(place >> 8 * i);
        }
        input->data[input->bytes++] = (uint8_t)width;
        for (uint64_t i = 0; i < width; i++) {
            input->data[input->bytes++] = chance_below(chance, 3)
                                              ? bytes[chance_below(chance, sizeof(bytes))]
                                              : (uint8_t)chance_bits(chance);
        }
    }
}

static void change(struct chance *chance, struct input *input)
{
    for (uint64_t left = chance_below(chance, 5); left > 0 && input->bytes; left--) {
        size_t at = (size_t)chance_below(chance, input->bytes);
        switch (chance_below(chance, 4)) {
        case 0:
            input->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
            break;
        case 1:
            input->data[at] = (uint8_t)chance_bits(chance);
            break;
        case 2:
            input->bytes = at;
            break;
        default:
            memmove(input->data + at, input->data, input->bytes - at);
        }
    }
}

static int write_corpus(const char *folder)
{
    struct chance chance = {.state = 1};
    struct input input;
    char path[4096];

    for (unsigned i = 0; i < CORPUS_COUNT; i++) {
        draw(&chance, &input);
        snprintf(path, sizeof(path), "%s/%u", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(input.data, 1, input.bytes, file) != input.bytes || fclose(file)) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct input input;

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(argv[2]);
    }
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    watch_setup();
    watch_begin();
    LLVMFuzzerInitialize(&argc, &argv);
    watch_hide_stderr(); /* each damage would be logged */
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct chance chance = {.state = seed};
        draw(&chance, &input);
        change(&chance, &input);
        watch_begin();
        watch_say("  seed %" PRIu64 "\n", seed);
        LLVMFuzzerTestOneInput(input.data, input.bytes);
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
