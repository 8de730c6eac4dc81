/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the index: the superblock at open (superblock.c), then rows by number, names and searches,
 * one checked block at a time. FORMAT.md, Index.
 */
#include "index/index.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "index/blocks.h"
#include "backend/name.h"
#include "index/index_samples.h"
#include "index/record_desc_table.h"
#include "index/rows.h"
#include "index/search.h"
#include "index/superblock.h"

#define RECDS_PART 4u /* at most this part of cache_bytes is for RECD rows, the rest for blocks */

struct lod_index {
    struct lod_object *object;
    struct lod_blocks *blocks;
    struct lod_record_desc_table recds;
    struct lod_superblock super;
};

/* Copies a row. Its number is below the count of its section, so the block exists. */
static int copy_row(struct lod_index *index, uint32_t section, uint32_t number, uint8_t *row)
{
    const uint32_t bytes = lod_section_row_bytes(section), a_block = LOD_BLOCK_PAYLOAD / bytes;

    return lod_blocks_copy(index->blocks, section, index->super.section[section].first,
                           number / a_block, number % a_block * bytes, row, bytes);
}

int lod_index_copy_row(struct lod_index *index, uint32_t section, uint32_t number, uint8_t *row)
{
    return copy_row(index, section, number, row);
}

static int copy_heap(struct lod_index *index, uint64_t at, void *into, uint32_t bytes)
{
    return lod_blocks_copy(index->blocks, LOD_SECTION_NAME,
                           index->super.section[LOD_SECTION_NAME].first, at / LOD_BLOCK_BYTES,
                           (uint32_t)(at % LOD_BLOCK_BYTES), into, bytes);
}

int lod_index_node(struct lod_index *index, uint32_t number, struct lod_node *ret_node)
{
    uint8_t row[LOD_NODE_ROW_BYTES];

    if (number >= index->super.totals.nodes) {
        return -ENOENT;
    }
    int error = copy_row(index, LOD_SECTION_NODE, number, row);
    return error ? error : lod_node_take(row, number, &index->super.totals, ret_node);
}

int lod_index_item(struct lod_index *index, uint32_t number, uint8_t ret_row[LOD_ROW_BYTES])
{
    uint8_t row[LOD_ITEM_ROW_BYTES];

    if (number >= index->super.totals.items) {
        return -ENOENT;
    }
    int error = copy_row(index, LOD_SECTION_ITEM, number, row);
    if (!error && lod_row_own_node(row) >= index->super.totals.nodes) {
        error = -EILSEQ;
    }
    if (!error) {
        memcpy(ret_row, row, LOD_ROW_BYTES);
    }
    return error;
}

static int read_record(struct lod_index *index, uint32_t number, struct lod_record_desc *ret_recd)
{
    uint8_t row[LOD_RECORD_DESC_ROW_BYTES];
    struct lod_record_desc_path path;
    struct lod_record_desc recd;

    int error = copy_row(index, LOD_SECTION_RECD, number, row);
    error = error ? error : lod_record_desc_take(row, number, &index->super.totals, &recd, &path);
    error = error ? error : copy_heap(index, path.at, recd.path, path.bytes);
    if (error) {
        return error;
    }
    recd.path[path.bytes] = '\0';
    error = strlen(recd.path) == path.bytes ? lod_record_desc_check_path(&recd) : -EILSEQ;
    if (!error) {
        *ret_recd = recd;
    }
    return error;
}

int lod_index_record(struct lod_index *index, uint32_t number, struct lod_record_desc *ret_recd)
{
    const struct lod_record_desc *kept = lod_record_desc_table_find(&index->recds, number);

    if (kept) {
        *ret_recd = *kept;
        return 0;
    }
    if (number >= index->super.totals.records) {
        return -ENOENT;
    }
    int error = read_record(index, number, ret_recd);
    if (!error) {
        lod_record_desc_table_keep(&index->recds, ret_recd);
    }
    return error;
}

int lod_index_name(struct lod_index *index, const struct lod_node *node,
                   char name[LOD_NAME_MAX + 1])
{
    char text[LOD_NAME_MAX + 1];

    if (node->name_bytes == 0) {
        name[0] = '\0'; /* the root */
        return 0;
    }
    int error = copy_heap(index, node->name_at, text, node->name_bytes);
    if (!error && !lod_name_valid(text, node->name_bytes)) {
        error = -EILSEQ;
    }
    if (!error) {
        memcpy(name, text, node->name_bytes);
        name[node->name_bytes] = '\0';
    }
    return error;
}

