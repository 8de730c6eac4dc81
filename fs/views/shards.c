/* SPDX-License-Identifier: Apache-2.0 */
/* See shards.h. Rows are in order of splits, and their sums ascend, so searches are binary. */
#include "views/shards.h"

#include <errno.h>

#include "views/view.h"

int lod_shard_sums(struct lod_dataset *dataset, uint32_t row, struct lod_sums_row *ret_sums)
{
    int error = lod_index_sums(lod_dataset_index(dataset), row, ret_sums);

    return error ? lod_dataset_sums_failed(dataset, row, error) : 0;
}

/* A row that contradicts its neighbours means that the index is damaged, not that a file is
 * missing. */
static int fail(struct lod_dataset *dataset, uint32_t row, int error)
{
    return lod_dataset_sums_failed(dataset, row, error == -ENOENT ? -EILSEQ : error);
}

/* Returns the first row of a split, or the place where it would stand. */
static int first_row(struct lod_dataset *dataset, uint64_t split, uint32_t *ret_row)
{
    uint32_t low = 0, high = lod_index_sums_rows(lod_dataset_index(dataset));
    struct lod_sums_row sums;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        int error = lod_shard_sums(dataset, middle, &sums);
        if (error) {
            return error;
        }
        if (sums.split < split) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_row = low;
    return 0;
}

int lod_shard_rows_of(struct lod_dataset *dataset, uint32_t split, uint32_t *ret_first,
                      uint32_t *ret_closing)
{
    uint32_t first, next;
    int error = first_row(dataset, split, &first);

    error = error ? error : first_row(dataset, (uint64_t)split + 1, &next);
    if (error || first == next) {
        return error ? error : -ENOENT;
    }
    *ret_first = first;
    *ret_closing = next - 1;
    return 0;
}

/* The differences of two rows, of which the later one is `end`. */
static int subtract(struct lod_dataset *dataset, struct lod_shard *shard, uint32_t end)
{
    struct lod_sums_row from, to;
    unsigned column;

    int error = lod_shard_sums(dataset, shard->first_row, &from);
    error = error ? error : lod_shard_sums(dataset, end, &to);
    if (error || !lod_framing_of(shard->framing->format, &column)) {
        return error ? fail(dataset, shard->first_row, error) : -ENOENT;
    }
    const uint64_t start = from.bytes[column][shard->fidelity - 1];
    const uint64_t stop = to.bytes[column][shard->fidelity - 1];
    if (to.split != from.split || to.leads[0] <= from.leads[0] ||
        to.leads[column] < from.leads[column] || stop < start ||
        stop - start > (uint64_t)INT64_MAX - shard->framing->trailer_bytes) {
        return fail(dataset, shard->first_row, -EILSEQ);
    }
    shard->split = from.split;
    shard->first_lead = from.leads[column];
    shard->leads = to.leads[column] - from.leads[column];
    shard->all = shard->leads == to.leads[0] - from.leads[0]; /* tar takes all */
    shard->path_room = from.longest_path;
    shard->class_bytes = from.class_bytes;
    shard->start = start;
    shard->sample_bytes = stop - start;
    shard->end_row = end;
    return shard->path_room <= LOD_PATH_MAX ? 0 : fail(dataset, shard->first_row, -EILSEQ);
}

int lod_shard_find(struct lod_dataset *dataset, const struct lod_framing *framing,
                   enum lod_fidelity fidelity, struct lod_shard_file file,
                   struct lod_shard *ret_shard)
{
    const struct lod_framed_lines *lines = framing->lines[file.kind];
    const bool whole = lod_shard_is_whole(framing, file);
    struct lod_shard shard = {.framing = framing,
                              .fidelity = fidelity,
                              .kind = file.kind,
                              .first_row = file.row,
                              .part = file.part};
    struct lod_sums_row at;
    uint32_t closing;

    if (file.row >= lod_index_sums_rows(lod_dataset_index(dataset)) ||
        !lod_framed_ending(framing, file.kind)) {
        return -ENOENT;
    }
    int error = lod_shard_sums(dataset, file.row, &at);
    if (error || (at.record == LOD_SUMS_CLOSING) != whole) {
        return error ? error : -ENOENT;
    }
    if (whole) {
        error = lod_shard_rows_of(dataset, at.split, &shard.first_row, &closing);
        error = error || closing == file.row ? error : -EILSEQ;
    }
    error = error ? fail(dataset, file.row, error) : subtract(dataset, &shard, file.row + !whole);
    if (file.kind == LOD_FRAMED_CLASSES) {
        shard.part = (struct lod_store_part){0}; /* classes are the same in all parts */
    }
    if (error || (file.kind == LOD_FRAMED_CLASSES && shard.class_bytes == 0)) {
        return error ? error : -ENOENT;
    }
    shard.bytes = file.kind == LOD_FRAMED_CLASSES ? shard.class_bytes
                  : lines ? shard.leads * lod_line_bytes(lines, shard.path_room)
                          : shard.sample_bytes + framing->trailer_bytes;
    *ret_shard = shard;
    return 0;
}

/* Reads the value of a row that the search compares. */
static int value_of(struct lod_dataset *dataset, const struct lod_shard *shard,
                    enum lod_shard_by by, uint32_t row, uint64_t *ret_value)
{
    struct lod_sums_row sums;
    unsigned column = 0;
    int error = lod_shard_sums(dataset, row, &sums);

    lod_framing_of(shard->framing->format, &column);
    *ret_value = error                  ? 0
                 : by == LOD_SHARD_LEAD ? sums.leads[column]
                                        : sums.bytes[column][shard->fidelity - 1];
    return error;
}

int lod_shard_part_at(struct lod_dataset *dataset, const struct lod_shard *shard,
                      enum lod_shard_by by, uint64_t at, struct lod_shard_part *ret_part)
{
    struct lod_shard row = {.framing = shard->framing, .fidelity = shard->fidelity};
    uint32_t low = shard->first_row, high = shard->end_row;
    struct lod_sums_row sums;
    uint64_t value;
    int error = 0;

    while (!error && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        error = value_of(dataset, shard, by, middle, &value);
        if (value <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    row.first_row = low;
    error = error ? error : lod_shard_sums(dataset, low, &sums);
    error = error ? error : subtract(dataset, &row, low + 1);
    if (error) {
        return error;
    }
    const uint64_t from = by == LOD_SHARD_LEAD ? row.first_lead : row.start;
    const uint64_t count = by == LOD_SHARD_LEAD ? row.leads : row.sample_bytes;
    if (at < from || at - from >= count || row.split != shard->split) {
        return fail(dataset, low, -EILSEQ); /* sums that do not ascend */
    }
    *ret_part = (struct lod_shard_part){.framing = shard->framing,
                                        .fidelity = shard->fidelity,
                                        .row = low,
                                        .record = sums.record,
                                        .split = row.split,
                                        .first_lead = row.first_lead,
                                        .leads = row.leads,
                                        .start = row.start,
                                        .bytes = row.sample_bytes,
                                        .all = row.all};
    return 0;
}

const struct lod_view lod_view_tar = {
    .folder = "tar",
    .format = LOD_FORMAT_TAR,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .framing = &lod_framing_tar,
};

const struct lod_view lod_view_recordio = {
    .folder = "recordio",
    .format = LOD_FORMAT_RECORDIO,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .framing = &lod_framing_recordio,
};

const struct lod_view lod_view_tfrecord = {
    .folder = "tfrecord",
    .format = LOD_FORMAT_TFRECORD,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .framing = &lod_framing_tfrecord,
};
