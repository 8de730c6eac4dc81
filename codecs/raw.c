/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec raw stores a file's bytes as they are, at every fidelity. The codec tree has the same
 * layout and stores one item, the tree list: folders, links and hard links, which no other item
 * holds. Copy this file to write a new codec. FORMAT.md, ITEM, columns raw and tree.
 */
#include "codec.h"

#include <errno.h>
#include <stdbool.h>

#define ROW_LENGTH 8 /* a u64 */

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
    return lod_get_le64(row + ROW_LENGTH);
}

static bool flags_are_known(const uint8_t row[LOD_ROW_BYTES])
{
    return !(lod_row_flags(row) & ~(LOD_ITEM_HAS_MAGIC | LOD_ITEM_HAS_LABEL));
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    uint64_t length = source_bytes(row);

    for (unsigned i = 1; i < LOD_ROW_BYTES; i++) {
        bool used = (i >= 4 && i < 16);
        if (!used && row[i]) {
            return -EILSEQ;
        }
    }
    if (!flags_are_known(row) || length > INT64_MAX) {
        return -EILSEQ;
    }
    memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
    ret_bytes[0] = length;
    return 0;
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    struct lod_plan made;

    (void)format;
    (void)fidelity;
    lod_plan_begin(&made);
    int error =
        flags_are_known(row) ? lod_plan_add_stored(&made, 1, 0, source_bytes(row)) : -EILSEQ;
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error == -EOVERFLOW ? -EILSEQ : error;
}

const struct lod_codec lod_codec_raw = {
    .name = "raw",
    .id = LOD_CODEC_RAW,
    .groups = 1,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = source_bytes,
    .plan = plan,
};

const struct lod_codec lod_codec_tree = {
    .name = "tree",
    .id = LOD_CODEC_TREE,
    .groups = 1,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = source_bytes,
    .plan = plan,
};
