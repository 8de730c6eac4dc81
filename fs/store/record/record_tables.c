/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the rows, the hashes and the end of each segment from a record's metadata. Path entries are
 * checked, then dropped. FORMAT.md, Record.
 *
 * Memory for an item: 64 bytes (row), 4 (first frame), 8 for each frame, and 4 for the end of each
 * segment. With a single group, which alone may exceed 2^32 bytes, the end takes 8. An item of 11
 * groups with one frame each takes 204 bytes, a raw one with one frame 84.
 */
#include "record/record_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"
#include "backend/name.h"
#include "sample/item_label.h"
#include "sample/magic_list.h"

/* Counts the frames of one item. Adds its segments to `sums` and checks them against the groups. */
static int add_item(const struct lod_record_desc *recd, const uint8_t *row,
                    uint64_t sums[LOD_GROUPS_MAX], uint64_t *ret_frames)
{
    uint64_t bytes[LOD_GROUPS_MAX], frames = 0;

    if (lod_row_own_node(row)) {
        return -EILSEQ;
    }
    int error = lod_codec_segments(lod_codec_find(recd->codec), row, bytes);
    if (error) {
        return error;
    }
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        if (bytes[g] > recd->group_bytes[g] - sums[g]) {
            return -EILSEQ;
        }
        sums[g] += bytes[g];
        frames += lod_frames_of(bytes[g], recd->frame_shift);
    }
    *ret_frames = frames; /* at most 12 x 2^40 / 2^16 */
    return 0;
}

static void keep_sums(struct lod_record_tables *tables, const struct lod_record_desc *recd,
                      uint32_t slot, const uint64_t *sums)
{
    if (tables->ends64) {
        tables->ends64[slot] = sums[0];
        return;
    }
    for (unsigned g = 0; g < recd->groups; g++) {
        tables->ends32[(size_t)g * recd->items + slot] = (uint32_t)sums[g];
    }
}

/* Walks the rows: computes segment ends and frame numbers. *ret_frames is the number of hashes that
 * must follow. */
static int index_rows(struct lod_record_tables *tables, const struct lod_record_desc *recd,
                      uint64_t *ret_frames)
{
    const uint64_t frames_max = recd->metadata_bytes / 8;
    uint64_t sums[LOD_GROUPS_MAX] = {0}, frames = 0, more = 0;

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        tables->first_frame[slot] = (uint32_t)frames;
        int error = add_item(recd, tables->rows + (size_t)slot * LOD_ROW_BYTES, sums, &more);
        if (error) {
            return error;
        }
        frames += more;
        if (frames > frames_max) {
            return -EILSEQ;
        }
        keep_sums(tables, recd, slot, sums);
    }
    if (memcmp(sums, recd->group_bytes, sizeof(sums)) != 0) {
        return -EILSEQ;
    }
    *ret_frames = frames;
    return 0;
}

/* *magics: words of all lists so far. */
static int check_path_entry(const struct lod_record_desc *recd, const uint8_t *row,
                            struct lod_cursor *c, uint32_t *magics)
{
    struct lod_magics list = {0};
    int32_t label;
    uint16_t mode = lod_take_le16(c);
    uint16_t path_bytes = lod_take_le16(c);
    uint32_t node_flags = lod_take_le32(c);
    lod_take(c, 8); /* mtime */
    const uint8_t *path = lod_take(c, path_bytes);

    if (!path || (mode & ~0777u) || (node_flags & ~LOD_NODE_OF_FILE) ||
        (path_bytes == 0) != (recd->codec == LOD_CODEC_TREE) ||
        !lod_path_valid((const char *)path, path_bytes)) {
        return -EILSEQ;
    }
    const uint8_t more = lod_row_flags(row) & (LOD_ITEM_HAS_LABEL | LOD_ITEM_HAS_MAGIC);
    int error = more && recd->codec == LOD_CODEC_TREE ? -EILSEQ : 0;
    if (!error && more & LOD_ITEM_HAS_LABEL) {
        error = lod_item_label_take(c, &label);
    }
    if (!error && more & LOD_ITEM_HAS_MAGIC) {
        error = lod_magics_take(c, &list);
    }
    *magics += list.count;
    return error || *magics <= LOD_MAGICS_RECORD_MAX ? error : -EILSEQ;
}

/* Checks the offsets. After the hashes there is one path entry for each slot, without gaps, to the
 * very end. */
static int check_paths(const struct lod_record_desc *recd, const uint8_t *metadata,
                       size_t hashes_at, uint64_t frames)
{
    const uint64_t start = hashes_at + frames * 8;
    struct lod_cursor offsets =
        lod_cursor(metadata + (size_t)recd->items * LOD_ROW_BYTES, (size_t)recd->items * 4);

    if (start > recd->metadata_bytes) {
        return -EILSEQ;
    }
    uint32_t magics = 0;
    struct lod_cursor c = lod_cursor(metadata + start, recd->metadata_bytes - (size_t)start);
    for (uint32_t slot = 0; slot < recd->items; slot++) {
        if (lod_take_le32(&offsets) != recd->metadata_bytes - c.left) {
            return -EILSEQ;
        }
        int error = check_path_entry(recd, metadata + (size_t)slot * LOD_ROW_BYTES, &c, &magics);
        if (error) {
            return error;
        }
    }
    return c.left == 0 ? 0 : -EILSEQ;
}

static int create(struct lod_record_tables *tables, const struct lod_record_desc *recd)
{
    const size_t items = recd->items;
    const size_t sums = recd->groups == 1 ? items * 8 : items * 4 * recd->groups;

    tables->rows = malloc(items * LOD_ROW_BYTES);
    tables->first_frame = malloc(items * 4);
    if (recd->groups == 1) {
        tables->ends64 = malloc(sums);
    } else {
        tables->ends32 = malloc(sums);
    }
    tables->memory = items * (LOD_ROW_BYTES + 4) + sums;
    bool all = tables->rows && tables->first_frame && (tables->ends64 || tables->ends32);
    return all ? 0 : -ENOMEM;
}

int lod_record_tables_take(struct lod_record_tables *tables, const struct lod_record_desc *recd,
                           const uint8_t *metadata)
{
    const size_t hashes_at = (size_t)recd->items * (LOD_ROW_BYTES + 4);
    uint64_t frames = 0;

    int error = create(tables, recd);
    if (error) {
        return error;
    }
    memcpy(tables->rows, metadata, (size_t)recd->items * LOD_ROW_BYTES);
    error = index_rows(tables, recd, &frames);
    error = error ? error : check_paths(recd, metadata, hashes_at, frames);
    if (error) {
        return error;
    }
    tables->hashes = malloc((size_t)frames * 8 + 1);
    if (!tables->hashes) {
        return -ENOMEM;
    }
    memcpy(tables->hashes, metadata + hashes_at, (size_t)frames * 8);
    tables->memory += (size_t)frames * 8;
    return 0;
}

void lod_record_tables_finish(struct lod_record_tables *tables)
{
    free(tables->rows);
    free(tables->hashes);
    free(tables->first_frame);
    free(tables->ends64);
    free(tables->ends32);
}
