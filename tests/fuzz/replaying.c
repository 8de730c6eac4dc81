/* SPDX-License-Identifier: Apache-2.0 */
/* See replaying.h. */
#include "replaying.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"

static void repeat_part(struct replay_input *input, size_t at, size_t bytes)
{
    if (input->bytes + bytes <= REPLAY_BYTES_MAX && at + bytes <= input->bytes) {
        memmove(input->data + at + bytes, input->data + at, input->bytes - at);
        input->bytes += bytes;
    }
}

static void remove_part(struct replay_input *input, size_t at, size_t bytes)
{
    if (at + bytes <= input->bytes) {
        memmove(input->data + at, input->data + at + bytes, input->bytes - at - bytes);
        input->bytes -= bytes;
    }
}

void replay_change(const struct replay_change *how, struct chance *chance,
                   struct replay_input *input)
{
    for (uint64_t left = chance_below(chance, 6); left > 0 && input->bytes; left--) {
        const size_t at = (size_t)chance_below(chance, input->bytes);
        const size_t part = how->part * (1 + (size_t)chance_below(chance, how->parts_max));
        switch (chance_below(chance, 6)) {
        case 0:
            input->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
            break;
        case 1:
        case 2:
            input->data[at] = (uint8_t)how->bytes[chance_below(chance, how->count)];
            break;
        case 3:
            input->bytes = at;
            break;
        case 4:
            repeat_part(input, at, part);
            break;
        default:
            remove_part(input, at, part);
        }
    }
}

int replay_save(const char *folder, unsigned number, const void *data, size_t bytes)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%u", folder, number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

static void make(const struct replay *replay, uint64_t number, struct replay_input *input)
{
    memset(input, 0, sizeof(*input));
    replay->make(number, input);
}

/* The target gets a heap block of the exact size, so that AddressSanitizer sees a read past it. */
static void run(const struct replay_input *input)
{
    uint8_t *exact = malloc(input->bytes + !input->bytes);

    if (!exact) {
        abort();
    }
    memcpy(exact, input->data, input->bytes);
    LLVMFuzzerTestOneInput(exact, input->bytes);
    free(exact);
}

static int write_corpus(const struct replay *replay, const char *folder)
{
    static struct replay_input input;
    int failed = 0;

    for (unsigned i = 0; i < replay->corpus && !failed; i++) {
        make(replay, i, &input);
        failed = replay_save(folder, i, input.data, input.bytes);
    }
    return failed;
}

int replay_main(const struct replay *replay, int argc, char **argv)
{
    static struct replay_input input;

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(replay, argv[2]);
    }
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const struct share mine = argc > 2 ? (struct share){1, 1} : share();
    const uint64_t first = from + count * (mine.number - 1) / mine.of;
    const uint64_t end = from + count * mine.number / mine.of;
    for (uint64_t seed = first; seed < end; seed++) {
        struct chance chance = {.state = seed};
        if (replay->begin) {
            replay->begin(seed);
        }
        make(replay, chance_bits(&chance), &input);
        replay->change(&chance, &input);
        run(&input);
    }
    printf("%" PRIu64 " inputs\n", end - first);
    return 0;
}
