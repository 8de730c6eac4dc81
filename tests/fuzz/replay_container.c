/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_container.c as an ordinary test, without libFuzzer: with containers made here, and with
 * random changes of them.
 *   replay_WHAT COUNT [FIRST_SEED]   runs them
 *   replay_WHAT corpus FOLDER        writes the corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "chance.h"

#define INPUT_MAX 8192
#define BLOCK     512

#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct input {
    uint8_t data[INPUT_MAX];
    size_t bytes;
};

static void put(struct input *input, const void *data, size_t bytes)
{
    memcpy(input->data + input->bytes, data, bytes);
    input->bytes += bytes;
}

static void put_member(struct input *input, const char *name, char type, const char *text)
{
    char *block = (char *)input->data + input->bytes;
    const size_t bytes = strlen(text);

    memcpy(block, name, strlen(name));
    snprintf(block + 100, 8, "%07o", 0644);
    snprintf(block + 124, 12, "%011o", (unsigned)bytes & 0xfffu);
    snprintf(block + 136, 12, "%011o", 1234);
    block[156] = type;
    memcpy(block + 257, "ustar\00000", 8);
    memcpy(block + BLOCK, text, bytes);
    input->bytes += BLOCK + (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

static void make_tar(struct input *input)
{
    put_member(input, "d/", '5', "");
    put_member(input, "././@LongLink", 'L', "d/a long name");
    put_member(input, "a", '0', "hello");
    put_member(input, "././@PaxHeader", 'x', "15 path=d/name\n9 size=5\n14 mtime=12.5\n");
    put_member(input, "b", '0', "hello");
    put_member(input, "l", '2', "");
    input->bytes += 2 * BLOCK;
}

static void put_record(struct input *input, const char *example, size_t bytes)
{
    lod_put_le64(input->data + input->bytes, bytes);
    input->bytes += 12;
    put(input, example, bytes);
    input->bytes += 4;
}

static void make_tfrecord(struct input *input)
{
    static const char picture[] = "\x0a\x1d\x0a\x1b\x0a\x0dimage/encoded\x12\x0a\x0a\x08\x0a\x06"
                                  "abcdef";
    static const char two[] = "\x0a\x33\x0a\x1a\x0a\x0eimage/filename\x12\x08\x0a\x06\x0a\x04"
                              "d/bc\x0a\x15\x0a\x05image\x12\x0c\x0a\x0a\x0a\x08"
                              "12345678";

    put_record(input, picture, sizeof(picture) - 1);
    put_record(input, "", 0);
    put_record(input, two, sizeof(two) - 1);
}

static void put_part(struct input *input, unsigned flag, const char *data, unsigned bytes)
{
    lod_put_le32(input->data + input->bytes, 0xced7230a);
    lod_put_le32(input->data + input->bytes + 4, flag << 29 | bytes);
    input->bytes += 8;
    put(input, data, bytes);
    input->bytes = (input->bytes + 3) / 4 * 4;
}

static void make_recordio(struct input *input)
{
    char image[40] = {0};

    image[0] = 2;
    memcpy(image + 32, "picture", 7);
    put_part(input, 0, image, 39);
    put_part(input, 1, image, 4);
    put_part(input, 2, image + 8, 20);
    put_part(input, 2, image, 0);
    put_part(input, 3, image + 8, 31);
    image[0] = 0;
    put_part(input, 0, image, 39);
}

static void make(struct input *input)
{
    static const char list[] = "0\t0.000000\ta/b.jpg  \n7\t1\t2\tc.jpg\r\n\n3\t1\tlast";
    const char *what = TEXT_OF(FUZZ_WHAT);

    memset(input, 0, sizeof(*input));
    if (strcmp(what, "lst") == 0) {
        put(input, list, sizeof(list) - 1);
    } else if (strcmp(what, "tar") == 0) {
        make_tar(input);
    } else if (strcmp(what, "tfrecord") == 0) {
        make_tfrecord(input);
    } else {
        make_recordio(input);
    }
}

static void change(struct chance *chance, struct input *input)
{
    static const uint8_t bytes[] = "\0\1\3\7\x0a\x12\x20\x7f\x80\xff 07=\nLxgS5\tustar";

    for (uint64_t left = chance_below(chance, 6); left > 0 && input->bytes; left--) {
        const size_t at = (size_t)chance_below(chance, input->bytes);
        const size_t step = 4 * (1 + (size_t)chance_below(chance, 140));
        switch (chance_below(chance, 6)) {
        case 0:
            input->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
            break;
        case 1:
        case 2:
            input->data[at] = bytes[chance_below(chance, sizeof(bytes))];
            break;
        case 3:
            input->bytes = at;
            break;
        case 4: /* repeats a part */
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

    make(&input);
    snprintf(path, sizeof(path), "%s/0", folder);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(input.data, 1, input.bytes, file) != input.bytes || fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct input input;

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(argv[2]);
    }
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct chance chance = {.state = seed};
        make(&input);
        change(&chance, &input);
        LLVMFuzzerTestOneInput(input.data, input.bytes);
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
