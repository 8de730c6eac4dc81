/* SPDX-License-Identifier: Apache-2.0 */
/* See hard_links.h. */
#include "unpack/hard_links.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "record/record.h"
#include "record/tree_list.h"

/* Adds a hard link of the tree list. An entry that contradicts the index is ignored here, and
 * reported by verify. */
static int add_entry(struct lod_index *index, const struct lod_tree_entry *entry,
                     struct lod_hard_links *links)
{
    struct lod_node node, owner;

    if (entry->kind != LOD_TREE_HARD_LINK) {
        return 0;
    }
    int error = lod_index_walk(index, entry->path, &node);
    error = error ? error : lod_index_walk(index, entry->target, &owner);
    if (error) {
        return error == -ENOMEM ? error : 0;
    }
    bool link = S_ISREG(node.mode) && S_ISREG(owner.mode) && node.ref == owner.ref &&
                node.number != owner.number && (node.flags & LOD_NODE_ALIAS);
    return link ? LOD_LIST_ADD(links, (struct lod_hard_link){node.number, owner.number}) : 0;
}

static int read_tree(struct lod_store *store, struct lod_index *index,
                     const struct lod_record_desc *recd, struct lod_hard_links *links)
{
    struct lod_tree_reader *reader = NULL;
    struct lod_record *record = NULL;
    struct lod_tree_entry entry;

    int error = lod_record_open(store, recd, &record);
    error = error ? error : lod_tree_reader_create(record, &reader);
    while (!error && (error = lod_tree_reader_next(reader, &entry)) == 0) {
        error = add_entry(index, &entry, links);
    }
    bool ended = reader && error == -ENOENT;
    lod_tree_reader_destroy(reader);
    lod_record_close(record);
    return ended ? 0 : error;
}

static int compare(const void *a, const void *b)
{
    const struct lod_hard_link *x = a, *y = b;

    return x->node < y->node ? -1 : x->node > y->node;
}

int lod_hard_links_read(struct lod_dataset *dataset, struct lod_hard_links *ret_links)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_record_desc recd;
    int error = 0, result = 0;

    *ret_links = (struct lod_hard_links){0};
    for (uint32_t i = 0; !error && i < lod_index_records(index); i++) {
        error = lod_index_record(index, i, &recd);
        if (!error && recd.codec == LOD_CODEC_TREE) {
            error = read_tree(lod_dataset_store(dataset), index, &recd, ret_links);
        }
        result = result ? result : error;
        error = error == -ENOMEM ? error : 0;
    }
    if (ret_links->count) {
        qsort(ret_links->at, ret_links->count, sizeof(ret_links->at[0]), compare);
    }
    return error ? error : result;
}

void lod_hard_links_finish(struct lod_hard_links *links)
{
    free(links->at);
    *links = (struct lod_hard_links){0};
}

const struct lod_hard_link *lod_hard_links_find(const struct lod_hard_links *links, uint32_t node)
{
    const struct lod_hard_link wanted = {.node = node};

    return links->count ? bsearch(&wanted, links->at, links->count, sizeof(links->at[0]), compare)
                        : NULL;
}
