/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_lists.c on metadata and texts made here; see replaying.h. */
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"
#include "replaying.h"

#define CODEC_PCR 1u
#define CODEC_RAW 4u
#define SOURCE_AT 12u /* of a WHOLE row of pcr: source bytes, and group 12 */
#define FILE_AT   60u

static void put(struct replay_input *input, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        input->data[input->bytes++] = (uint8_t)(value >> (8 * i));
    }
}

static void put_row(struct replay_input *input, unsigned codec, unsigned slot)
{
    uint8_t *row = input->data + input->bytes;

    row[0] = (uint8_t)((slot & 1 ? LOD_ITEM_HAS_LABEL : 0) | (slot & 2 ? LOD_ITEM_HAS_MAGIC : 0));
    if (codec == CODEC_PCR) {
        row[0] |= LOD_ITEM_WHOLE;
        lod_put_le32(row + SOURCE_AT, 1000 + slot);
        lod_put_le32(row + FILE_AT, 1000 + slot);
    } else {
        lod_put_le64(row + 8, slot * 70000);
    }
    input->bytes += LOD_ROW_BYTES;
}

static void put_entry(struct replay_input *input, unsigned slot)
{
    char path[16];
    const int bytes = snprintf(path, sizeof(path), "d/%u.jpg", slot);

    put(input, 0644, 2);
    put(input, (uint64_t)bytes, 2);
    put(input, 0, 4);
    put(input, 12, 8);
    memcpy(input->data + input->bytes, path, (size_t)bytes);
    input->bytes += (size_t)bytes;
    if (slot & 1) {
        put(input, slot - 1, 4);
    }
    if (slot & 2) {
        put(input, slot == 2 ? 0xffff : slot, 2);
        for (unsigned i = 0; slot != 2 && i < slot; i++) {
            put(input, 5 * i, 4);
            put(input, 1 + i, 2);
        }
    }
}

/* The target corrects offsets, and does not check hashes. */
static void make_metadata(uint64_t number, struct replay_input *input)
{
    const unsigned codec = number % 2 ? CODEC_PCR : CODEC_RAW, items = 1 + number % 8;

    put(input, codec, 1);
    put(input, items - 1, 1);
    for (unsigned i = 0; i < items; i++) {
        put_row(input, codec, i);
    }
    input->bytes += 4 * (size_t)items;
    for (unsigned i = 0; i < items; i++) {
        const unsigned bytes = codec == CODEC_PCR ? 1000 : i * 70000;
        input->bytes += 8 * (size_t)((bytes + 65535) / 65536);
    }
    for (unsigned i = 0; i < items; i++) {
        put_entry(input, i);
    }
}

static void make(uint64_t number, struct replay_input *input)
{
    static const char text[] = "a/1.jpg\t7\r\n\n0\t  -1.000000\tb.jpg   \n./b.jpg\t2147483647";

    if (strcmp(TEXT_OF(FUZZ_WHAT), "lists") == 0) {
        make_metadata(number, input);
    } else {
        memcpy(input->data, text, sizeof(text) - 1);
        input->bytes = sizeof(text) - 1 - (number % 2 ? 0 : sizeof("./b.jpg\t2147483647"));
    }
}

static void change(struct chance *chance, struct replay_input *input)
{
    static const char bytes[] = "\0\1\2\3\4\x08\x10\x7f\x80\x88\xff ab.jpg/-\t\n\r012789";
    static const struct replay_change how = {bytes, sizeof(bytes), 1, 24};

    replay_change(&how, chance, input);
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 8, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
