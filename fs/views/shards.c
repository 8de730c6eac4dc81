/* SPDX-License-Identifier: Apache-2.0 */
/* See shards.h. Rows are in order of splits, so searches are binary. */
#include "views/shards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/view.h"

#define WHOLE_NAME   "data" /* of a store without splits */
#define DIGITS_LEAST 6

static int get_row(struct lod_dataset *dataset, uint32_t number, struct lod_sums_row *ret_row)
{
    int error = lod_index_sums(lod_dataset_index(dataset), number, ret_row);

    return error ? lod_dataset_sums_failed(dataset, number, error) : 0;
}

static uint32_t rows(struct lod_dataset *dataset)
{
    return lod_index_sums_rows(lod_dataset_index(dataset));
}

uint64_t lod_shard_positions(struct lod_dataset *dataset, const struct lod_framing *framing)
{
    return (uint64_t)rows(dataset) * (framing->line_bytes ? 2 : 1);
}

/* The ending of lines sorts first. */
struct lod_shard_file lod_shard_at(const struct lod_framing *framing, uint64_t position)
{
    const unsigned files = framing->line_bytes ? 2 : 1;

    return (struct lod_shard_file){.row = (uint32_t)(position / files),
                                   .lines = files == 2 && position % 2 == 0};
}

int lod_shard_find(struct lod_dataset *dataset, const struct lod_framing *framing,
                   enum lod_fidelity fidelity, struct lod_shard_file file,
                   struct lod_shard *ret_shard)
{
    const uint32_t row = file.row;
    struct lod_sums_row at, next;
    unsigned column;

    if (row >= rows(dataset) || !lod_framing_of(framing->format, &column) ||
        (file.lines && !framing->line_bytes)) {
        return -ENOENT;
    }
    int error = get_row(dataset, row, &at);
    if (error || at.record == LOD_SUMS_CLOSING) {
        return error ? error : -ENOENT;
    }
    error = get_row(dataset, row + 1, &next);
    const uint64_t from = at.bytes[column][fidelity - 1], to = next.bytes[column][fidelity - 1];
    if (!error && (next.split != at.split || next.leads <= at.leads || to < from ||
                   to - from > (uint64_t)INT64_MAX - framing->trailer_bytes)) {
        error = lod_dataset_sums_failed(dataset, row, -EILSEQ);
    }
    if (error) {
        return error == -ENOENT ? lod_dataset_sums_failed(dataset, row, -EILSEQ) : error;
    }
    *ret_shard = (struct lod_shard){.framing = framing,
                                    .fidelity = fidelity,
                                    .row = row,
                                    .record = at.record,
                                    .split = at.split,
                                    .leads = next.leads - at.leads,
                                    .lines = file.lines,
                                    .sample_bytes = to - from};
    ret_shard->bytes = file.lines ? (uint64_t)ret_shard->leads * framing->line_bytes
                                  : ret_shard->sample_bytes + framing->trailer_bytes;
    return 0;
}

/* The first row of a split; where it would stand, if it has none. */
static int first_row(struct lod_dataset *dataset, uint32_t split, uint32_t *ret_row)
{
    uint32_t low = 0, high = rows(dataset);
    struct lod_sums_row row;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        int error = get_row(dataset, middle, &row);
        if (error) {
            return error;
        }
        if (row.split < split) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_row = low;
    return 0;
}

static int split_name(struct lod_dataset *dataset, uint32_t split, char name[LOD_NAME_MAX + 1])
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_node node;

    if (split == 0) {
        strcpy(name, WHOLE_NAME);
        return 0;
    }
    int error = lod_index_node(index, split, &node);
    error = error ? error : lod_index_name(index, &node, name);
    return error ? lod_dataset_node_failed(dataset, split, error) : 0;
}

int lod_shard_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                   struct lod_shard_file file, char name[LOD_NAME_MAX + 1])
{
    const char *ending = file.lines ? framing->lines_ending : framing->ending;
    char split[LOD_NAME_MAX + 1];
    struct lod_sums_row at;
    uint32_t first = 0;

    int error = get_row(dataset, file.row, &at);
    if (!error && at.record == LOD_SUMS_CLOSING) {
        return -ENOENT;
    }
    error = error ? error : first_row(dataset, at.split, &first);
    error = error ? error : split_name(dataset, at.split, split);
    if (error) {
        return error;
    }
    int bytes = snprintf(name, LOD_NAME_MAX + 1, "%s-%0*" PRIu32 "%s", split, DIGITS_LEAST,
                         file.row - first, ending);
    return bytes > (int)LOD_NAME_MAX ? lod_dataset_sums_failed(dataset, file.row, -EILSEQ) : 0;
}

/* The node of the split's folder with a name of `bytes` bytes. */
static int find_split(struct lod_dataset *dataset, const char *name, size_t bytes,
                      uint32_t *ret_split)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_sums_row row;
    struct lod_node node;

    if (rows(dataset) == 0) {
        return -ENOENT;
    }
    int error = get_row(dataset, 0, &row);
    if (error) {
        return error;
    }
    if (row.split == 0) {
        *ret_split = 0;
        return bytes == strlen(WHOLE_NAME) && memcmp(name, WHOLE_NAME, bytes) == 0 ? 0 : -ENOENT;
    }
    error = lod_index_node(index, 0, &node);
    error = error ? error : lod_index_lookup(index, &node, name, bytes, &node);
    *ret_split = error ? 0 : node.number;
    return error && error != -ENOENT ? lod_dataset_node_failed(dataset, 0, error) : error;
}

/* Only the one way of writing a number is a name. */
static int check_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                      struct lod_shard_file file, const char *name)
{
    char again[LOD_NAME_MAX + 1];
    int error = lod_shard_name(dataset, framing, file, again);

    return error ? error : strcmp(again, name) == 0 ? 0 : -ENOENT;
}

int lod_shard_lookup(struct lod_dataset *dataset, const struct lod_framing *framing,
                     const char *name, struct lod_shard_file *ret_file)
{
    const char *dash = strrchr(name, '-');
    uint32_t split, first;

    if (!dash || strlen(name) > LOD_NAME_MAX || dash[1] < '0' || dash[1] > '9') {
        return -ENOENT;
    }
    const unsigned long number = strtoul(dash + 1, NULL, 10);
    int error = find_split(dataset, name, (size_t)(dash - name), &split);
    error = error ? error : first_row(dataset, split, &first);
    if (error || number >= rows(dataset) - first) {
        return error ? error : -ENOENT;
    }
    const char *ending = strchr(dash, '.');
    const struct lod_shard_file file = {.row = first + (uint32_t)number,
                                        .lines = framing->line_bytes && ending &&
                                                 strcmp(ending, framing->lines_ending) == 0};
    *ret_file = file;
    return check_name(dataset, framing, file, name);
}

const struct lod_view lod_view_tar = {
    .folder = "tar",
    .format = LOD_FORMAT_TAR,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .framing = &lod_framing_tar,
};

const struct lod_view lod_view_tfrecord = {
    .folder = "tfrecord",
    .format = LOD_FORMAT_TFRECORD,
    .fidelities = LOD_FIDELITIES_TO_FULL,
    .framing = &lod_framing_tfrecord,
};
