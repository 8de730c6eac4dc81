/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes mode paper, one delta at a time: the reference. FORMAT.md, L3 stream, paper. */
#include "l3/patch/paper.h"

#include <errno.h>
#include <string.h>

#include "l3/patch/predict.h"

static unsigned width_of(const struct lod_paper_map *map, struct lod_span bytes, unsigned run)
{
    return lod_l3_width_of(lod_l3_nibble(bytes.at + map->widths, run));
}

static int check(const struct lod_l3_patch *patch, const struct lod_paper_map *map,
                 struct lod_span bytes)
{
    if (bytes.bytes < map->payload) {
        return -EILSEQ;
    }
    size_t taken = 0;
    for (unsigned run = 0; run < map->runs; run++) {
        unsigned width = width_of(map, bytes, run);
        if (width > patch->bits) {
            return -EILSEQ;
        }
        taken += (size_t)width * map->groups;
    }
    return taken == bytes.bytes - map->payload ? 0 : -EILSEQ;
}

int lod_paper_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                     const struct lod_l3_target *target, struct lod_l3_rows *rows)
{
    struct lod_paper_map map = lod_paper_map(patch);
    unsigned mask = lod_l3_sample_mask(patch);
    uint16_t residuals[LOD_L3_SIDE_MAX];

    int r = check(patch, &map, bytes);
    if (r) {
        return r;
    }
    const uint8_t *at = bytes.at + map.payload, *end = bytes.at + bytes.bytes;
    memset(rows, 0, sizeof(*rows));
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned y = run / patch->samples, p = run % patch->samples;
        unsigned width = width_of(&map, bytes, run);
        unsigned base =
            (unsigned)lod_get_le(bytes.at + map.bases + run * map.base_bytes, map.base_bytes);
        lod_l3_row *now = rows->row[y % 2];
        for (unsigned g = 0; g < map.groups; g++, at += width) {
            lod_l3_fields_take(at, end, width, residuals + 8 * g);
            for (unsigned i = 8 * g; i < 8 * g + 8; i++) {
                residuals[i] = (uint16_t)(residuals[i] + base);
            }
        }
        lod_l3_row_rebuild(LOD_L3_PAETH, rows->row[(y + 1) % 2][p] + LOD_L3_MARGIN, residuals,
                           now[p] + LOD_L3_MARGIN, patch->width, mask);
        lod_l3_row_close(now[p], patch->width);
        if (p + 1 == patch->samples) {
            lod_l3_row_store(patch, false, now, y, target);
        }
    }
    return 0;
}
