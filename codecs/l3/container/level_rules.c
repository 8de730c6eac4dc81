/* SPDX-License-Identifier: Apache-2.0 */
/* See level_rules.h. */
#include "l3/container/level_rules.h"

#include "l3/container/container.h"

#define SIDE_MAX   65500u /* libjpeg's */
#define MCU_SIDE   16u    /* pixels: 4:2:0 */
#define LAST_SHOWN 9u     /* q9 */

/* libjpeg's memory beside coefficients: some rows of MCUs in each step, and tables. */
#define ROW_BYTES_A_SAMPLE 128u
#define TABLES_BYTES       (512u << 10)

static uint64_t samples_of(const struct lod_l3_row *row)
{
    return lod_png_image(&row->out.header).samples;
}

/* Coefficients have two bytes. Those of chroma are half as many as those of brightness. */
uint64_t lod_l3_level_decode_bytes(const struct lod_l3_row *row)
{
    const struct lod_png_header *header = &row->out.header;
    const uint64_t samples = samples_of(row), coefficient_bytes = samples == 1 ? 2 : 3;

    return lod_round_up(header->width, MCU_SIDE) * lod_round_up(header->height, MCU_SIDE) *
               coefficient_bytes +
           (uint64_t)header->width * header->height * samples +
           header->width * samples * ROW_BYTES_A_SAMPLE + TABLES_BYTES;
}

static uint64_t groups_bytes(const struct lod_l3_row *row)
{
    uint64_t bytes = 0;

    for (unsigned group = 1; group <= LOD_L3_LEVELS; group++) {
        bytes += lod_l3_level_group_bytes(row, group);
    }
    return bytes;
}

uint64_t lod_l3_level_cost(const struct lod_l3_row *row)
{
    return lod_l3_level_decode_bytes(row) + row->out.bytes + row->container->sums_bytes +
           groups_bytes(row);
}

bool lod_l3_level_is_allowed(const struct lod_l3_row *row)
{
    const struct lod_png_header *header = &row->out.header;
    const bool gray = header->colour == LOD_PNG_GRAY && row->container != &lod_l3_container_bmp;
    const bool white = row->container != &lod_l3_container_pnm || row->maxval == UINT8_MAX;

    return header->depth == 8 && (gray || header->colour == LOD_PNG_RGB) && white;
}

bool lod_l3_level_fits(const struct lod_l3_row *row)
{
    return row->out.header.width <= SIDE_MAX && row->out.header.height <= SIDE_MAX &&
           lod_l3_level_cost(row) <= LOD_L3_BAND_COST_MAX;
}

bool lod_l3_levels_are_sound(const struct lod_l3_row *row)
{
    bool any = false;

    for (unsigned i = 0; i < LOD_L3_LEVELS; i++) {
        any = any || row->level[i];
    }
    return !any ||
           (lod_l3_has_levels(row) && lod_l3_level_is_allowed(row) && lod_l3_level_fits(row) &&
            groups_bytes(row) * LOD_L3_LEVEL_SHARE <= row->stream);
}

unsigned lod_l3_level_of(const struct lod_l3_row *row, enum lod_fidelity fidelity)
{
    unsigned level = (unsigned)fidelity < LOD_L3_LEVELS ? (unsigned)fidelity : LOD_L3_LEVELS;

    if ((unsigned)fidelity > LAST_SHOWN) {
        return 0;
    }
    while (level && !row->level[level - 1]) {
        level--;
    }
    return level;
}

uint64_t lod_l3_level_group_bytes(const struct lod_l3_row *row, unsigned group)
{
    const uint64_t around = group == 1 && lod_l3_has_levels(row) ? row->chunks : 0;

    return around + row->level[group - 1];
}
