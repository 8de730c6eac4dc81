/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the steps of one part of a store; see lod_verify_take_part. Parts are runs of whole records
 * with about the same number of bytes. Part 1 also has all that is not in records, and the tree
 * list, which is compared with the nodes.
 *
 * A table is made of later items, which may lie in the next part. Their records are checked once
 * more, but only for the table: findings about the shards themselves are reported by their own
 * part.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_header.h"
#include "verify/check.h"

/* Sums for one record of the list of slices. */
struct place {
    bool tree;
    uint64_t bytes;
    uint32_t files;
};

static bool has_tree_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && strcmp(dot + 1, lod_codec_tree.name) == 0;
}

/* Describes the record of a slice. One without a sound row or header has no bytes. */
static int describe(struct lod_verify *v, const struct lod_slice *slice, struct place *ret_place)
{
    struct lod_record_desc recd = {0};
    const char *name = slice->by_name ? lod_names_at(v, slice->record) : NULL;
    int error = slice->by_name ? lod_record_header_read(v->store, name, &recd)
                               : lod_index_record(v->index, slice->record, &recd);

    *ret_place = (struct place){.tree = name ? has_tree_name(name) : recd.codec == LOD_CODEC_TREE};
    if (!error) {
        ret_place->bytes = recd.file_bytes;
        ret_place->files = lod_check_files(&recd);
    }
    return lod_check_stops(error) ? error : 0;
}

/* Describes the records of all slices, at the first slice of each. */
static int describe_all(struct lod_verify *v, struct place *places)
{
    int error = 0;

    for (size_t i = 0; !error && i < v->slices.count; i++) {
        error = v->slices.at[i].slice ? 0 : describe(v, &v->slices.at[i], &places[i]);
    }
    return error;
}

/* The slices of the part, but for tree records: [from, to) of the list. */
struct run {
    size_t from, to;
};

/* Returns whether a record begins here that is divided among the parts. */
static bool is_divided(const struct lod_verify *v, const struct place *places, size_t i)
{
    return v->slices.at[i].slice == 0 && !places[i].tree;
}

/* A record belongs to the part in whose share of the bytes it begins. */
static struct run find_run(const struct lod_verify *v, const struct place *places)
{
    struct run run = {v->slices.count, v->slices.count};
    uint64_t all = 0, before = 0, part = 1;

    for (size_t i = 0; i < v->slices.count; i++) {
        all += is_divided(v, places, i) ? places[i].bytes : 0;
    }
    const uint64_t share = all / v->parts + 1;
    for (size_t i = 0; i < v->slices.count; i++) {
        if (is_divided(v, places, i)) {
            part = before / share < v->parts ? before / share + 1 : v->parts;
            before += places[i].bytes;
        }
        run.from = part >= v->part && i < run.from ? i : run.from;
        run.to = part > v->part && i < run.to ? i : run.to;
    }
    return run;
}

/* Sets the end of the items that those of a record are made of, if it is behind *end. */
static int look_ahead(struct lod_verify *v, const struct lod_record_desc *recd, uint64_t *end)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    uint8_t row[LOD_ROW_BYTES];
    uint32_t ahead = 0;
    int error = 0;

    for (uint32_t i = 0; !error && codec && codec->maker && codec->maker->ahead && i < recd->items;
         i++) {
        error = lod_check_items_ahead(v, codec, recd->first_item + i, row, &ahead);
        const uint64_t last = (uint64_t)recd->first_item + i + ahead + 1;
        *end = last > *end ? last : *end;
    }
    return error;
}

/* Finds the records after this part that the part's tables need. */
static int find_beyond(struct lod_verify *v, const struct run *run)
{
    struct lod_record_desc recd;
    uint64_t end = 0;
    int error = 0;

    for (size_t i = run->from; !error && i < run->to; i++) {
        const struct lod_slice *slice = &v->slices.at[i];
        if (!slice->by_name && lod_index_record(v->index, slice->record, &recd) == 0) {
            v->own_first = i == run->from ? slice->record : v->own_first;
            v->own_end = slice->record + 1;
            error = slice->slice ? 0 : look_ahead(v, &recd, &end);
        }
    }
    v->beyond_end = v->own_end;
    while (v->index && lod_index_record(v->index, v->beyond_end, &recd) == 0 &&
           recd.first_item < end) {
        v->beyond_end++;
    }
    return error;
}

static bool is_beyond(const struct lod_verify *v, uint32_t record)
{
    return record >= v->own_end && record < v->beyond_end;
}

/* Removes the slices of other parts. This part keeps those of its run of records, in part 1 also
 * those of tree records, and those of the records behind the run that it needs. */
static void keep(struct lod_verify *v, const struct run *run, const struct place *places)
{
    size_t kept = 0;
    bool own = false;

    for (size_t i = 0; i < v->slices.count; i++) {
        const struct lod_slice slice = v->slices.at[i];
        if (slice.slice == 0) {
            own = places[i].tree ? v->part == 1 : i >= run->from && i < run->to;
            v->bytes += own ? places[i].bytes : 0;
            v->files += own ? places[i].files : 0;
        }
        if (own || (!slice.by_name && is_beyond(v, slice.record))) {
            v->slices.at[kept++] = slice;
        }
    }
    v->slices.count = kept;
}

static bool is_any(void *ctx, const struct lod_finding *finding)
{
    (void)ctx;
    (void)finding;
    return true;
}

int lod_verify_take_part(struct lod_verify *v, uint32_t part, uint32_t parts)
{
    struct place *places = calloc(v->slices.count + 1, sizeof(*places));
    int error = places ? describe_all(v, places) : -ENOMEM;

    v->part = part;
    v->parts = parts;
    v->own_end = 0;
    if (!error) {
        const struct run run = find_run(v, places);
        error = find_beyond(v, &run);
        if (part > 1) {
            lod_findings_drop(&v->findings, is_any, NULL); /* of manifest and index, in part 1 */
            v->block_steps = v->node_steps = 0;
        }
        v->bytes = part == 1 && v->index ? lod_object_bytes(v->index_file) : 0;
        v->files = 0;
        keep(v, &run, places);
    }
    free(places);
    return error;
}

/* Returns whether another part reports this finding. */
static bool is_of_others(void *ctx, const struct lod_finding *finding)
{
    struct lod_verify *v = ctx;
    struct lod_record_desc recd;
    char file[sizeof(finding->file)];
    bool found = false;

    if (finding->item != LOD_NO_ITEM) {
        return lod_index_record_of(v->index, finding->item, &recd) == 0 &&
               is_beyond(v, recd.number);
    }
    for (uint32_t i = v->own_end; !found && i < v->beyond_end; i++) {
        if (lod_index_record(v->index, i, &recd) == 0) {
            snprintf(file, sizeof(file), "%s/%s", LOD_RECORDS_NAME, recd.path);
            found = strcmp(file, finding->file) == 0;
        }
    }
    return found;
}

bool lod_verify_is_beyond(const struct lod_verify *v, const struct lod_slice *slice)
{
    return v->parts && !slice->by_name && is_beyond(v, slice->record);
}

void lod_verify_drop_others(struct lod_verify *v)
{
    if (v->parts && v->beyond_end > v->own_end) {
        lod_findings_drop(&v->findings, is_of_others, v);
    }
}
