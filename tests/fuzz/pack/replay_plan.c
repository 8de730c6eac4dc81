/* SPDX-License-Identifier: Apache-2.0 */
/* Replays fuzz_plan.c on a plan with sources of each role; see replaying.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"
#include "encoder.h"
#include "pack/parts/plan_file.h"
#include "pack/parts/plan_format.h"
#include "replaying.h"

#define FILES   12u
#define SOURCES (FILES + 6)

static void put(struct replay_input *input, uint64_t value, unsigned bytes)
{
    lod_put_le(input->data + input->bytes, bytes, value);
    input->bytes += bytes;
}

static void put_text(struct replay_input *input, const char *text)
{
    const size_t bytes = strlen(text);

    put(input, bytes, 2);
    memcpy(input->data + input->bytes, text, bytes);
    input->bytes += bytes;
}

/* The beginning of a source, which all roles have. `shared` bytes are those of the path before. */
static void put_source(struct replay_input *input, const char *path, size_t shared, uint8_t role,
                       uint8_t flags)
{
    put(input, shared, 2);
    put_text(input, path + shared);
    put(input, role, 1);
    put(input, flags, 1);
    put(input, 0644, 2);
    put(input, 77, 8);
}

static void put_container(struct replay_input *input)
{
    put(input, 1, 4);
    put(input, 0, 2);
    put_text(input, "a.tar");
    put(input, 1 << 20, 8);
    put(input, 78, 8);
}

/* A head, and the rest in two runs; with a sum. */
static void put_place(struct replay_input *input, uint64_t bytes)
{
    const struct {
        uint64_t value;
        unsigned bytes;
    } fields[] = {{0, 4},    {7, 4},   {512, 8},  {1, 1},        {0x12345678, 4},
                  {1024, 8}, {100, 8}, {2, 1},    {0xd8ff, 2},   {2, 4},
                  {1024, 8}, {1, 8},   {1025, 8}, {bytes - 3, 8}};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        put(input, fields[i].value, fields[i].bytes);
    }
}

static void put_files(struct replay_input *input, uint64_t number)
{
    char path[32];

    for (unsigned i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "f/%02u.jpg", i);
        put_source(input, path,
                   i == 0   ? 1
                   : i % 10 ? 3
                            : 2,
                   LOD_SOURCE_FILE,
                   i == 3   ? LOD_PLAN_NAMES
                   : i == 5 ? LOD_PLAN_PLACED
                            : 0);
        put(input, 1000 + i, 8);
        put(input, lod_encoder_class(i < FILES / 2 ? &lod_encoder_pcr : &lod_encoder_raw), 1);
        if (i == 3) {
            put(input, 2, 4);
        }
        if (number % 2) {
            put(input, i, 4);
        }
        if (i == 5) {
            put_place(input, 1000 + i);
        }
    }
}

/* The root, a folder, files, an added file of the second table, and each other role. */
static void put_sources(struct replay_input *input, uint64_t number)
{
    put(input, SOURCES, 4);
    put_source(input, "", 0, LOD_SOURCE_FOLDER, 0);
    put_source(input, "f", 0, LOD_SOURCE_FOLDER, LOD_PLAN_SPLIT);
    put_files(input, number);
    put_source(input, "g", 0, LOD_SOURCE_EQUAL, 0);
    put(input, 1003, 8);
    put(input, 2 + 3, 4);
    put_source(input, "h", 0, LOD_SOURCE_HARD_LINK, 0);
    put(input, 1003, 8);
    put(input, 2 + FILES, 4);
    put_source(input, "i", 0, LOD_SOURCE_SYMLINK, 0);
    put_text(input, "f/00.jpg");
    put_source(input, "j", 0, LOD_SOURCE_LEFT_OUT, LOD_PLAN_SPECIAL);
    put_text(input, "a socket");
}

static void put_order(struct replay_input *input)
{
    put(input, 65536, 8);
    put(input, 2, 4);
    put(input, 4, 4);
    for (unsigned r = 0; r < 4; r++) {
        put(input, r < 2 ? LOD_CODEC_PCR : LOD_CODEC_RAW, 1);
        put(input, r, 4);
        put(input, FILES / 4, 4);
        put(input, 1000 * (uint64_t)(r + 1), 8);
    }
    put(input, FILES, 4);
    for (unsigned i = 0; i < FILES; i++) {
        put(input, 2 + (i < FILES / 2 ? FILES / 2 - 1 - i : i), 4);
    }
}

static void put_scans(struct replay_input *input)
{
    const size_t at = input->bytes;

    put(input, 0, 4);
    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        put(input, 1, 1);
        put(input, strlen("default"), 1);
        memcpy(input->data + input->bytes, "default", strlen("default"));
        input->bytes += strlen("default");
    }
    put(input, 2, 4);
    memcpy(input->data + input->bytes, "{}", 2);
    input->bytes += 2;
    input->bytes += 8; /* photographs */
    input->bytes += 8 * (3 * LOD_SCRIPT_GROUPS + (1 + LOD_SCRIPT_GROUPS) * LOD_PHOTO_FEATURES);
    lod_put_le32(input->data + at, (uint32_t)(input->bytes - at - 4));
}

static void make(uint64_t number, struct replay_input *input)
{
    memcpy(input->data, "LODFSPP3", 8);
    input->bytes = LOD_FRAMED_FILE_HEAD;
    put_text(input, "lodfs 1\n--seed=0\n");
    put(input, 5, 8);
    input->bytes += 8 * LOD_PLAN_FACTS;
    put(input, number % 2, 1);
    put(input, 1, 4);
    put(input, 2, 4);
    put(input, 3, 4);
    put(input, 1, 1);
    put(input, 0, 1);
    put_order(input);
    put_scans(input);
    put_container(input);
    put_sources(input, number);
}

static void change(struct chance *chance, struct replay_input *input)
{
    static const char bytes[] = "\0\1\2\3\4\5\x08\x0f\x10\x7f\x80\xff af/.j";
    static const struct replay_change how = {bytes, sizeof(bytes), 1, 24};

    replay_change(&how, chance, input);
}

int main(int argc, char **argv)
{
    static const struct replay replay = {.corpus = 4, .make = make, .change = change};
    struct replay_input *input = calloc(1, sizeof(*input));

    if (!input) {
        return 1;
    }
    make(1, input); /* a plan that no target accepts would try nothing */
    struct lod_pack_plan plan = {0};
    struct lod_pack_plan_sources sources = {0};
    struct lod_buf file = {0};
    int error = lod_buf_append(&file, input->data, input->bytes);
    error = error ? error : lod_pack_plan_take(&file, &plan);
    error =
        error ? error
              : lod_pack_plan_take_sources(&plan, 0, (uint32_t)plan.order.records_count, &sources);
    const bool sound = !error && sources.list.count == SOURCES;
    lod_pack_plan_sources_finish(&sources);
    lod_pack_plan_finish(&plan);
    free(input);
    if (!sound) {
        fputs("the plan that is changed is not sound\n", stderr);
        return 1;
    }
    return replay_main(&replay, argc, argv);
}
