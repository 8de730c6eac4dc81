/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes mode packed, one field at a time: the reference. FORMAT.md, L3 stream, packed.
 *
 * A patch is checked before it is decoded: its predictors and widths must be legal, and its payload
 * must have the length that follows from the widths. So the decoding itself needs no checks.
 */
#include "l3/patch/packed.h"

#include <errno.h>
#include <string.h>

#include "l3/patch/predict.h"

struct lod_l3_packed_map lod_l3_packed_map(const struct lod_l3_patch *patch)
{
    struct lod_l3_packed_map map = {
        .runs = patch->height * patch->samples,
        .groups = (patch->width + 7) / 8,
        .blocks = (patch->width + LOD_L3_BLOCK - 1) / LOD_L3_BLOCK,
        .predictors = 1,
    };

    map.widths_of_run = (map.blocks + 1) / 2;
    map.widths = map.predictors + (map.runs + 1) / 2;
    map.payload = map.widths + (size_t)map.runs * map.widths_of_run;
    return map;
}

/*
 * Returns the bytes of a run's fields. For an illegal width it returns more bytes than any run may
 * have.
 */
static size_t run_bytes(const struct lod_l3_packed_map *map, const uint8_t *widths, unsigned bits)
{
    size_t bytes = 0;

    for (unsigned g = 0; g < map->groups; g++) {
        unsigned width = lod_l3_width_of(lod_l3_nibble(widths, g / 2));
        bytes += width <= bits ? width : SIZE_MAX / 1024;
    }
    return bytes;
}

static int check(const struct lod_l3_patch *patch, const struct lod_l3_packed_map *map,
                 struct lod_span bytes)
{
    if (bytes.bytes < map->payload) {
        return -EILSEQ;
    }
    size_t left = bytes.bytes - map->payload;
    for (unsigned run = 0; run < map->runs; run++) {
        size_t taken =
            run_bytes(map, bytes.at + map->widths + run * map->widths_of_run, patch->bits);
        if (taken > left || lod_l3_nibble(bytes.at + map->predictors, run) >= LOD_L3_PREDICTORS) {
            return -EILSEQ;
        }
        left -= taken;
    }
    return left ? -EILSEQ : 0;
}

/* Decodes the residuals of a run and returns the end of its fields. */
static const uint8_t *take_run(const struct lod_l3_packed_map *map, const uint8_t *widths,
                               const uint8_t *at, const uint8_t *end, uint16_t *residuals)
{
    for (unsigned g = 0; g < map->groups; g++) {
        unsigned width = lod_l3_width_of(lod_l3_nibble(widths, g / 2));
        unsigned bias = 1u << width >> 1;
        lod_l3_fields_take(at, end, width, residuals + 8 * g);
        for (unsigned i = 0; i < 8; i++) {
            residuals[8 * g + i] = (uint16_t)(residuals[8 * g + i] - bias);
        }
        at += width;
    }
    return at;
}

int lod_l3_packed_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                         const struct lod_l3_target *target, struct lod_l3_rows *rows)
{
    struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    const uint8_t *end = bytes.at + bytes.bytes, *at = bytes.at + map.payload;
    unsigned mask = lod_l3_sample_mask(patch);
    uint16_t residuals[LOD_L3_SIDE_MAX];

    int r = check(patch, &map, bytes);
    if (r) {
        return r;
    }
    memset(rows, 0, sizeof(*rows));
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned y = run / patch->samples, p = run % patch->samples;
        uint16_t *row = rows->row[y % 2][p], *above = rows->row[(y + 1) % 2][p];
        at = take_run(&map, bytes.at + map.widths + run * map.widths_of_run, at, end, residuals);
        lod_l3_row_rebuild(lod_l3_nibble(bytes.at + map.predictors, run), above + LOD_L3_MARGIN,
                           residuals, row + LOD_L3_MARGIN, patch->width, mask);
        lod_l3_row_close(row, patch->width);
        if (p + 1 == patch->samples) {
            lod_l3_row_store(patch, bytes.at[0] & LOD_L3_KIND_GREEN, rows->row[y % 2], y, target);
        }
    }
    return 0;
}
