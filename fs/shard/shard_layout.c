/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are visited from the last one on, since the keys of a record end where those of the next
 * record of its kind begin. See shard_layout.h.
 */
#include "shard/shard_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "shard/shard_directory.h"

struct making {
    struct lod_shard_cache *cache;
    const struct lod_shard *shard;
    unsigned column;                               /* of SUMS */
    struct lod_sums_row after;                     /* the row after the one being visited */
    uint32_t part_behind[LOD_RECORD_KINDS];        /* of the first key in the kind's next record */
    LOD_LIST(struct lod_shard_interval) intervals; /* in reverse order */
};

/* A row, and the part numbers of its first key and of the last key that it can have. */
struct row {
    uint32_t number;
    struct lod_sums_row sums;
    uint32_t first, last;
};

static uint64_t bytes_of(const struct making *m, const struct lod_sums_row *sums)
{
    return sums->bytes[m->column][m->shard->fidelity - 1];
}

/* Returns the number of the part that has a sample:
 * it follows from the key of the sample's lead. */
static uint32_t part_of(const struct making *m, const struct lod_blob *directory, uint64_t number)
{
    const uint64_t seed = lod_index_keys(lod_dataset_index(m->cache->dataset)).seed;
    struct lod_framed_sample sample;

    lod_shard_directory_sample(directory, number, &sample);
    const struct lod_framed_file *lead = &sample.file[sample.lead];
    const char *slash = memrchr(lead->path, '/', lead->path_bytes);
    const char *name = slash ? slash + 1 : lead->path;
    const size_t bytes = (size_t)(lead->path + lead->path_bytes - name);
    return lod_part_of(lod_name_key(name, bytes, seed), m->shard->part.count);
}

/* Returns the number of the first sample in this part or a later one. */
static uint64_t border(const struct making *m, const struct lod_blob *directory, uint32_t part)
{
    uint64_t low = 0;

    LOD_SEARCH(low, lod_shard_directory_count(directory), part_of(m, directory, middle) < part);
    return low;
}

static int add(struct making *m, const struct lod_shard_interval *interval)
{
    struct lod_shard_interval *next =
        m->intervals.count ? &m->intervals.at[m->intervals.count - 1] : NULL;

    if (interval->leads == 0) {
        return 0;
    }
    if (next && next->first_lead == interval->first_lead + interval->leads) {
        *next = (struct lod_shard_interval){.start = interval->start,
                                            .bytes = interval->bytes + next->bytes,
                                            .first_lead = interval->first_lead,
                                            .leads = interval->leads + next->leads};
        return 0;
    }
    return LOD_LIST_ADD(&m->intervals, *interval);
}

/* Adds samples [from, to) of a row. Both ends must belong to this part,
 * since keys never decrease. */
static int add_between(struct making *m, const struct row *row, const struct lod_shard_part *part,
                       const struct lod_blob *directory, uint64_t from, uint64_t to)
{
    const uint16_t number = m->shard->part.number;
    const uint64_t start = lod_shard_directory_start(directory, from);
    const struct lod_shard_interval interval = {.start = part->start + start,
                                                .bytes = lod_shard_directory_start(directory, to) -
                                                         start,
                                                .first_lead = part->first_lead + (uint32_t)from,
                                                .leads = (uint32_t)(to - from)};

    if (from < to &&
        (part_of(m, directory, from) != number || part_of(m, directory, to - 1) != number)) {
        return lod_dataset_sums_failed(m->cache->dataset, row->number, -EILSEQ);
    }
    return add(m, &interval);
}

/* Adds the samples of a row that the border of the part divides. */
static int add_divided(struct making *m, const struct row *row)
{
    const uint16_t number = m->shard->part.number;
    struct lod_blob *directory = NULL;
    struct lod_shard_part part;
    int error = lod_shard_cache_part(m->cache, m->shard, LOD_SHARD_LEAD, row->sums.leads[m->column],
                                     &part, &directory);

    if (error) {
        return error;
    }
    const uint64_t from = row->first < number ? border(m, directory, number) : 0;
    const uint64_t to = row->last > number ? border(m, directory, number + 1u)
                                           : lod_shard_directory_count(directory);
    error = add_between(m, row, &part, directory, from, to);
    lod_blob_unref(directory);
    return error;
}

