/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the index: the tree numbered by tree_order.c, then NODE and NAME side by side, ITEM,
 * RECD, and the superblock last. FORMAT.md, Index. Memory besides the input: 12 bytes an entry and
 * 4 an item.
 */
#include "store/index_write.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "hash.h"
#include "store/blocks.h"
#include "store/decoded_name.h"
#include "store/file_io.h"
#include "store/rows.h"
#include "store/section_write.h"
#include "store/tree_order.h"

#define NO_NODE UINT32_MAX /* never a node's number: see LOD_NODES_MAX */

enum { NODE, ITEM, RECD, NAME, SECTIONS };

static const uint32_t row_bytes[SECTIONS] = {
    [NODE] = LOD_NODE_ROW_BYTES,
    [ITEM] = LOD_ITEM_ROW_BYTES,
    [RECD] = LOD_RECD_ROW_BYTES,
    [NAME] = 0, /* a heap of strings */
};

struct writer {
    const struct lod_index_input *input;
    struct lod_tree_order order;
    uint32_t items;
    uint32_t *own_nodes; /* by item; NO_NODE: none (the item of a tree record) */
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

/* Which node is each item's own: the one file entry of it without ALIAS. */
static int find_own_nodes(struct writer *writer, const char **ret_bad)
{
    writer->own_nodes = malloc(((size_t)writer->items + 1) * sizeof(*writer->own_nodes));
    if (!writer->own_nodes) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < writer->items; i++) {
        writer->own_nodes[i] = NO_NODE;
    }
    for (uint32_t node = 0; node < writer->order.count; node++) {
        const struct lod_entry *entry = &writer->input->entries[writer->order.entries[node]];
        const bool own = !(entry->flags & LOD_NODE_ALIAS);
        if (!S_ISREG(entry->mode)) {
            continue;
        }
        if (entry->item >= writer->items || (own && writer->own_nodes[entry->item] != NO_NODE)) {
            *ret_bad = entry->path;
            return -EINVAL;
        }
        if (own) {
            writer->own_nodes[entry->item] = node;
        }
    }
    return 0;
}

static uint64_t blocks_of(uint64_t rows, uint32_t bytes)
{
    const uint64_t a_block = LOD_BLOCK_PAYLOAD / bytes;

    return (rows + a_block - 1) / a_block;
}

/* The lengths of all sections but the last follow from the counts, so their places do too. */
static void place_sections(struct writer *writer, int fd)
{
    const uint64_t rows[SECTIONS] = {
        [NODE] = writer->order.count,
        [ITEM] = writer->items,
        [RECD] = writer->input->records_count,
    };
    uint64_t at = LOD_SECTION_ALIGN;

    for (unsigned i = 0; i < SECTIONS; i++) {
        writer->section[i].fd = fd;
        writer->section[i].compare = writer->input->compare;
        writer->section[i].seed = writer->input->store_id.low;
        writer->section[i].section = LOD_SECTION_NODE + i;
        writer->section[i].first = at / LOD_BLOCK_BYTES;
        if (i != NAME) {
            at += blocks_of(rows[i], row_bytes[i]) * LOD_BLOCK_BYTES;
            at = lod_round_up(at, LOD_SECTION_ALIGN);
        }
    }
}

static const char *base_name(const struct lod_entry *entry)
{
    const char *slash = strrchr(entry->path, '/');

    return slash ? slash + 1 : entry->path;
}

/* The name, a symlink's target behind it; nothing for the root. */
static int write_name(struct writer *writer, const struct lod_entry *entry, struct lod_node *node)
{
    const char *name = base_name(entry);
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
               ? base_name(&place->writer->input->entries[order->entries[number]])
               : NULL;
}

/* APPEND follows from the names of the folder, whatever the entry says of it. */
static uint8_t flags_of(const struct writer *writer, const struct lod_entry *entry, uint32_t node)
{
    struct place place = {.writer = writer, .node = node};
    struct lod_siblings siblings = {.at = sibling, .ctx = &place};
    uint8_t flags = entry->flags & (uint8_t)~LOD_NODE_APPEND;

    return S_ISREG(entry->mode) && lod_picture_shares_stem(base_name(entry), &siblings)
               ? flags | LOD_NODE_APPEND
               : flags;
}

