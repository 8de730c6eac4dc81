/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_table.c as an ordinary test, without libFuzzer: with inputs made here, and with random
 * changes of them.
 *   replay_WHAT COUNT [FIRST_SEED]   runs them
 *   replay_WHAT corpus FOLDER        writes the corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

#define INPUT_MAX 4096

#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct input {
    uint8_t data[INPUT_MAX];
    size_t bytes;
};

static const char *const npy[] = {
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }      \n",
    "{'shape': (9223372036854775807L, 2), 'descr': \"|u1\", 'fortran_order': True}",
    "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }",
};
static const char *const csv[] = {
    "\001a,b,\"c \"\"d\"\r\n1,2.5,red\r\n,-0.0,\"blue\n\"\r\n-1e300,NA,red",
    "\0021;2;3\n4;5;6\n7;8;9\n10;11;12\n",
    "\011\xef\xbb\xbfx\n\n\xff\n?\n",
    ("\004"
     "1,2\n3,4\n5,6\n7,8\n9,10\n"),
};
static const char *const libsvm[] = {
    "\001+1 1:2 3:0.5 # c\r\n-1 2:1e-5 9:inf\n0\n",
    ("\002"
     "0 0:1\n# none\n1 4:1 5:nan 268435455:2\n2 1:0\n"),
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Copies text `number` into `input`, for npy after the head of a .npy file. */
static void take(struct input *input, uint64_t number)
{
    const char *what = TEXT_OF(FUZZ_WHAT);
    const bool header = strcmp(what, "npy") == 0;
    const char *text = header                     ? npy[number % COUNT(npy)]
                       : strcmp(what, "csv") == 0 ? csv[number % COUNT(csv)]
                                                  : libsvm[number % COUNT(libsvm)];
    const size_t bytes = strlen(text), before = header ? 10 : 0;

    *input = (struct input){.bytes = before + bytes};
    memcpy(input->data, "\x93NUMPY\x01\0\0\0", before);
    memcpy(input->data + before, text, bytes);
    if (header) {
        input->data[8] = (uint8_t)bytes;
    }
}

static void change(struct chance *chance, struct input *input)
{
    static const uint8_t bytes[] = "0189,;\t\n\r\"\\#:.+-eE '()[]{}\xff\x80naif?L";

    for (uint64_t left = chance_below(chance, 6); left > 0 && input->bytes; left--) {
        const size_t at = (size_t)chance_below(chance, input->bytes);
        const size_t step = 1 + (size_t)chance_below(chance, 40);
        switch (chance_below(chance, 5)) {
        case 0:
            input->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
            break;
        case 1:
            input->data[at] = bytes[chance_below(chance, sizeof(bytes))];
            break;
        case 2:
            input->bytes = at;
            break;
        case 3: /* repeats a part */
            if (input->bytes + step <= INPUT_MAX && at + step <= input->bytes) {
                memmove(input->data + at + step, input->data + at, input->bytes - at);
                input->bytes += step;
            }
            break;
        default: /* removes a part */
            if (at + step <= input->bytes) {
                memmove(input->data + at, input->data + at + step, input->bytes - at - step);
                input->bytes -= step;
            }
        }
    }
}

static int write_corpus(const char *folder)
{
    struct input input;
    char path[4096];

    for (unsigned i = 0; i < 4; i++) {
        take(&input, i);
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
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct chance chance = {.state = seed};
        take(&input, chance_bits(&chance));
        change(&chance, &input);
        LLVMFuzzerTestOneInput(input.data, input.bytes);
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
