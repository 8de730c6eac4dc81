/* SPDX-License-Identifier: Apache-2.0 */
/* See store_facts.h. */
#include "totals/store_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static int count_nodes(struct lod_store_facts *facts)
{
    struct lod_node node;
    int error = 0;

    facts->names = calloc((size_t)lod_index_items(facts->index) + 1, sizeof(facts->names[0]));
    if (!facts->names) {
        return -ENOMEM;
    }
    for (uint32_t n = 0; !error && n < lod_index_nodes(facts->index); n++) {
        error = lod_index_node(facts->index, n, &node);
        if (error) {
            break;
        }
        if (node.flags & LOD_NODE_VIRTUAL) {
            continue; /* not counted: a shard, whose table is counted */
        }
        facts->folders += S_ISDIR(node.mode) && n;
        facts->symlinks += S_ISLNK(node.mode);
        facts->aliases += S_ISREG(node.mode) && (node.flags & LOD_NODE_ALIAS);
        if (S_ISREG(node.mode)) {
            error = node.ref < lod_index_items(facts->index) ? 0 : -EILSEQ;
            facts->names[error ? 0 : node.ref]++;
        }
    }
    return error;
}

static int remember_whole(struct lod_store_facts *facts, const uint8_t row[LOD_ROW_BYTES])
{
    return LOD_LIST_ADD(&facts->whole, lod_row_own_node(row));
}

static int tally_item(struct lod_store_facts *facts, const struct lod_codec *codec, uint32_t number)
{
    uint8_t row[LOD_ROW_BYTES];
    int error = lod_index_item(facts->index, number, row);

    error = error ? error : lod_store_totals_add(&facts->totals, codec, row, facts->names[number]);
    if (!error && (lod_row_flags(row) & LOD_ITEM_WHOLE)) {
        error = remember_whole(facts, row);
    }
    return error;
}

static int tally_records(struct lod_store_facts *facts)
{
    struct lod_record_desc recd;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(facts->index); r++) {
        error = lod_index_record(facts->index, r, &recd);
        if (error) {
            break;
        }
        facts->record_bytes += recd.file_bytes;
        const struct lod_codec *codec = lod_codec_find(recd.codec);
        if (!codec) {
            return -EILSEQ;
        }
        for (uint32_t i = 0; !error && recd.codec != LOD_CODEC_TREE && i < recd.items; i++) {
            error = tally_item(facts, codec, recd.first_item + i);
        }
    }
    return error;
}

int lod_store_facts_collect(struct lod_dataset *dataset, struct lod_store_facts *ret_facts)
{
    struct lod_store_facts facts = {.dataset = dataset,
                                    .index = lod_dataset_index(dataset),
                                    .manifest = lod_dataset_manifest(dataset)};
    int error = count_nodes(&facts);

    error = error ? error : tally_records(&facts);
    if (error) {
        lod_store_facts_finish(&facts);
    } else {
        *ret_facts = facts;
    }
    return error;
}

bool lod_store_facts_want_levels(const struct lod_store_facts *facts)
{
    return lod_store_totals_mostly_lossless(&facts->totals) &&
           !cJSON_GetObjectItemCaseSensitive(facts->manifest->pack, "levels");
}

void lod_store_facts_finish(struct lod_store_facts *facts)
{
    free(facts->names);
    free(facts->whole.at);
    facts->names = NULL;
    facts->whole.at = NULL;
}
