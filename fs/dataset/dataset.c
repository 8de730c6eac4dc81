/* SPDX-License-Identifier: Apache-2.0 */
/* An open store as one tree of nodes; see dataset.h. Open records are kept in a cache of their own.
 * Damage of stored bytes becomes one log line and -EIO here. */
#include "dataset/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/damage_log.h"
#include "dataset/store_layers.h"
#include "index/blocks.h"
#include "backend/store.h"
#include "record/metadata.h"
#include "record/record.h"

struct lod_dataset {
    struct lod_store *store;
    bool has_tier; /* a tier, if one was asked for, is in front of the store */
    struct lod_manifest manifest;
    struct lod_index *index;
    struct lod_cache *records; /* open records by number */
    struct lod_damage_log log;
};

/* ------------------------------------------------------------------------------- opening */

static int open_index(struct lod_dataset *dataset, const struct lod_tier_settings *tier,
                      struct lod_why *why)
{
    const char *reason = NULL;
    struct lod_why index = {.text = ""};

    lod_manifest_finish(&dataset->manifest);
    int error = lod_manifest_read(dataset->store, &dataset->manifest, &reason);
    if (error) {
        lod_manifest_explain(dataset->store, reason, why);
        return error;
    }
    if (!dataset->has_tier) {
        error = lod_store_layers_add_tier(tier, dataset->manifest.store_id, &dataset->store, why);
        dataset->has_tier = !error;
    }
    if (error) {
        return error;
    }
    error = lod_index_open(dataset->store, &dataset->manifest, LOD_INDEX_CACHE_BYTES,
                           &dataset->index, &index);
    if (error) {
        lod_manifest_explain(dataset->store, index.text, why);
    }
    return error;
}

/* Opens the index, more than once if a network can have damaged its bytes on the way. */
static int open_index_again(struct lod_dataset *dataset, const struct lod_tier_settings *tier,
                            struct lod_why *why)
{
    int error = 0;

    for (unsigned tried = 0; lod_store_opens_again(dataset->store, tried, error); tried++) {
        error = open_index(dataset, tier, why);
    }
    return error;
}

static int open_parts(struct lod_dataset *dataset, const char *location,
                      const struct lod_open_options *options, struct lod_why *why)
{
    int error = lod_store_layers_open(location, options, &dataset->store, why);

    error = error ? error : open_index_again(dataset, &options->tier, why);
    if (error) {
        return error;
    }
    if (options->index_copy && lod_store_is_far(dataset->store)) {
        lod_index_copy_whole(dataset->index, dataset->store);
    }
    lod_damage_log_init(&dataset->log, dataset->index, lod_store_location(dataset->store),
                        dataset->store);
    return lod_cache_create(LOD_RECORD_CACHE_BYTES, &dataset->records);
}

int lod_dataset_open(const char *location, const struct lod_open_options *options,
                     struct lod_dataset **ret_dataset, struct lod_why *why)
{
    struct lod_dataset *dataset = calloc(1, sizeof(*dataset));

    if (!dataset) {
        return -ENOMEM;
    }
    int error = open_parts(dataset, location, options, why);
    if (error) {
        lod_dataset_close(dataset);
        return error;
    }
    *ret_dataset = dataset;
    return 0;
}

