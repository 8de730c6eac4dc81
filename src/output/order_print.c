/* SPDX-License-Identifier: Apache-2.0 */
/* See order_print.h. Items are dealt to ranks by their place in the pass. */
#include "output/order_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sample/item_label.h"
#include "sample/sample_rows.h"

#define NO_LABEL (-1)

struct printing {
    const struct lod_order_list *list;
    struct lod_index *index;
    struct lod_pass pass;
    uint32_t rank, world; /* of this node */
    uint64_t place, end;  /* items dealt so far, and all that are dealt */
    struct lod_node split;
    int32_t *labels; /* of the children of the split's folder */
    uint32_t *items;
    size_t room;
};

/* A label is the number of the class folder among those beside it (FORMAT.md, Samples). */
static int number_labels(struct printing *p)
{
    struct lod_node child;
    int32_t folders = 0;

    int error = lod_index_node(p->index, p->pass.order->node, &p->split);
    if (error) {
        return error;
    }
    p->labels = calloc((size_t)p->split.count + 1, sizeof(*p->labels));
    if (!p->labels) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < p->split.count; i++) {
        error = lod_index_node(p->index, p->split.ref + i, &child);
        if (error) {
            return error;
        }
        const bool is_class = S_ISDIR(child.mode) && !(child.flags & LOD_NODE_VIRTUAL);
        p->labels[i] = is_class ? folders++ : NO_LABEL;
    }
    return 0;
}

static int label_of(const struct printing *p, const struct lod_node *node, int32_t *ret_label)
{
    struct lod_node at = *node;
    int error = 0;

    while (!error && at.number && at.parent != p->split.number) {
        error = lod_index_node(p->index, at.parent, &at);
    }
    if (!error) {
        const uint32_t child = at.number - p->split.ref;
        *ret_label = at.number && child < p->split.count ? p->labels[child] : NO_LABEL;
    }
    return error;
}

/* The label that pack --labels gave a picture. */
static int own_label(const struct printing *p, uint32_t item, int32_t *ret_label)
{
    struct lod_sample_row row;
    int error = lod_index_sample(p->index, item, &row);

    *ret_label = error ? NO_LABEL : row.label;
    return error;
}

static int print_item(const struct printing *p, uint32_t item)
{
    char path[LOD_PATH_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];
    struct lod_node node;
    int32_t label = NO_LABEL;
    int error = lod_index_item(p->index, item, row);

    error = error ? error : lod_index_node(p->index, lod_row_own_node(row), &node);
    error = error ? error : lod_index_path(p->index, &node, path);
    if (!error && p->list->format == LOD_ORDER_LST) {
        error = lod_row_has_label(row) ? own_label(p, item, &label) : label_of(p, &node, &label);
        if (!error) {
            printf("%u\t%d\t", item, label);
        }
    }
    if (!error) {
        fputs(path, stdout);
        putchar(p->list->nul ? '\0' : '\n');
    }
    return error;
}

/* Prints those items of a run that belong to this rank. */
static int print_run(struct printing *p, uint32_t cursor, uint32_t extents)
{
    const size_t room = (size_t)lod_pass_sum(&p->pass, cursor, extents);
    size_t count = 0;

    if (room > p->room) {
        free(p->items);
        p->room = 0;
        p->items = calloc(room, sizeof(*p->items));
        if (!p->items) {
            return -ENOMEM;
        }
        p->room = room;
    }
    int error = lod_pass_items(&p->pass, cursor, extents, 0, p->items, p->room, &count);
    for (size_t i = 0; !error && i < count && p->place < p->end; i++, p->place++) {
        if (p->place % p->world == p->rank) {
            error = print_item(p, p->items[i]);
        }
    }
    return error;
}

static int print_items(struct printing *p)
{
    int error = p->list->format == LOD_ORDER_LST ? number_labels(p) : 0;
    uint32_t cursor = 0;

    while (!error && p->place < p->end) {
        const uint32_t extents =
            lod_pass_run(&p->pass, cursor, p->list->fidelity, p->list->run_bytes);
        error = print_run(p, cursor, extents);
        cursor = extents ? cursor + extents : 0; /* after the last extent the pass starts again */
    }
    return error;
}

/* Prints the records of the node's extents, as paths below the store. */
static int print_records(const struct printing *p)
{
    struct lod_record_desc recd;

    for (uint32_t i = 0; i < p->pass.count; i++) {
        const struct lod_extent *extent = &p->pass.order->extents.at[p->pass.extents[i]];
        for (uint32_t r = 0; r < extent->records; r++) {
            int error = lod_index_record(p->index, extent->first_record + r, &recd);
            if (error) {
                return error;
            }
            printf(LOD_RECORDS_NAME "/%s%c", recd.path, p->list->nul ? '\0' : '\n');
        }
    }
    return 0;
}

/* Returns how many items each node deals, so that all ranks get equally many. With `wrap` the first
 * items are dealt again to fill up; else the last ones are left out. */
static uint64_t dealt(const struct lod_pass *pass, uint32_t world, bool wrap)
{
    return wrap ? (pass->items_max + world - 1) / world * world : pass->items_min / world * world;
}

int lod_order_print(const struct lod_order_list *list, const struct lod_read_order *order)
{
    const uint32_t world = list->world / list->nodes;
    struct printing p = {.list = list,
                         .index = lod_dataset_index(list->dataset),
                         .rank = list->rank_number % world,
                         .world = world};
    int error = lod_pass_plan(order, list->stored ? LOD_PASS_STORED : list->pass,
                              list->rank_number / world, list->nodes, &p.pass);

    if (error) {
        return error;
    }
    p.end = p.pass.items ? dealt(&p.pass, world, list->tail) : 0;
    error = list->format == LOD_ORDER_RECORDS ? print_records(&p) : print_items(&p);
    lod_pass_finish(&p.pass);
    free(p.labels);
    free(p.items);
    return error;
}
