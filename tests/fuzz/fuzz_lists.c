/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for labels and lists of items; FUZZ_WHAT is `lists`, the metadata of a record
 * with labels and lists of magic words, or `labels`, a file for pack --labels. Any bytes give an
 * error, or path entries that lie in the metadata and labels in their range. Sums and offsets are
 * corrected first, as few random inputs would have right ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack/plan/labels.h"
#include "record/metadata.h"
#include "record/record_tables.h"
#include "replaying.h"
#include "sample/item_label.h"

#define ITEMS_MAX   16u
#define SHIFT       16u /* of frames */
#define ENTRY_BYTES 16u
#define HEAD_BYTES  2u /* codec, items */

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* ----------------------------------------------------------------------------- metadata */

/* Sets the groups of `recd` to the sums of the rows, and returns how many frames these have;
 * UINT64_MAX if a row is malformed. */
static uint64_t seal_rows(struct lod_record_desc *recd, uint8_t *rows)
{
    uint64_t bytes[LOD_GROUPS_MAX], frames = 0;

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        lod_put_le32(rows + (size_t)slot * LOD_ROW_BYTES + 4, 0);
        if (lod_codec_segments(lod_codec_find(recd->codec), rows + (size_t)slot * LOD_ROW_BYTES,
                               bytes)) {
            return UINT64_MAX;
        }
        for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
            recd->group_bytes[g] += bytes[g];
            frames += lod_frames_of(bytes[g], SHIFT);
        }
    }
    return frames;
}

/* Sets the offsets of path entries, as far as their bytes lead from one to the next. */
static void seal_offsets(const struct lod_record_desc *recd, uint8_t *metadata, size_t at)
{
    for (uint32_t slot = 0; slot < recd->items && recd->metadata_bytes - at >= ENTRY_BYTES;
         slot++) {
        const uint8_t flags = lod_row_flags(metadata + (size_t)slot * LOD_ROW_BYTES);
        lod_put_le32(metadata + (size_t)recd->items * LOD_ROW_BYTES + 4 * slot, (uint32_t)at);
        at += ENTRY_BYTES + lod_get_le16(metadata + at + 2);
        at += flags & LOD_ITEM_HAS_LABEL ? LOD_ITEM_LABEL_BYTES : 0;
        if (flags & LOD_ITEM_HAS_MAGIC && at + 2 <= recd->metadata_bytes) {
            const unsigned count = lod_get_le16(metadata + at);
            at += 2 + (count == LOD_MAGICS_TOO_MANY ? 0 : (size_t)LOD_MAGIC_ENTRY_BYTES * count);
        }
        if (at > recd->metadata_bytes) {
            break;
        }
    }
}

/* The entry begins at *at, where the one before it ends, and says what is legal. */
static void check_entry(const struct lod_metadata *metadata, uint32_t slot, size_t *at,
                        struct lod_buf *lists)
{
    const uint8_t *row = metadata->bytes + (size_t)slot * LOD_ROW_BYTES;
    struct lod_path_entry entry;
    int64_t before = -1;

    require(lod_metadata_path(metadata, slot, &entry) == 0, "a sound entry cannot be read");
    const uint8_t *path = (const uint8_t *)entry.path;
    require(path == metadata->bytes + *at + ENTRY_BYTES, "there is a gap before an entry");
    *at += ENTRY_BYTES + entry.path_bytes + entry.magics.list.bytes +
           (lod_row_has_label(row) ? LOD_ITEM_LABEL_BYTES : 0);
    require(*at <= metadata->bytes_count, "an entry lies outside of the metadata");
    require(lod_row_has_label(row) ? entry.label >= -1 : entry.label == -1, "an illegal label");
    require(!(lod_row_flags(row) & LOD_ITEM_HAS_MAGIC) == (entry.magics.list.bytes == 0),
            "a list without its flag");
    for (uint32_t i = 0; i < entry.magics.count; i++) {
        const struct lod_magic magic = lod_magics_at(&entry.magics, i);
        require(magic.word > before && magic.fidelities, "a list is not ascending");
        before = magic.word;
    }
    require(lod_buf_append(lists, entry.magics.list.at, entry.magics.list.bytes) == 0, "memory");
}

