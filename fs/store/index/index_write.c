/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the index. tree_order.c numbers the nodes; then NODE and NAME are written together, ITEM,
 * RECD, SUMS, SAMP, and the superblock last. FORMAT.md, Index. Memory besides the input: 12
 * bytes for an entry, 12 for an item and some 100 for a record.
 */
#include "index/index_write.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "hash.h"
#include "index/decoded_name.h"
#include "backend/file_io.h"
#include "index/rows.h"
#include "index/samples_of_input.h"
#include "index/section_write.h"
#include "index/superblock.h"
#include "index/tree_order.h"

enum { NODE, ITEM, RECD, NAME, SUMS, SAMP, SECTIONS }; /* in the order of the file */

struct writer {
    const struct lod_index_input *input;
    struct lod_tree_order order;
    uint32_t items;
    uint32_t *own_nodes; /* for each item; LOD_NO_NODE: none (the item of a tree record) */
    struct lod_samples samples;
    uint64_t rows[SECTIONS];
    struct lod_section_writer section[SECTIONS];
};

static int count_items(const struct lod_index_input *input, uint32_t *ret_items)
{
    uint64_t items = 0;

    for (size_t i = 0; i < input->records_count; i++) {
        items += input->records[i].recd.items;
    }
    if (items > LOD_NODES_MAX || input->records_count > LOD_NODES_MAX) {
        return -E2BIG;
    }
    *ret_items = (uint32_t)items;
    return 0;
}

/* Finds each item's own node: the one file entry of the item without ALIAS. */
static int find_own_nodes(struct writer *writer, const char **ret_bad)
{
    writer->own_nodes = malloc(((size_t)writer->items + 1) * sizeof(*writer->own_nodes));
    if (!writer->own_nodes) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < writer->items; i++) {
        writer->own_nodes[i] = LOD_NO_NODE;
    }
    for (uint32_t node = 0; node < writer->order.count; node++) {
        const struct lod_entry entry = lod_index_entry(writer->input, writer->order.entries[node]);
        const bool own = !(entry.flags & LOD_NODE_ALIAS);
        if (!S_ISREG(entry.mode)) {
            continue;
        }
        if (entry.item >= writer->items || (own && writer->own_nodes[entry.item] != LOD_NO_NODE)) {
            *ret_bad = entry.path;
            return -EINVAL;
        }
        if (own) {
            writer->own_nodes[entry.item] = node;
        }
    }
    return 0;
}

static uint64_t blocks_of(uint64_t rows, uint32_t bytes)
{
    const uint64_t a_block = LOD_BLOCK_PAYLOAD / bytes;

    return (rows + a_block - 1) / a_block;
}

static void count_rows(struct writer *writer)
{
    writer->rows[NODE] = writer->order.count;
    writer->rows[ITEM] = writer->rows[SAMP] = writer->items;
    writer->rows[RECD] = writer->input->records_count;
    writer->rows[SUMS] = writer->samples.sums.count;
}

/*
 * Computes the places of sections first .. end - 1, the first one of which begins at byte `at`. The
 * length of NAME does not follow from a count, so the sections behind it are placed after it.
 */
