/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that are made of later items: a table is made of its shards. Damage of one of those affects
 * the table at every fidelity. Rows of the index are enough to find such items.
 */
#include "verify/check.h"

#include <errno.h>

int lod_check_items_ahead(struct lod_verify *v, const struct lod_codec *codec, uint32_t item,
                          uint8_t row[LOD_ROW_BYTES], uint32_t *ret_ahead)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    int error = lod_index_item(v->index, item, row);

    error = error ? error : lod_codec_segments(codec, row, bytes);
    *ret_ahead = error ? 0 : codec->maker->ahead(row);
    return lod_check_stops(error) ? error : 0;
}

/* Adds one finding, the first one of those items. */
static int charge(struct lod_verify *v, uint32_t item, const uint8_t row[LOD_ROW_BYTES],
                  const struct lod_costly *found)
{
    struct lod_finding finding = v->findings.at[found->finding];
    char path[LOD_PATH_MAX + 1];

    finding.path = lod_check_path(v, lod_row_own_node(row), path);
    finding.item = item;
    finding.fidelities = LOD_FIDELITIES_ALL;
    return lod_findings_add(&v->findings, &finding);
}

static int check_record(struct lod_verify *v, const struct lod_record_desc *recd,
                        const struct lod_costly *list, size_t count)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    uint8_t row[LOD_ROW_BYTES];
    uint32_t ahead = 0;
    int error = 0;

    for (uint32_t slot = 0; !error && slot < recd->items; slot++) {
        uint32_t item = recd->first_item + slot;
        error = lod_check_items_ahead(v, codec, item, row, &ahead);
        size_t own = lod_costly_first(list, count, item);
        size_t first = lod_costly_first(list, count, item + 1);
        if (!error && ahead && own == first && first < count && list[first].item - item <= ahead) {
            error = charge(v, item, row, &list[first]);
        }
    }
    return error;
}

int lod_check_ahead(struct lod_verify *v, const struct lod_costly *list, size_t count)
{
    const uint32_t end = v->parts ? v->own_end : lod_index_records(v->index);
    struct lod_record_desc recd;
    int error = 0;

    for (uint32_t i = v->own_first; !error && i < end; i++) {
        if (lod_index_record(v->index, i, &recd)) {
            continue; /* all its items have findings */
        }
        const struct lod_codec *codec = lod_codec_find(recd.codec);
        if (codec && codec->maker && codec->maker->ahead) {
            error = check_record(v, &recd, list, count);
        }
    }
    return error;
}
