/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_container.c on containers made here; see replaying.h. */
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "replaying.h"

#define BLOCK 512

static void put(struct replay_input *input, const void *data, size_t bytes)
{
    memcpy(input->data + input->bytes, data, bytes);
    input->bytes += bytes;
}

static void put_member(struct replay_input *input, const char *name, char type, const char *text)
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

static void make_tar(struct replay_input *input)
{
    put_member(input, "d/", '5', "");
    put_member(input, "././@LongLink", 'L', "d/a long name");
    put_member(input, "a", '0', "hello");
    put_member(input, "././@PaxHeader", 'x', "15 path=d/name\n9 size=5\n14 mtime=12.5\n");
    put_member(input, "b", '0', "hello");
    put_member(input, "l", '2', "");
    input->bytes += 2 * BLOCK;
}

static void put_record(struct replay_input *input, const char *example, size_t bytes)
{
    lod_put_le64(input->data + input->bytes, bytes);
    input->bytes += 12;
    put(input, example, bytes);
    input->bytes += 4;
}

static void make_tfrecord(struct replay_input *input)
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

static void put_part(struct replay_input *input, unsigned flag, const char *data, unsigned bytes)
{
    lod_put_le32(input->data + input->bytes, 0xced7230a);
    lod_put_le32(input->data + input->bytes + 4, flag << 29 | bytes);
    input->bytes += 8;
    put(input, data, bytes);
    input->bytes = (input->bytes + 3) / 4 * 4;
}

static void make_recordio(struct replay_input *input)
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

/* All inputs of a kind of container are the same before their change. */
static void make(uint64_t number, struct replay_input *input)
{
    static const char list[] = "0\t0.000000\ta/b.jpg  \n7\t1\t2\tc.jpg\r\n\n3\t1\tlast";
    const char *what = TEXT_OF(FUZZ_WHAT);

    (void)number;
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

static void change(struct chance *chance, struct replay_input *input)
{
    static const char bytes[] = "\0\1\3\7\x0a\x12\x20\x7f\x80\xff 07=\nLxgS5\tustar";
    static const struct replay_change how = {bytes, sizeof(bytes), 4, 140};

    replay_change(&how, chance, input);
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 1, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
