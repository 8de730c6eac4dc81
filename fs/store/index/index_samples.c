/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of SAMP and SUMS, and the index as a tree of samples; see index_samples.h. */
#include "index/index_samples.h"

#include <errno.h>
#include <sys/stat.h>

#include "sample/sample_rows.h"

int lod_index_sample(struct lod_index *index, uint32_t item, struct lod_sample_row *ret_row)
{
    uint8_t row[LOD_SAMPLE_ROW_BYTES];

    if (item >= lod_index_items(index)) {
        return -ENOENT;
    }
    int error = lod_index_copy_row(index, LOD_SECTION_SAMP, item, row);
    return error ? error : lod_sample_row_take(row, ret_row);
}

int lod_index_sums(struct lod_index *index, uint32_t number, struct lod_sums_row *ret_row)
{
    uint8_t row[LOD_SUMS_ROW_BYTES];

    if (number >= lod_index_sums_rows(index)) {
        return -ENOENT;
    }
    int error = lod_index_copy_row(index, LOD_SECTION_SUMS, number, row);
    if (!error) {
        lod_sums_row_take(row, ret_row);
        error =
            (ret_row->record < lod_index_records(index) || ret_row->record == LOD_SUMS_CLOSING) &&
                    ret_row->split < lod_index_nodes(index)
                ? 0
                : -EILSEQ;
    }
    return error;
}

/* ------------------------------------------------------------------------------- the tree */

static int get_node(void *ctx, uint32_t number, struct lod_sample_node *ret)
{
    struct lod_node node;

    int error = lod_index_node(ctx, number, &node);
    if (!error) {
        *ret = (struct lod_sample_node){.number = number,
                                        .parent = node.parent,
                                        .mtime = node.mtime,
                                        .mode = node.mode,
                                        .flags = node.flags};
        ret->first = S_ISDIR(node.mode) ? node.ref : 0;
        ret->count = S_ISDIR(node.mode) ? node.count : 0;
        ret->item = S_ISREG(node.mode) ? node.ref : 0;
    }
    return error;
}

static int get_name(void *ctx, uint32_t number, char name[LOD_NAME_MAX + 1])
{
    struct lod_node node;

    int error = lod_index_node(ctx, number, &node);
    return error ? error : lod_index_name(ctx, &node, name);
}

static int get_path(void *ctx, uint32_t number, char path[LOD_PATH_MAX + 1])
{
    struct lod_node node;

    int error = lod_index_node(ctx, number, &node);
    return error ? error : lod_index_path(ctx, &node, path);
}

static int get_item(void *ctx, uint32_t number, uint8_t row[LOD_ROW_BYTES])
{
    return lod_index_item(ctx, number, row);
}

static struct lod_sample_record record_of(const struct lod_record_desc *recd)
{
    return (struct lod_sample_record){.first_item = recd->first_item,
                                      .items = recd->items,
                                      .cut = recd->cut,
                                      .codec = recd->codec,
                                      .kind = (uint8_t)lod_record_kind(recd)};
}

static int get_record(void *ctx, uint32_t number, struct lod_sample_record *ret)
{
    struct lod_record_desc recd;

    int error = lod_index_record(ctx, number, &recd);
    if (!error) {
        *ret = record_of(&recd);
    }
    return error;
}

static int get_record_of(void *ctx, uint32_t item, struct lod_sample_record *ret)
{
    struct lod_record_desc recd;

    int error = lod_index_record_of(ctx, item, &recd);
    if (!error) {
        *ret = record_of(&recd);
    }
    return error;
}

struct lod_sample_tree lod_index_sample_tree(struct lod_index *index)
{
    return (struct lod_sample_tree){.nodes = lod_index_nodes(index),
                                    .items = lod_index_items(index),
                                    .records = lod_index_records(index),
                                    .seed = lod_index_keys(index).seed,
                                    .ctx = index,
                                    .node = get_node,
                                    .name = get_name,
                                    .path = get_path,
                                    .item = get_item,
                                    .record = get_record,
                                    .record_of = get_record_of};
}