struct lod_dataset *lod_dataset_close(struct lod_dataset *dataset)
{
    if (dataset) {
        lod_store_stop(dataset->store);
        lod_cache_destroy(dataset->records);
        if (dataset->log.index) {
            lod_damage_log_finish(&dataset->log);
        }
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

int lod_dataset_check_root(struct lod_dataset *dataset, struct lod_why *why)
{
    struct lod_block_failure failure = {.block = 0};
    char text[LOD_DAMAGE_TEXT];
    struct lod_node root;

    int error = lod_index_node(dataset->index, 0, &root);
    if (error) {
        return lod_refuse(why, error, "%s",
                          lod_index_failure_take(dataset->index, &failure)
                              ? lod_damage_of_block(&failure, text)
                              : "the root folder cannot be read: the index is malformed");
    }
    return 0;
}

struct lod_store *lod_dataset_store(const struct lod_dataset *dataset)
{
    return dataset->store;
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_item item; /* filled below */

    item.number = number;
    int error = lod_index_item(dataset->index, number, item.row);
    if (error == -ENOENT) {
        return error;
    }
    error = error ? error : lod_index_record_of(dataset->index, number, &item.recd);
    if (!error) {
        item.codec = lod_codec_find(item.recd.codec); /* known: the row was checked */
        error = lod_codec_segments(item.codec, item.row, bytes);
    }
    if (error) {
        return lod_damage_log_row(&dataset->log, "item", number, error);
    }
    *ret_item = item;
    return 0;
}

int lod_dataset_walk(struct lod_dataset *dataset, const char *path, struct lod_node *ret_node)
{
    struct lod_node node = {0};

    int error = lod_index_walk(dataset->index, path, &node);
    if (error == -ENOENT || error == -ENOTDIR || error == -ENAMETOOLONG) {
        return error;
    }
    if (error) {
        return lod_damage_log_row(&dataset->log, "below node", node.number, error);
    }
    *ret_node = node;
    return 0;
}

int lod_dataset_node_failed(struct lod_dataset *dataset, uint32_t number, int error)
{
    return lod_damage_log_row(&dataset->log, "node", number, error);
}

int lod_dataset_sums_failed(struct lod_dataset *dataset, uint32_t number, int error)
{
    return lod_damage_log_row(&dataset->log, "row of sums", number, error);
}

int lod_dataset_path(struct lod_dataset *dataset, const struct lod_node *node,
                     char path[LOD_PATH_MAX + 1])
{
    int error = lod_index_path(dataset->index, node, path);

    return error ? lod_damage_log_row(&dataset->log, "path of node", node->number, error) : 0;
}

struct record_wanted {
    struct lod_store *store;
    const struct lod_record_desc *recd;
    struct lod_io_buffer *buffer;
    uint64_t bytes;
    uint8_t **ret_head;
};

static int fill_record(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct record_wanted *wanted = ctx;
    struct lod_record *record = NULL;

    (void)key;
    int error = lod_record_open_loaded(wanted->store, wanted->recd, wanted->buffer, wanted->bytes,
                                       wanted->ret_head, &record);
    if (!error) {
        *ret_blob = lod_record_blob(record);
    }
    return error;
}

/* An open record has a file descriptor. If none is free, the open records that are not in use are
 * closed: the cache of records may have room for more of them than the process may open. */
static int open_record(struct lod_dataset *dataset, struct record_wanted *wanted,
                       struct lod_blob **ret_blob)
{
    const struct lod_key key = {.high = wanted->recd->number};
    int error = lod_cache_get(dataset->records, key, fill_record, wanted, ret_blob);

    if (error == -EMFILE || error == -ENFILE) {
        lod_cache_shrink(dataset->records, LOD_RECORD_CACHE_BYTES);
        error = lod_cache_get(dataset->records, key, fill_record, wanted, ret_blob);
    }
    return error;
}

/* Compares the item's row in index and record. They can differ although both hashes are right. */
static bool is_same_row(const struct lod_record *record, const struct lod_item *item)
{
    const uint8_t *own = lod_record_row(record, item->number - item->recd.first_item);

    return memcmp(own, item->row, 4) == 0 && memcmp(own + 8, item->row + 8, LOD_ROW_BYTES - 8) == 0;
}

int lod_dataset_record(struct lod_dataset *dataset, const struct lod_item *item,
                       struct lod_record **ret_record)
{
    return lod_dataset_record_loaded(dataset, item, NULL, 0, ret_record);
}

int lod_dataset_record_loaded(struct lod_dataset *dataset, const struct lod_item *item,
                              struct lod_io_buffer *buffer, uint64_t bytes,
                              struct lod_record **ret_record)
{
    struct record_wanted wanted = {
        .store = dataset->store, .recd = &item->recd, .buffer = buffer, .bytes = bytes};
    struct lod_blob *blob = NULL;

    int error = open_record(dataset, &wanted, &blob);
    if (!error && !is_same_row(lod_record_of_blob(blob), item)) {
        lod_blob_unref(blob);
        error = -EILSEQ;
    }
    if (error) {
        return lod_damage_log_frame(&dataset->log, &(struct lod_damage_place){.item = item}, error);
    }
    *ret_record = lod_record_of_blob(blob);
    return 0;
}

int lod_dataset_metadata(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                         struct lod_metadata *ret_metadata)
{
    uint8_t *head = NULL;
    struct record_wanted wanted = {.store = dataset->store, .recd = recd, .ret_head = &head};
    struct lod_blob *blob = NULL;
    struct lod_item first;

    /* Frames of this record are read next, so the bytes that open it are read once for both. */
    int error = open_record(dataset, &wanted, &blob);
    lod_blob_unref(blob);
    if (head) {
        lod_metadata_take(head, recd, ret_metadata);
        return 0;
    }
    error = lod_metadata_read(dataset->store, recd, ret_metadata);
    int other = error ? lod_dataset_item(dataset, recd->first_item, &first) : 0;
    return error && !other ? lod_damage_log_frame(&dataset->log,
                                                  &(struct lod_damage_place){.item = &first}, error)
                           : other;
}

const struct lod_io_estimate *lod_dataset_index_io_estimate(const struct lod_dataset *dataset)
{
    return lod_index_io_estimate(dataset->index);
}

uint64_t lod_dataset_record_opens(struct lod_dataset *dataset)
{
    return lod_cache_stats(dataset->records).misses;
}

bool lod_dataset_has_record(struct lod_dataset *dataset, const struct lod_item *item)
{
    return lod_cache_has(dataset->records, (struct lod_key){.high = item->recd.number});
}

int lod_dataset_groups_in_memory(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                                 unsigned first, unsigned last, bool *ret_is)
{
    const uint64_t head = lod_record_desc_end(recd, 0), from = lod_record_desc_end(recd, first - 1);
    struct lod_object *object = NULL;

    int error = lod_record_file_open(dataset->store, recd, &object);
    if (error) {
        return error;
    }
    error = lod_object_in_memory(object, 0, head, ret_is);
    if (!error && *ret_is) {
        error =
            lod_object_in_memory(object, from, lod_record_desc_bytes(recd, first, last), ret_is);
    }
    lod_object_close(object);
    return error;
}

uint32_t lod_dataset_records(const struct lod_dataset *dataset)
{
    return lod_index_records(dataset->index);
}

uint32_t lod_dataset_items(const struct lod_dataset *dataset)
{
    return lod_index_items(dataset->index);
}

bool lod_dataset_is_shared(const struct lod_dataset *dataset)
{
    return lod_store_is_shared(dataset->store);
}

unsigned lod_dataset_loads(const struct lod_dataset *dataset)
{
    return lod_store_loads(dataset->store);
}

unsigned lod_dataset_ranges(const struct lod_dataset *dataset)
{
    return lod_store_ranges(dataset->store);
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *item,
                             unsigned group, uint64_t frame, uint64_t offset, int error)
{
    return lod_damage_log_frame(&dataset->log,
                                &(struct lod_damage_place){item, group, frame, offset}, error);
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item, int error)
{
    return error == -EIO ? error : lod_dataset_frame_failed(dataset, item, 0, 0, 0, error);
}

void lod_dataset_item_path(struct lod_dataset *dataset, const struct lod_item *item,
                           char path[LOD_PATH_MAX + 1])
{
    lod_damage_log_path(dataset->index, item, path);
}
