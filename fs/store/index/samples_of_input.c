/* SPDX-License-Identifier: Apache-2.0 */
/* See samples_of_input.h. Numbers come from the input's own counts, so none is out of range. */
#include "index/samples_of_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "list.h"

struct source {
    const struct lod_index_input *input;
    const struct lod_tree_order *order;
    const uint32_t *own_nodes;
    uint32_t *first_items; /* by record */
};

static struct lod_entry entry_at(const struct source *source, uint32_t number)
{
    return lod_index_entry(source->input, source->order->entries[number]);
}

/* The first node, above 0, whose parent is `parent` or greater: parents never decrease. */
static uint32_t first_child(const struct lod_tree_order *order, uint32_t parent)
{
    uint32_t low = 1;

    LOD_SEARCH(low, order->count, order->parents[middle] < parent);
    return low;
}

static int get_node(void *ctx, uint32_t number, struct lod_sample_node *ret)
{
    const struct source *source = ctx;
    const struct lod_entry entry = entry_at(source, number);

    *ret = (struct lod_sample_node){.number = number,
                                    .parent = source->order->parents[number],
                                    .item = entry.item,
                                    .mtime = entry.mtime,
                                    .mode = entry.mode,
                                    .flags = entry.flags};
    if (S_ISDIR(entry.mode)) {
        ret->first = first_child(source->order, number);
        ret->count = first_child(source->order, number + 1) - ret->first;
    }
    return 0;
}

static int get_path(void *ctx, uint32_t number, char path[LOD_PATH_MAX + 1])
{
    const char *from = entry_at(ctx, number).path;

    if (strlen(from) > LOD_PATH_MAX) {
        return -E2BIG;
    }
    strcpy(path, from);
    return 0;
}

static int get_name(void *ctx, uint32_t number, char name[LOD_NAME_MAX + 1])
{
    const char *path = entry_at(ctx, number).path, *slash = strrchr(path, '/');

    strcpy(name, slash ? slash + 1 : path); /* fits: the order has checked all names */
    return 0;
}

static int get_record(void *ctx, uint32_t number, struct lod_sample_record *ret)
{
    const struct source *source = ctx;
    const struct lod_record_desc *recd = &source->input->records[number].recd;

    *ret = (struct lod_sample_record){.first_item = source->first_items[number],
                                      .items = recd->items,
                                      .cut = recd->cut,
                                      .codec = recd->codec,
                                      .kind = (uint8_t)lod_record_kind(recd)};
    return 0;
}

static uint32_t record_of(const struct source *source, uint32_t item)
{
    size_t next = 1;

    LOD_SEARCH(next, source->input->records_count, source->first_items[middle] <= item);
    return (uint32_t)next - 1;
}

static int get_record_of(void *ctx, uint32_t item, struct lod_sample_record *ret)
{
    return get_record(ctx, record_of(ctx, item), ret);
}

static int get_item(void *ctx, uint32_t number, uint8_t row[LOD_ROW_BYTES])
{
    const struct source *source = ctx;
    const uint32_t record = record_of(source, number), own = source->own_nodes[number];
    const uint32_t slot = number - source->first_items[record];

    memcpy(row, source->input->records[record].rows + (size_t)slot * LOD_ROW_BYTES, LOD_ROW_BYTES);
    lod_put_le32(row + 4, own == LOD_NO_NODE ? 0 : own);
    return 0;
}

static int get_magics(void *ctx, uint32_t item, struct lod_magics *ret)
{
    const struct source *source = ctx;
    const uint32_t number = record_of(source, item);
    const struct lod_entry_record *record = &source->input->records[number];

    return lod_magics_find(record->rows, item - source->first_items[number], record->magics, ret);
}

static int get_label(void *ctx, uint32_t item, int32_t *ret)
{
    const struct source *source = ctx;
    const uint32_t number = record_of(source, item);
    const int32_t *labels = source->input->records[number].labels;

    *ret = labels ? labels[item - source->first_items[number]] : LOD_NO_LABEL;
    return 0;
}

int lod_samples_of_input(const struct lod_index_input *input, const struct lod_tree_order *order,
                         const uint32_t *own_nodes, uint32_t items, struct lod_samples *ret_samples)
{
    struct source source = {.input = input, .order = order, .own_nodes = own_nodes};
    const struct lod_sample_tree tree = {.nodes = order->count,
                                         .items = items,
                                         .records = (uint32_t)input->records_count,
                                         .seed = input->seed,
                                         .ctx = &source,
                                         .node = get_node,
                                         .name = get_name,
                                         .path = get_path,
                                         .item = get_item,
                                         .record = get_record,
                                         .record_of = get_record_of,
                                         .metadata_ctx = &source,
                                         .label = get_label,
                                         .magics = get_magics};
    uint32_t item = 0;

    source.first_items = malloc((input->records_count + 1) * sizeof(source.first_items[0]));
    if (!source.first_items) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < input->records_count; i++) {
        source.first_items[i] = item;
        item += input->records[i].recd.items;
    }
    int error = lod_samples_derive(&tree, ret_samples);
    free(source.first_items);
    return error;
}
