/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open store as one tree of nodes; see dataset.h. Open records are kept in a cache of their own;
 * what goes wrong with stored bytes becomes one log line and -EIO here.
 */
#include "dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "pinned.h"
#include "store/store.h"

#define RECORDS_SUMMED_MAX                                                                         \
    16384u /* 256 GiB of records of the usual size; 529 blocks of the index */

struct lod_dataset {
    struct lod_store *store;
    struct lod_manifest manifest;
    struct lod_index *index;
    struct lod_cache *records; /* struct lod_pinned by record number */
};

/* ------------------------------------------------------------------------------- opening */

/*
 * A mount asks for prefixes whole; what the kernel reads ahead of them is bytes of groups that
 * nobody wants. Other files are read from end to end, where reading ahead helps.
 */
static int open_store(const char *location, const struct lod_mounted *mounted,
                      struct lod_store **ret_store)
{
    struct lod_store *store = NULL;

    int error = lod_store_open(location, &store);
    if (!error && mounted) {
        lod_store_read_exactly(store, mounted->page_cache);
    }
    if (error || !mounted || !lod_slow_is(&mounted->slow)) {
        *ret_store = store;
        return error;
    }
    error = lod_slow_create(&mounted->slow, store, ret_store);
    if (error) {
        lod_store_close(store);
    }
    return error;
}

static int open_parts(struct lod_dataset *dataset, const char *location,
                      const struct lod_mounted *mounted, char *why, size_t why_room)
{
    const char *reason = NULL;

    int error = open_store(location, mounted, &dataset->store);
    if (error) {
        snprintf(why, why_room, "%s",
                 error == -ENOENT    ? "no such folder"
                 : error == -ENOTDIR ? "not a folder, so no lodfs store"
                                     : strerror(-error));
        return error == -ENOTDIR ? -ENOENT : error;
    }
    error = lod_manifest_read(dataset->store, &dataset->manifest, &reason);
    if (error) {
        snprintf(why, why_room, "%s", reason);
        return error;
    }
    error = lod_index_open(dataset->store, &dataset->manifest, LOD_INDEX_CACHE_BYTES,
                           &dataset->index, why, why_room);
    if (error) {
        return error;
    }
    error = lod_cache_create(LOD_RECORD_CACHE_BYTES, &dataset->records);
    if (error) {
        snprintf(why, why_room, "%s", strerror(-error));
    }
    return error;
}

static int open_dataset(const char *location, const struct lod_mounted *mounted,
                        struct lod_dataset **ret_dataset, char *why, size_t why_room)
{
    struct lod_dataset *dataset = calloc(1, sizeof(*dataset));

    if (!dataset) {
        snprintf(why, why_room, "out of memory");
        return -ENOMEM;
    }
    int error = open_parts(dataset, location, mounted, why, why_room);
    if (error) {
        lod_dataset_close(dataset);
        return error;
    }
    *ret_dataset = dataset;
    return 0;
}

int lod_dataset_open(const char *location, struct lod_dataset **ret_dataset, char *why,
                     size_t why_room)
{
    return open_dataset(location, NULL, ret_dataset, why, why_room);
}

int lod_dataset_open_mounted(const char *location, const struct lod_mounted *mounted,
                             struct lod_dataset **ret_dataset, char *why, size_t why_room)
{
    return open_dataset(location, mounted, ret_dataset, why, why_room);
}

struct lod_dataset *lod_dataset_close(struct lod_dataset *dataset)
{
    if (dataset) {
        lod_cache_destroy(dataset->records);
        lod_index_close(dataset->index);
        lod_manifest_finish(&dataset->manifest);
        lod_store_close(dataset->store);
        free(dataset);
    }
    return NULL;
}

const struct lod_manifest *lod_dataset_manifest(const struct lod_dataset *dataset)
{
    return &dataset->manifest;
}

struct lod_index *lod_dataset_index(const struct lod_dataset *dataset)
{
    return dataset->index;
}

const char *lod_dataset_location(const struct lod_dataset *dataset)
{
    return lod_store_location(dataset->store);
}

/* --------------------------------------------------------------------------- items, names */

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_item item; /* all of it is filled below */

    item.number = number;
    int error = lod_index_item(dataset->index, number, item.row);
    if (error == -ENOENT) {
        return error;
    }
    error = error ? error : lod_index_record_of(dataset->index, number, &item.recd);
    if (!error) {
        item.codec = lod_codec_find(item.recd.codec); /* known: the row was checked for it */
        error = lod_codec_segments(item.codec, item.row, bytes);
    }
    if (error) {
        return lod_failure_of_row(lod_dataset_location(dataset), "item", number, error);
    }
    *ret_item = item;
    return 0;
}