int lod_index_target(struct lod_index *index, const struct lod_node *node,
                     char target[LOD_TARGET_MAX + 1])
{
    if (!S_ISLNK(node->mode)) {
        return -EINVAL;
    }
    int error = copy_heap(index, node->name_at + node->name_bytes, target, node->count);
    if (!error && memchr(target, '\0', node->count)) {
        error = -EILSEQ;
    }
    target[error ? 0 : node->count] = '\0';
    return error;
}

struct name_search {
    struct lod_index *index;
    const struct lod_node *folder;
    const char *name;
    size_t bytes;
    struct lod_block_ref rows, names; /* later probes are mostly in the same block */
    struct lod_node node;             /* of the last probe */
};

static int hold_node(struct name_search *s, uint32_t number, struct lod_node *ret_node)
{
    const uint32_t a_block = LOD_BLOCK_PAYLOAD / LOD_NODE_ROW_BYTES;
    const uint8_t *block = NULL;

    int error = lod_blocks_ref(s->index->blocks, LOD_SECTION_NODE,
                               s->index->super.section[LOD_SECTION_NODE].first, number / a_block,
                               &s->rows, &block);
    return error ? error
                 : lod_node_take(block + number % a_block * LOD_NODE_ROW_BYTES, number,
                                 &s->index->super.totals, ret_node);
}

/* Compares a name. Only a name that is found is returned to the caller, so only that one is
 * validated. */
static int probe_name(void *ctx, uint32_t number, int *ret_order)
{
    struct name_search *s = ctx;
    const uint8_t *block = NULL;

    int error = hold_node(s, number, &s->node);
    if (!error && s->node.parent != s->folder->number) {
        error = -EILSEQ;
    }
    error = error ? error
                  : lod_blocks_ref(s->index->blocks, LOD_SECTION_NAME,
                                   s->index->super.section[LOD_SECTION_NAME].first,
                                   s->node.name_at / LOD_BLOCK_BYTES, &s->names, &block);
    if (error) {
        return error;
    }
    size_t common = s->bytes < s->node.name_bytes ? s->bytes : s->node.name_bytes;
    int order = memcmp(s->name, block + s->node.name_at % LOD_BLOCK_BYTES, common);
    *ret_order = order ? order : (int)s->bytes - (int)s->node.name_bytes;
    return 0;
}

int lod_index_lookup(struct lod_index *index, const struct lod_node *folder, const char *name,
                     size_t name_bytes, struct lod_node *ret_node)
{
    struct name_search s = {.index = index, .folder = folder, .name = name, .bytes = name_bytes};
    uint32_t number;

    if (!S_ISDIR(folder->mode)) {
        return -ENOTDIR;
    }
    if (!lod_name_valid(name, name_bytes)) {
        return -ENOENT;
    }
    int error = lod_search(probe_name, &s, folder->ref, folder->ref + folder->count, &number);
    lod_block_ref_drop(&s.rows);
    lod_block_ref_drop(&s.names);
    if (!error) {
        *ret_node = s.node;
    }
    return error;
}

struct item_search {
    struct lod_index *index;
    uint32_t item;
    struct lod_record_desc recd;
};

static int order_of(uint32_t item, uint32_t first, uint32_t items)
{
    return item < first ? -1 : item - first >= items;
}

static int probe_item(void *ctx, uint32_t number, int *ret_order)
{
    struct item_search *s = ctx;
    const struct lod_record_desc *kept = lod_record_desc_table_find(&s->index->recds, number);
    uint8_t row[LOD_RECORD_DESC_ROW_BYTES];

    if (kept) {
        *ret_order = order_of(s->item, kept->first_item, kept->items);
        return 0;
    }
    /* Probes need only the first fields; lod_index_record checks the row that is found. */
    int error = copy_row(s->index, LOD_SECTION_RECD, number, row);
    if (!error) {
        *ret_order = order_of(s->item, lod_get_le32(row), lod_get_le32(row + 4));
    }
    return error;
}