/* In node order; the children of the folders met so far are the nodes up to `next`. */
static int write_nodes(struct writer *writer)
{
    const struct lod_tree_order *order = &writer->order;
    uint8_t row[LOD_NODE_ROW_BYTES];
    uint32_t next = 1;

    for (uint32_t number = 0; number < order->count; number++) {
        const struct lod_entry *entry = &writer->input->entries[order->entries[number]];
        struct lod_node node = {
            .number = number,
            .parent = order->parents[number],
            .mode = entry->mode,
            .flags = flags_of(writer, entry, number),
            .mtime = entry->mtime,
        };
        if (S_ISREG(entry->mode)) {
            node.ref = entry->item;
        } else if (S_ISDIR(entry->mode)) {
            uint32_t first = next;
            while (next < order->count && order->parents[next] == number) {
                next++;
            }
            node.count = next - first;
            node.ref = node.count ? first : 0;
        }
        int error = write_name(writer, entry, &node);
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
    struct lod_recd recd = record->recd;
    uint8_t row[LOD_RECD_ROW_BYTES], item[LOD_ITEM_ROW_BYTES];
    uint64_t path_at = 0;

    recd.first_item = first_item;
    for (uint32_t slot = 0; slot < recd.items; slot++) {
        uint32_t own = writer->own_nodes[first_item + slot];
        memcpy(item, record->rows + (size_t)slot * LOD_ROW_BYTES, sizeof(item));
        lod_put_le32(item + 4, own == NO_NODE ? 0 : own);
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
    lod_recd_put(&recd, path_at, row);
    return lod_section_append(&writer->section[RECD], row, sizeof(row), NULL);
}

static int write_sections(struct writer *writer)
{
    uint32_t first_item = 0;

    int error = write_nodes(writer);
    for (size_t i = 0; !error && i < writer->input->records_count; i++) {
        const struct lod_entry_record *record = &writer->input->records[i];
        error = lod_recd_check(&record->recd);
        error = error ? error : lod_recd_check_path(&record->recd);
        error = error ? error : write_record(writer, record, first_item);
        first_item += record->recd.items;
    }
    for (unsigned i = 0; !error && i < SECTIONS; i++) {
        error = lod_section_finish(&writer->section[i]);
    }
    return error;
}

static uint64_t index_bytes(const struct writer *writer)
{
    const struct lod_section_writer *last = &writer->section[NAME];

    return (last->first + last->blocks) * LOD_BLOCK_BYTES;
}

/* Block 0, section 0. */
static void make_superblock(const struct writer *writer, uint8_t block[LOD_BLOCK_BYTES])
{
    const struct lod_index_input *input = writer->input;
    const uint64_t rows[SECTIONS] = {writer->order.count, writer->items, input->records_count, 0};

    memset(block, 0, LOD_BLOCK_BYTES);
    memcpy(block, LOD_INDEX_MAGIC, 8);
    lod_put_le16(block + 8, LOD_FORMAT_MAJOR);
    lod_put_le16(block + 10, LOD_FORMAT_MINOR);
    lod_put_le32(block + 12, LOD_BLOCK_BYTES);
    lod_put_le64(block + 32, input->store_id.low);
    lod_put_le64(block + 40, input->store_id.high);
    lod_put_le32(block + 48, writer->order.count);
    lod_put_le32(block + 52, writer->items);
    lod_put_le32(block + 56, (uint32_t)input->records_count);
    lod_put_le32(block + 60, SECTIONS);
    lod_put_le64(block + 64, index_bytes(writer));
    lod_put_le64(block + 72, input->source_bytes);
    for (unsigned i = 0; i < SECTIONS; i++) {
        uint8_t *at = block + 96 + (size_t)i * 32;
        lod_put_le32(at, writer->section[i].section);
        lod_put_le32(at + 4, row_bytes[i]);
        lod_put_le64(at + 8, writer->section[i].first);
        lod_put_le64(at + 16, writer->section[i].blocks);
        lod_put_le64(at + 24, rows[i]);
    }
    lod_block_seal(block, input->store_id.low, LOD_SECTION_SUPER, 0);
}

static int write_rest(struct writer *writer, int fd, const uint8_t superblock[LOD_BLOCK_BYTES])
{
    int error = ftruncate(fd, (off_t)index_bytes(writer)) < 0 ? -errno : 0;

    error = error ? error : lod_file_pwrite(fd, 0, superblock, LOD_BLOCK_BYTES);
    return error ? error : lod_file_sync(fd);
}

/* A file to compare that is none, or not to be read, has other bytes. */
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
    place_sections(writer, fd);
    error = write_sections(writer);
    if (!error) {
        make_superblock(writer, superblock);
        error = writer->input->compare
                    ? lod_section_compare_rest(writer->section, SECTIONS, superblock)
                    : write_rest(writer, fd, superblock);
    }
    close(fd);
    if (!error) {
        *ret_index_bytes = index_bytes(writer);
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
    error = error ? error
                  : lod_tree_order_make(input->entries, input->entries_count, &writer->order, &bad);
    error = error ? error : find_own_nodes(writer, &bad);
    error = error ? error : write_file(writer, dir_fd, ret_index_bytes, ret_index_hash);
    if (error) {
        *ret_bad = bad;
    }
    lod_tree_order_finish(&writer->order);
    free(writer->own_nodes);
    free(writer);
    return error;
}