static void place_sections(struct writer *writer, int fd, unsigned first, unsigned end, uint64_t at)
{
    for (unsigned i = first; i < end; i++) {
        writer->section[i].fd = fd;
        writer->section[i].compare = writer->input->compare;
        writer->section[i].seed = writer->input->store_id.low;
        writer->section[i].section = LOD_SECTION_NODE + i;
        writer->section[i].first = at / LOD_BLOCK_BYTES;
        if (i != NAME) {
            at += blocks_of(writer->rows[i], lod_section_row_bytes(LOD_SECTION_NODE + i)) *
                  LOD_BLOCK_BYTES;
            at = lod_round_up(at, LOD_SECTION_ALIGN);
        }
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Writes the name, and a link's target after it; nothing for the root. */
static int write_name(struct writer *writer, const struct lod_entry *entry, struct lod_node *node)
{
    const char *name = base_name(entry->path);
    char heap[LOD_NAME_MAX + LOD_TARGET_MAX];
    size_t name_bytes = strlen(name), target_bytes = entry->target ? strlen(entry->target) : 0;

    node->name_bytes = (uint8_t)name_bytes;
    if (name_bytes == 0) {
        return 0;
    }
    memcpy(heap, name, name_bytes);
    if (target_bytes) {
        memcpy(heap + name_bytes, entry->target, target_bytes);
        node->count = (uint32_t)target_bytes;
    }
    return lod_section_append(&writer->section[NAME], heap, (uint32_t)(name_bytes + target_bytes),
                              &node->name_at);
}

struct place {
    const struct writer *writer;
    uint32_t node;
};

static const char *sibling(void *ctx, long distance)
{
    const struct place *place = ctx;
    const struct lod_tree_order *order = &place->writer->order;
    int64_t number = (int64_t)place->node + distance;

    return number > 0 && number < order->count &&
                   order->parents[number] == order->parents[place->node]
               ? base_name(lod_index_entry(place->writer->input, order->entries[number]).path)
               : NULL;
}

/* Returns the node's flags. APPEND follows from the names of the folder; the entry's own is
 * ignored. */
static uint8_t flags_of(const struct writer *writer, const struct lod_entry *entry, uint32_t node)
{
    struct place place = {.writer = writer, .node = node};
    struct lod_siblings siblings = {.at = sibling, .ctx = &place};
    uint8_t flags = entry->flags & (uint8_t)~LOD_NODE_APPEND;

    return S_ISREG(entry->mode) && lod_picture_shares_stem(base_name(entry->path), &siblings)
               ? flags | LOD_NODE_APPEND
               : flags;
}

/*
 * Writes the nodes in order. The children of the folders written so far are the nodes up to `next`.
 */
static int write_nodes(struct writer *writer)
{
    const struct lod_tree_order *order = &writer->order;
    uint8_t row[LOD_NODE_ROW_BYTES];
    uint32_t next = 1;

    for (uint32_t number = 0; number < order->count; number++) {
        const struct lod_entry entry = lod_index_entry(writer->input, order->entries[number]);
        struct lod_node node = {
            .number = number,
            .parent = order->parents[number],
            .mode = entry.mode,
            .flags = flags_of(writer, &entry, number),
            .mtime = entry.mtime,
        };
        if (S_ISREG(entry.mode)) {
            node.ref = entry.item;
        } else if (S_ISDIR(entry.mode)) {
            uint32_t first = next;
            while (next < order->count && order->parents[next] == number) {
                next++;
            }
            node.count = next - first;
            node.ref = node.count ? first : 0;
        }
        int error = write_name(writer, &entry, &node);
        if (error) {
            return error;
        }
        lod_node_put(&node, row);
        error = lod_section_append(&writer->section[NODE], row, sizeof(row), NULL);
        if (error) {
            return error;
        }
    }
    assert(next == order->count);
    return 0;
}

static int write_record(struct writer *writer, const struct lod_entry_record *record,
                        uint32_t first_item)
{
    struct lod_record_desc recd = record->recd;
    uint8_t row[LOD_RECORD_DESC_ROW_BYTES], item[LOD_ITEM_ROW_BYTES];
    uint64_t path_at = 0;

    recd.first_item = first_item;
    for (uint32_t slot = 0; slot < recd.items; slot++) {
        uint32_t own = writer->own_nodes[first_item + slot];
        memcpy(item, record->rows + (size_t)slot * LOD_ROW_BYTES, sizeof(item));
        lod_put_le32(item + 4, own == LOD_NO_NODE ? 0 : own);
        int error = lod_section_append(&writer->section[ITEM], item, sizeof(item), NULL);
        if (error) {
            return error;
        }
    }
    int error = lod_section_append(&writer->section[NAME], recd.path, (uint32_t)strlen(recd.path),
                                   &path_at);
    if (error) {
        return error;
    }
    lod_record_desc_put(&recd, path_at, row);
    return lod_section_append(&writer->section[RECD], row, sizeof(row), NULL);
}

static int finish_sections(struct writer *writer, unsigned first, unsigned end)
{
    int error = 0;

    for (unsigned i = first; !error && i < end; i++) {
        error = lod_section_finish(&writer->section[i]);
    }
    return error;
}

/* Returns the first byte behind a section that is finished. */
static uint64_t end_of(const struct writer *writer, unsigned section)
{
    const struct lod_section_writer *at = &writer->section[section];

    return (at->first + at->blocks) * LOD_BLOCK_BYTES;
}

static int write_tree(struct writer *writer)
{
    uint32_t first_item = 0;

    int error = write_nodes(writer);
    for (size_t i = 0; !error && i < writer->input->records_count; i++) {
        const struct lod_entry_record *record = &writer->input->records[i];
        error = lod_record_desc_check(&record->recd);
        error = error ? error : lod_record_desc_check_path(&record->recd);
        error = error ? error : write_record(writer, record, first_item);
        first_item += record->recd.items;
    }
    return error ? error : finish_sections(writer, NODE, SUMS);
}

static int write_samples(struct writer *writer)
{
    uint8_t row[LOD_SUMS_ROW_BYTES];
    int error = 0;

    for (size_t i = 0; !error && i < writer->samples.sums.count; i++) {
        lod_sums_row_put(&writer->samples.sums.at[i], row);
        error = lod_section_append(&writer->section[SUMS], row, sizeof(row), NULL);
    }
    for (uint32_t i = 0; !error && i < writer->items; i++) {
        error = lod_section_append(&writer->section[SAMP],
                                   writer->samples.rows + (size_t)i * LOD_SAMPLE_ROW_BYTES,
                                   LOD_SAMPLE_ROW_BYTES, NULL);
    }
    return error ? error : finish_sections(writer, SUMS, SECTIONS);
}

static int write_sections(struct writer *writer, int fd)
{
    count_rows(writer);
    place_sections(writer, fd, NODE, SUMS, LOD_SECTION_ALIGN);
    int error = write_tree(writer);
    if (!error) {
        const uint64_t at = lod_round_up(end_of(writer, NAME), LOD_SECTION_ALIGN);
        place_sections(writer, fd, SUMS, SECTIONS, at);
        error = write_samples(writer);
    }
    return error;
}

static void make_superblock(const struct writer *writer, uint8_t block[LOD_BLOCK_BYTES])
{
    struct lod_superblock super = {
        .totals = {.nodes = writer->order.count,
                   .items = writer->items,
                   .records = (uint32_t)writer->input->records_count,
                   .sums = (uint32_t)writer->samples.sums.count},
        .source_bytes = writer->input->source_bytes,
        .keys = {.seed = writer->input->seed, .ascend = writer->samples.ascend}};

    for (unsigned i = 0; i < SECTIONS; i++) {
        const struct lod_section_writer *section = &writer->section[i];
        super.section[section->section] =
            (struct lod_section){.first = section->first, .blocks = section->blocks};
    }
    lod_superblock_put(&super, writer->input->store_id, end_of(writer, SAMP), block);
}

static int write_rest(struct writer *writer, int fd, const uint8_t superblock[LOD_BLOCK_BYTES])
{
    int error = ftruncate(fd, (off_t)end_of(writer, SAMP)) < 0 ? -errno : 0;

    error = error ? error : lod_file_pwrite(fd, 0, superblock, LOD_BLOCK_BYTES);
    return error ? error : lod_file_sync(fd);
}

/* Opens the index file. In comparisons a file that is missing or unreadable counts as different. */
static int open_file(const struct writer *writer, int dir_fd, int *ret_fd)
{
    const char *name = writer->input->file_name ? writer->input->file_name : LOD_INDEX_NAME;

    if (!writer->input->compare) {
        return lod_file_create(dir_fd, name, ret_fd);
    }
    int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : -ESTALE;
    }
    *ret_fd = fd;
    return 0;
}

static int write_file(struct writer *writer, int dir_fd, uint64_t *ret_index_bytes,
                      uint64_t *ret_index_hash)
{
    uint8_t superblock[LOD_BLOCK_BYTES];
    int fd;

    int error = open_file(writer, dir_fd, &fd);
    if (error) {
        return error;
    }
    error = write_sections(writer, fd);
    if (!error) {
        make_superblock(writer, superblock);
        error = writer->input->compare
                    ? lod_section_compare_rest(writer->section, SECTIONS, superblock)
                    : write_rest(writer, fd, superblock);
    }
    close(fd);
    if (!error) {
        *ret_index_bytes = end_of(writer, SAMP);
        *ret_index_hash = lod_hash64(superblock, sizeof(superblock), 0);
    }
    return error;
}

int lod_index_write(int dir_fd, const struct lod_index_input *input, uint64_t *ret_index_bytes,
                    uint64_t *ret_index_hash, const char **ret_bad)
{
    struct writer *writer = calloc(1, sizeof(*writer));
    const char *bad = "";

    if (!writer) {
        return -ENOMEM;
    }
    writer->input = input;
    int error = count_items(input, &writer->items);
    error = error ? error : lod_tree_order_make(input, &writer->order, &bad);
    error = error ? error : find_own_nodes(writer, &bad);
    error = error ? error
                  : lod_samples_of_input(input, &writer->order, writer->own_nodes, writer->items,
                                         &writer->samples);
    error = error ? error : write_file(writer, dir_fd, ret_index_bytes, ret_index_hash);
    if (error) {
        *ret_bad = bad;
    }
    lod_samples_finish(&writer->samples);
    lod_tree_order_finish(&writer->order);
    free(writer->own_nodes);
    free(writer);
    return error;
}