int lod_index_record_of(struct lod_index *index, uint32_t item, struct lod_record_desc *ret_recd)
{
    struct item_search s = {.index = index, .item = item};
    uint32_t number;

    if (item >= index->super.totals.items) {
        return -ENOENT;
    }
    int error = lod_search(probe_item, &s, 0, index->super.totals.records, &number);
    if (error) {
        return error == -ENOENT ? -EILSEQ : error; /* every item is in a record */
    }
    return lod_index_record(index, number, ret_recd);
}

static int open_object(struct lod_index *index, struct lod_store *store,
                       const struct lod_manifest *manifest, struct lod_why *why)
{
    const struct lod_object_facts facts = {.bytes = manifest->index_bytes,
                                           .key = manifest->index_hash};
    uint8_t block[LOD_BLOCK_BYTES];

    int error = lod_object_open_known(store, LOD_INDEX_NAME, &facts, &index->object);
    if (error == -EBADMSG || facts.bytes < LOD_BLOCK_BYTES || facts.bytes % LOD_BLOCK_BYTES) {
        return lod_refuse(
            why, -EIO,
            "the index is truncated or replaced: manifest.json gives another size" LOD_REPAIR_HOW);
    }
    if (error == -ENOENT) {
        return lod_refuse(why, -EIO, "the index is missing" LOD_REPAIR_HOW);
    }
    if (error) {
        return lod_refuse(why, error,
                          error == -EACCES ? "the index may not be read by this user"
                                           : "the index" LOD_UNFIT_FILE);
    }
    error = lod_superblock_read(index->object, manifest, block);
    if (error && error != -EBADMSG) {
        return lod_refuse(why, error, "the index cannot be read");
    }
    if (error) {
        return lod_refuse(
            why, -EBADMSG,
            "the superblock of the index is damaged: its hash differs" LOD_REPAIR_HOW);
    }
    return lod_superblock_take(block, manifest, &index->super, why);
}

static int create_caches(struct lod_index *index, const struct lod_manifest *manifest,
                         size_t cache_bytes)
{
    int error = lod_record_desc_table_init(&index->recds, index->super.totals.records,
                                           cache_bytes / RECDS_PART);

    error = error ? error
                  : lod_blocks_create(index->object, manifest->store_id.low,
                                      cache_bytes - lod_record_desc_table_bytes(&index->recds),
                                      &index->blocks);
    return error;
}

int lod_index_open(struct lod_store *store, const struct lod_manifest *manifest, size_t cache_bytes,
                   struct lod_index **ret_index, struct lod_why *why)
{
    struct lod_index *index = calloc(1, sizeof(*index));

    if (!index) {
        return -ENOMEM;
    }
    int error = open_object(index, store, manifest, why);
    error = error ? error : create_caches(index, manifest, cache_bytes);
    if (error) {
        lod_index_close(index);
        return error;
    }
    *ret_index = index;
    return 0;
}

void lod_index_copy_whole(struct lod_index *index, const struct lod_store *store)
{
    uint64_t room = 0;

    lod_blocks_copy_whole(index->blocks, lod_store_ranges(store),
                          lod_store_copies(store, 0, &room));
}

struct lod_index *lod_index_close(struct lod_index *index)
{
    if (index) {
        lod_record_desc_table_finish(&index->recds);
        lod_blocks_destroy(index->blocks);
        lod_object_close(index->object);
        free(index);
    }
    return NULL;
}

struct lod_section lod_index_section(const struct lod_index *index, unsigned id)
{
    assert(id >= LOD_SECTION_NODE && id <= LOD_SECTION_LAST);
    return index->super.section[id];
}

bool lod_index_failure_take(struct lod_index *index, struct lod_block_failure *ret_failure)
{
    return lod_blocks_failure_take(index->blocks, ret_failure);
}

const struct lod_io_estimate *lod_index_io_estimate(const struct lod_index *index)
{
    return lod_blocks_io_estimate(index->blocks);
}

uint32_t lod_index_nodes(const struct lod_index *index)
{
    return index->super.totals.nodes;
}

uint32_t lod_index_items(const struct lod_index *index)
{
    return index->super.totals.items;
}

uint32_t lod_index_records(const struct lod_index *index)
{
    return index->super.totals.records;
}

uint32_t lod_index_sums_rows(const struct lod_index *index)
{
    return index->super.totals.sums;
}

uint64_t lod_index_source_bytes(const struct lod_index *index)
{
    return index->super.source_bytes;
}

struct lod_index_keys lod_index_keys(const struct lod_index *index)
{
    return index->super.keys;
}