int lod_dataset_walk(struct lod_dataset *dataset, const char *path, struct lod_node *ret_node)
{
    struct lod_node node = {0};

    int error = lod_index_walk(dataset->index, path, &node);
    if (error == -ENOENT || error == -ENOTDIR) {
        return error;
    }
    if (error) {
        return lod_failure_of_row(lod_dataset_location(dataset), "below node", node.number, error);
    }
    *ret_node = node;
    return 0;
}

int lod_dataset_path(struct lod_dataset *dataset, const struct lod_node *node,
                     char path[LOD_PATH_MAX + 1])
{
    int error = lod_index_path(dataset->index, node, path);

    return error ? lod_failure_of_row(lod_dataset_location(dataset), "path of node", node->number,
                                      error)
                 : 0;
}

/* -------------------------------------------------------------------------------- frames */

static int frame_failed(struct lod_dataset *dataset, const struct lod_failure *failure, int error)
{
    return lod_failure_of_frame(dataset->index, lod_dataset_location(dataset), failure, error);
}

struct record_wanted {
    struct lod_store *store;
    const struct lod_recd *recd;
    struct lod_stage *stage;
    uint64_t bytes;
};

static int fill_record(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct record_wanted *wanted = ctx;

    (void)key;
    return lod_pinned_open(wanted->store, wanted->recd, wanted->stage, wanted->bytes, ret_blob);
}

int lod_dataset_pin(struct lod_dataset *dataset, const struct lod_item *item,
                    struct lod_pinned **ret_pinned)
{
    return lod_dataset_pin_staged(dataset, item, NULL, 0, ret_pinned);
}

int lod_dataset_pin_staged(struct lod_dataset *dataset, const struct lod_item *item,
                           struct lod_stage *stage, uint64_t bytes, struct lod_pinned **ret_pinned)
{
    struct record_wanted wanted = {
        .store = dataset->store, .recd = &item->recd, .stage = stage, .bytes = bytes};
    struct lod_blob *blob = NULL;

    int error = lod_cache_get(dataset->records, (struct lod_key){.low = item->recd.number},
                              fill_record, &wanted, &blob);
    if (!error && !lod_pinned_same_row((struct lod_pinned *)blob, item)) {
        lod_blob_unref(blob);
        error = -EILSEQ;
    }
    if (error) {
        return frame_failed(dataset, &(struct lod_failure){.item = item}, error);
    }
    *ret_pinned = (struct lod_pinned *)blob;
    return 0;
}

const struct lod_pace *lod_dataset_index_pace(const struct lod_dataset *dataset)
{
    return lod_index_pace(dataset->index);
}

uint64_t lod_dataset_record_opens(struct lod_dataset *dataset)
{
    return lod_cache_stats(dataset->records).misses;
}

uint64_t lod_dataset_groups_bytes(struct lod_dataset *dataset, unsigned groups)
{
    uint32_t records = lod_index_records(dataset->index);
    uint64_t bytes = 0;
    struct lod_recd recd;

    if (records > RECORDS_SUMMED_MAX) {
        return UINT64_MAX;
    }
    for (uint32_t i = 0; i < records; i++) {
        if (lod_index_record(dataset->index, i, &recd)) {
            return UINT64_MAX;
        }
        bytes += lod_recd_prefix_bytes(&recd, groups);
    }
    return bytes;
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *item,
                             unsigned group, uint64_t frame, uint64_t offset, int error)
{
    struct lod_failure failure = {.item = item, .group = group, .frame = frame, .offset = offset};

    return frame_failed(dataset, &failure, error);
}

static int read_frame(struct lod_pinned *pinned, uint32_t slot, struct lod_failure *failure,
                      struct lod_blob **ret_blob)
{
    struct lod_place at = {0};
    struct lod_blob *blob = NULL;

    int error = lod_pinned_place(pinned, slot, failure->group, failure->frame, &at);
    error = error ? error : lod_blob_create(at.bytes, &blob);
    if (error) {
        return error;
    }
    failure->offset = at.offset;
    error = lod_pinned_read(pinned, at.offset, blob->data, at.bytes);
    if (!error && !lod_pinned_sound(pinned, slot, failure->group, failure->frame, blob->data)) {
        error = -EBADMSG;
    }
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

int lod_dataset_frame(struct lod_dataset *dataset, const struct lod_item *item, unsigned group,
                      uint64_t frame, struct lod_blob **ret_blob)
{
    struct lod_failure failure = {.item = item, .group = group, .frame = frame};
    struct lod_pinned *pinned = NULL;

    int error = lod_dataset_pin(dataset, item, &pinned);
    if (!error) {
        error = read_frame(pinned, item->number - item->recd.first_item, &failure, ret_blob);
        lod_blob_unref(&pinned->blob);
    }
    return error == -EIO && !pinned ? error : frame_failed(dataset, &failure, error);
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item, int error)
{
    struct lod_failure failure = {.item = item};

    return error == -EIO ? error : frame_failed(dataset, &failure, error);
}