static int add_whole(struct making *m, const struct row *row)
{
    const struct lod_shard_interval interval = {
        .start = bytes_of(m, &row->sums),
        .bytes = bytes_of(m, &m->after) - bytes_of(m, &row->sums),
        .first_lead = row->sums.leads[m->column],
        .leads = m->after.leads[m->column] - row->sums.leads[m->column]};

    return add(m, &interval);
}

/* Reads a row and finds the parts that its keys can be in. */
static int take_row(struct making *m, struct row *row)
{
    const uint16_t count = m->shard->part.count;
    struct lod_record_desc recd;
    int error = lod_shard_sums(m->cache->dataset, row->number, &row->sums);

    if (error) {
        return error;
    }
    error = lod_index_record(lod_dataset_index(m->cache->dataset), row->sums.record, &recd);
    row->first = lod_part_of(row->sums.key, count);
    row->last = error ? 0 : m->part_behind[lod_record_kind(&recd)];
    if (!error && (row->sums.split != m->shard->split || row->first > row->last ||
                   m->after.leads[0] <= row->sums.leads[0] ||
                   m->after.leads[m->column] < row->sums.leads[m->column] ||
                   bytes_of(m, &m->after) < bytes_of(m, &row->sums))) {
        error = -EILSEQ;
    }
    if (error) {
        return lod_dataset_sums_failed(m->cache->dataset, row->number,
                                       error == -ENOENT ? -EILSEQ : error);
    }
    m->part_behind[lod_record_kind(&recd)] = row->first;
    return 0;
}

static int add_row(struct making *m, uint32_t number)
{
    const uint16_t part = m->shard->part.number;
    struct row row = {.number = number};
    int error = take_row(m, &row);

    const bool has_any = m->after.leads[m->column] != row.sums.leads[m->column];
    if (!error && has_any && row.first <= part && row.last >= part) {
        error = row.first == row.last ? add_whole(m, &row) : add_divided(m, &row);
    }
    m->after = row.sums;
    return error;
}

static int join(const struct making *m, struct lod_blob **ret_blob)
{
    const size_t count = m->intervals.count;
    int error = lod_blob_create(count * sizeof(m->intervals.at[0]), ret_blob);

    for (size_t i = 0; !error && i < count; i++) {
        memcpy((*ret_blob)->data + i * sizeof(m->intervals.at[0]), &m->intervals.at[count - 1 - i],
               sizeof(m->intervals.at[0]));
    }
    return error;
}

static int make(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    struct making *m = ctx;
    const struct lod_shard *shard = m->shard;
    int error = lod_framing_of(shard->framing->format, &m->column) ? 0 : -ENOENT;

    (void)key;
    for (unsigned kind = 0; kind < LOD_RECORD_KINDS; kind++) {
        m->part_behind[kind] = shard->part.count - 1u;
    }
    error = error ? error : lod_shard_sums(m->cache->dataset, shard->end_row, &m->after);
    for (uint32_t row = shard->end_row; !error && row > shard->first_row; row--) {
        error = add_row(m, row - 1);
    }
    return error ? error : join(m, ret_blob);
}

int lod_shard_layout(struct lod_shard_cache *cache, const struct lod_shard *shard,
                     struct lod_blob **ret_layout)
{
    struct making m = {.cache = cache, .shard = shard};
    int error = lod_shard_cache_layout(cache, shard, make, &m, ret_layout);

    free(m.intervals.at);
    return error;
}

const struct lod_shard_interval *lod_shard_layout_intervals(const struct lod_blob *layout,
                                                            size_t *ret_count)
{
    *ret_count = layout->bytes / sizeof(struct lod_shard_interval);
    return (const struct lod_shard_interval *)(const void *)layout->data;
}