/* From the lists of all slots together, each slot gets its own list back. */
static void check_lists(const struct lod_metadata *metadata, const struct lod_buf *lists)
{
    struct lod_path_entry entry;
    struct lod_magics found;

    for (uint32_t slot = 0; slot < metadata->items; slot++) {
        require(lod_metadata_path(metadata, slot, &entry) == 0 &&
                    lod_magics_find(metadata->bytes, slot, lod_buf_span(lists), &found) == 0,
                "a list is lost");
        require(found.count == entry.magics.count && found.too_many == entry.magics.too_many,
                "a slot has the list of another");
    }
}

static void check_all(const struct lod_record_desc *recd, uint8_t *bytes)
{
    struct lod_metadata metadata = {.bytes = bytes,
                                    .bytes_count = recd->metadata_bytes,
                                    .items = recd->items,
                                    .codec = recd->codec};
    struct lod_buf lists = {0};

    metadata.paths_at = lod_get_le32(bytes + (size_t)recd->items * LOD_ROW_BYTES);
    size_t at = metadata.paths_at;
    for (uint32_t slot = 0; slot < recd->items; slot++) {
        check_entry(&metadata, slot, &at, &lists);
    }
    require(at == recd->metadata_bytes, "bytes follow the last entry");
    check_lists(&metadata, &lists);
    lod_buf_finish(&lists);
}

static void try_lists(const uint8_t *data, size_t bytes)
{
    struct lod_record_desc recd = {.frame_shift = SHIFT};
    struct lod_record_tables tables = {0};

    if (bytes < HEAD_BYTES) {
        return;
    }
    recd.codec = data[0] % LOD_CODECS;
    recd.items = 1 + data[1] % ITEMS_MAX;
    recd.groups = lod_codec_find(recd.codec)->groups;
    recd.metadata_bytes = (uint32_t)(bytes - HEAD_BYTES);
    const size_t hashes = (size_t)recd.items * (LOD_ROW_BYTES + 4);
    if (recd.metadata_bytes < hashes + ENTRY_BYTES * recd.items) {
        return; /* RECD says so, and is refused */
    }
    uint8_t *copy = malloc(recd.metadata_bytes); /* of the exact size, for sanitizers */
    require(copy != NULL, "no memory");
    memcpy(copy, data + HEAD_BYTES, recd.metadata_bytes);
    const uint64_t frames = seal_rows(&recd, copy);
    if (frames < (recd.metadata_bytes - hashes) / 8) {
        seal_offsets(&recd, copy, hashes + (size_t)frames * 8);
    }
    const int error = lod_record_tables_take(&tables, &recd, copy);
    require(error == 0 || error == -EILSEQ, "an unknown error");
    if (!error) {
        check_all(&recd, copy);
    }
    lod_record_tables_finish(&tables);
    free(copy);
}

/* ------------------------------------------------------------------------------- labels */

static void try_labels(const uint8_t *data, size_t bytes)
{
    static const char *const paths[] = {"", "a", "a/1.jpg", "b.jpg", "c.txt"};
    struct lod_source_list list = {0};
    struct lod_labels labels = {.name = "x"};
    uint32_t files[] = {2, 3};
    struct lod_order_record record = {.codec = &lod_codec_pcr, .count = 2};
    const struct lod_order order = {
        .files = files, .files_count = 2, .records = &record, .records_count = 1};
    struct lod_first_error *first_error = malloc(sizeof(*first_error));

    require(first_error != NULL && lod_buf_append(&labels.text, data, bytes) == 0, "no memory");
    lod_first_error_init(first_error, false);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const struct lod_source source = {
            .path = paths[i], .role = i < 2 ? LOD_SOURCE_FOLDER : LOD_SOURCE_FILE, .names = 1};
        require(lod_source_list_add(&list, &source) == 0, "no memory");
    }
    const int error = lod_labels_find(&labels, &list, &order, first_error);
    require(error == 0 || (error == -EINVAL && strncmp(first_error->text, "x: line ", 8) == 0),
            "a list is refused without a line");
    for (size_t i = 0; !error && i < list.count; i++) {
        require(i == 2 || i == 3 ? labels.at[i] >= -1 : labels.at[i] == -1, "an illegal label");
    }
    lod_labels_finish(&labels);
    lod_first_error_finish(first_error);
    free(first_error);
    lod_source_list_finish(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (strcmp(TEXT_OF(FUZZ_WHAT), "lists") == 0) {
        try_lists(data, bytes);
    } else {
        try_labels(data, bytes);
    }
    return 0;
}
