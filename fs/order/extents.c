/* SPDX-License-Identifier: Apache-2.0 */
/* See extents.h. */
#include "order/extents.h"

#include <stdlib.h>

#include "list.h"
#include "order/shown_groups.h"

/* Returns how many bytes of the record are read to read all its items at this fidelity. */
static uint64_t weight(const struct lod_record_desc *recd, enum lod_fidelity fidelity)
{
    unsigned first, last;

    lod_shown_groups(recd, fidelity, &first, &last);
    return lod_record_desc_bytes(recd, first, last);
}

static int add_small(struct lod_extents *extents, const struct lod_record_desc *recd)
{
    const struct lod_small_items range = {
        .first = recd->first_item, .count = recd->items, .before = extents->small_count};

    extents->small_count += recd->items;
    return LOD_LIST_ADD(&extents->small, range);
}

int lod_extents_add(struct lod_extents *extents, const struct lod_record_desc *recd, bool split)
{
    struct lod_extent *last = extents->count ? &extents->at[extents->count - 1] : NULL;

    if (!last || split || last->first_record + last->records != recd->number) {
        const struct lod_extent begun = {.first_record = recd->number,
                                         .first_item = recd->first_item};
        int error = LOD_LIST_ADD(extents, begun);
        if (error) {
            return error;
        }
        last = &extents->at[extents->count - 1];
    }
    last->records++;
    last->items += recd->items;
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        last->bytes[f - 1] += weight(recd, (enum lod_fidelity)f);
    }
    return 0;
}

/* The facts about all records that decide which of them belong together. */
struct kinds {
    bool cut;   /* records have cuts */
    bool mixed; /* of several codecs, or with levels and without */
};

static int find_kinds(struct lod_index *index, struct kinds *ret_kinds)
{
    unsigned kind = 0;
    struct lod_record_desc recd;
    int error = 0;

    *ret_kinds = (struct kinds){.cut = false};
    for (uint32_t r = 0; r < lod_index_records(index); r++) {
        error = lod_index_record(index, r, &recd);
        if (error) {
            break;
        }
        if (recd.codec == LOD_CODEC_TREE || recd.cut == LOD_CUT_SMALL) {
            continue;
        }
        const unsigned own = lod_record_kind(&recd);
        ret_kinds->mixed = ret_kinds->mixed || (ret_kinds->cut && own != kind);
        ret_kinds->cut = true;
        kind = own;
    }
    return error;
}

static int add_all(struct lod_index *index, const struct kinds *kinds, struct lod_extents *extents)
{
    uint32_t cut = LOD_CUT_SMALL;
    struct lod_record_desc recd;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(index); r++) {
        error = lod_index_record(index, r, &recd);
        if (error || recd.codec == LOD_CODEC_TREE) {
            continue;
        }
        if (kinds->cut && recd.cut == LOD_CUT_SMALL) {
            error = add_small(extents, &recd);
            continue;
        }
        error = lod_extents_add(extents, &recd, !kinds->mixed || recd.cut != cut);
        cut = recd.cut;
    }
    return error;
}

int lod_extents_make(struct lod_index *index, struct lod_extents *ret_extents)
{
    struct lod_extents extents = {.at = NULL};
    struct kinds kinds;
    int error = find_kinds(index, &kinds);

    error = error ? error : add_all(index, &kinds, &extents);
    if (error) {
        lod_extents_finish(&extents);
        return error;
    }
    *ret_extents = extents;
    return 0;
}

void lod_extents_finish(struct lod_extents *extents)
{
    free(extents->at);
    free(extents->small.at);
    *extents = (struct lod_extents){.at = NULL};
}

/* Returns the first small item of an extent. The m small items are spread evenly over the U
 * extents: item i belongs to extent e = floor(U (i + 1/2) / m), so the first has i >= m e / U -
 * 1/2. */
static uint32_t first_small(const struct lod_extents *extents, uint32_t extent)
{
    const uint64_t units = extents->count, doubled = 2ull * extents->small_count * extent;

    return doubled <= units ? 0 : (uint32_t)((doubled - units + 2 * units - 1) / (2 * units));
}

void lod_extents_small_of(const struct lod_extents *extents, uint32_t extent, uint32_t *ret_from,
                          uint32_t *ret_to)
{
    *ret_from = first_small(extents, extent);
    *ret_to = extent + 1 < extents->count ? first_small(extents, extent + 1) : extents->small_count;
}

uint32_t lod_extents_small_item(const struct lod_extents *extents, uint32_t place)
{
    size_t next = 1;

    LOD_SEARCH(next, extents->small.count, extents->small.at[middle].before <= place);
    return extents->small.at[next - 1].first + (place - extents->small.at[next - 1].before);
}

static uint32_t find_small(const struct lod_extents *extents, uint32_t item)
{
    for (size_t i = 0; i < extents->small.count && extents->count; i++) {
        const struct lod_small_items *range = &extents->small.at[i];
        if (item >= range->first && item - range->first < range->count) {
            const uint64_t place = range->before + (item - range->first);
            return (uint32_t)(extents->count * (2 * place + 1) / (2ull * extents->small_count));
        }
    }
    return UINT32_MAX;
}

uint32_t lod_extents_find(const struct lod_extents *extents, uint32_t item)
{
    size_t next = 0;

    LOD_SEARCH(next, extents->count, extents->at[middle].first_item <= item);
    if (next && item - extents->at[next - 1].first_item < extents->at[next - 1].items) {
        return (uint32_t)next - 1;
    }
    return find_small(extents, item);
}
