/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec raw shows the same file at every fidelity. It stores the bytes as they are, or in
 * compressed units, which raw_units.c decodes. The codec tree has the same layout without units,
 * and stores one item, the tree list: folders, links and hard links, which no other item holds.
 * Copy this file to write a new codec. FORMAT.md, ITEM, columns raw and tree.
 */
#include "raw_row.h"

#include <errno.h>

/*
 * Frames are 64 KiB, so that a random 4 KiB read of a large file reads and checks only one. Their
 * hashes take 8 bytes each. Above 2^19 frames the hashes would pass 4 MiB, so larger frames are
 * used.
 */
#define FRAME_SHIFT_MIN 16
#define FRAME_SHIFT_MAX 22
#define FRAMES_MAX      ((uint64_t)1 << 19)

static uint8_t frame_shift(uint64_t bytes)
{
    uint8_t shift = FRAME_SHIFT_MIN;

    while (shift < FRAME_SHIFT_MAX && bytes >> shift >= FRAMES_MAX) {
        shift++;
    }
    return shift;
}

static uint64_t source_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    return lod_get_le64(row + LOD_RAW_AT_LENGTH);
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    struct lod_raw_row r;
    int error = lod_raw_row_read(row, &r);

    if (!error) {
        memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
        ret_bytes[0] = r.stored;
    }
    return error;
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    struct lod_plan made;
    struct lod_raw_row r;
    int error = lod_raw_row_read(row, &r);

    (void)format;
    (void)fidelity;
    lod_plan_begin(&made);
    if (!error) {
        error = r.units ? lod_plan_add_made(&made, 0, 0, r.bytes)
                        : lod_plan_add_stored(&made, 1, 0, r.bytes);
    }
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error == -EOVERFLOW ? -EILSEQ : error;
}

static int tree_segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    return row[LOD_RAW_AT_STORAGE] == LOD_RAW_PLAIN ? segments(row, ret_bytes) : -EILSEQ;
}

static int tree_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                     enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    return row[LOD_RAW_AT_STORAGE] == LOD_RAW_PLAIN ? plan(row, format, fidelity, ret_plan)
                                                    : -EILSEQ;
}

const struct lod_codec lod_codec_raw = {
    .name = "raw",
    .id = LOD_CODEC_RAW,
    .groups = 1,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = source_bytes,
    .plan = plan,
    .maker = &lod_raw_maker,
};

const struct lod_codec lod_codec_tree = {
    .name = "tree",
    .id = LOD_CODEC_TREE,
    .groups = 1,
    .frame_shift = frame_shift,
    .segments = tree_segments,
    .source_bytes = source_bytes,
    .plan = tree_plan,
};
