/* SPDX-License-Identifier: Apache-2.0 */
/* See warm_records.h. */
#include "warmup/warm_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct search {
    struct lod_dataset *dataset;
    struct lod_warm_records *records;
    struct lod_record_desc last; /* remembered, since adjacent items are mostly in one record */
};

static int add_item(struct search *search, uint32_t item)
{
    const struct lod_record_desc *last = &search->last;

    if (item < last->first_item || item - last->first_item >= last->items) {
        int error = lod_index_record_of(lod_dataset_index(search->dataset), item, &search->last);
        if (error) {
            return error;
        }
    }
    search->records->wanted[last->number] = 1;
    return 0;
}

static int add_node(struct search *search, const struct lod_node *node, unsigned depth);

/* A child names its folder, so no node is visited twice. */
static int add_children(struct search *search, const struct lod_node *folder, unsigned depth)
{
    struct lod_node child;
    int error = depth < LOD_DEPTH_MAX ? 0 : -EILSEQ;

    for (uint32_t i = 0; !error && i < folder->count; i++) {
        error = lod_index_node(lod_dataset_index(search->dataset), folder->ref + i, &child);
        error = error                            ? error
                : child.parent != folder->number ? -EILSEQ
                                                 : add_node(search, &child, depth + 1);
    }
    return error;
}

static int add_node(struct search *search, const struct lod_node *node, unsigned depth)
{
    const uint32_t items = lod_index_items(lod_dataset_index(search->dataset));

    return S_ISDIR(node->mode)                        ? add_children(search, node, depth)
           : S_ISREG(node->mode) && node->ref < items ? add_item(search, node->ref)
                                                      : 0;
}

static int number(struct lod_warm_records *records, uint32_t count)
{
    int error = 0;

    records->count = 0;
    for (uint32_t i = 0; !error && i < count; i++) {
        error = records->wanted[i] ? LOD_LIST_ADD(records, i) : 0;
    }
    return error;
}

int lod_warm_records_add(struct lod_warm_records *records, struct lod_dataset *dataset,
                         const char *path)
{
    const uint32_t count = lod_dataset_records(dataset);
    struct search search = {.dataset = dataset, .records = records};
    struct lod_node node;
    int error = 0;

    if (!records->wanted) {
        records->wanted = calloc((size_t)count + 1, 1);
    }
    if (!records->wanted) {
        return -ENOMEM;
    }
    if (*path) {
        error = lod_dataset_walk(dataset, path, &node);
        error = error ? error : add_node(&search, &node, 0);
    } else {
        memset(records->wanted, 1, count);
    }
    return error ? error : number(records, count);
}

void lod_warm_records_finish(struct lod_warm_records *records)
{
    free(records->wanted);
    free(records->at);
    *records = (struct lod_warm_records){0};
}
