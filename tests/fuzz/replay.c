/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the targets of fuzz_store.c: texts, and changes of stores; see replaying.h. */
#include <inttypes.h>
#include <string.h>

#include "replaying.h"
#include "watch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

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
static void make(uint64_t number, struct replay_input *input)
{
    struct chance chance = {.state = number};
    static const uint8_t bytes[] = {0, 1, 0xff, 0x80, 0x7f, 0xfe, 2, '/', '.'};

    if (chance_below(&chance, 4) == 0) {
        const char *text = texts[chance_below(&chance, sizeof(texts) / sizeof(texts[0]))];
        input->bytes = strlen(text);
        memcpy(input->data, text, input->bytes);
        return;
    }
    for (uint64_t left = 1 + chance_below(&chance, 6); left > 0; left--) {
        uint64_t place = chance_below(&chance, 1u << 17), width = 1 + chance_below(&chance, 8);
        for (unsigned i = 0; i < 3; i++) {
            input->data[input->bytes++] = (uint8_t)(place >> 8 * i);
        }
        input->data[input->bytes++] = (uint8_t)width;
        for (uint64_t i = 0; i < width; i++) {
            input->data[input->bytes++] = chance_below(&chance, 3)
                                              ? bytes[chance_below(&chance, sizeof(bytes))]
                                              : (uint8_t)chance_bits(&chance);
        }
    }
}

static void change(struct chance *chance, struct replay_input *input)
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

static void begin(uint64_t seed)
{
    watch_begin();
    watch_say("  seed %" PRIu64 "\n", seed);
}

int main(int argc, char **argv)
{
    static const struct replay replay = {40, make, change, begin};

    if (argc < 2 || strcmp(argv[1], "corpus") != 0) {
        watch_setup();
        watch_begin();
        LLVMFuzzerInitialize(&argc, &argv);
        watch_hide_stderr(); /* each damage would be logged */
    }
    return replay_main(&replay, argc, argv);
}
