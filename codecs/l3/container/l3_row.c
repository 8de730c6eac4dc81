/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the l3 ITEM row, and checks its fields against each other; see l3_row.h. */
#include "l3/container/l3_row.h"

#include <errno.h>

#include "l3/container/container.h"
#include "l3/container/level_rules.h"
#include "l3/patch/l3_stream.h"

#define AT_COLOUR    1  /* u8 */
#define AT_DEPTH     2  /* u8 */
#define AT_MODE      3  /* u8: mode in bits 0 .. 3, log2 of a patch's side in 4 .. 7 */
#define AT_WIDTH     8  /* u32 */
#define AT_HEIGHT    12 /* u32 */
#define AT_SOURCE    16 /* u64 */
#define AT_CHUNKS    24 /* u32 */
#define AT_STREAM    36 /* u32 */
#define AT_CONTAINER 40 /* u8; bytes 28 .. 35 belong to the container */
#define AT_LEVELS    41 /* u24 x 7 */
#define AT_RESERVED  62

#define LEVEL_BYTES 3u

#define SIDE_SHIFT 4
#define MODE_MASK  0x0fu
#define MODES      3u

#define TABLES_MAX  (64u << 10)
#define PATCH_EXTRA 1024u /* limit of what a patch takes besides its samples */

#define FLAGS_KNOWN                                                                                \
    (LOD_ITEM_WHOLE | LOD_ITEM_NO_ORIGINAL | LOD_ITEM_NO_DECODED | LOD_ITEM_HAS_MAGIC |            \
     LOD_ITEM_KEPT | LOD_ITEM_HAS_LABEL)

static uint64_t columns(const struct lod_l3_row *row)
{
    const uint64_t side = 1ull << row->out.side_log2;

    return (row->out.header.width + side - 1) >> row->out.side_log2;
}

static uint64_t band_samples(const struct lod_l3_row *row)
{
    const struct lod_l3_image image = lod_png_image(&row->out.header);

    return lod_l3_row_bytes(&image) * lod_l3_output_rows(&row->out, 0);
}

uint64_t lod_l3_row_head_max(const struct lod_l3_row *row)
{
    return LOD_L3_HEADER_BYTES + 4 * columns(row) * row->out.bands + TABLES_MAX;
}

uint64_t lod_l3_row_band_max(const struct lod_l3_row *row)
{
    const uint64_t bytes = 2 * band_samples(row) + columns(row) * PATCH_EXTRA;

    return bytes < row->stream ? bytes : row->stream;
}

uint64_t lod_l3_row_cost(const struct lod_l3_row *row)
{
    return 2 * lod_l3_row_head_max(row) + lod_l3_row_band_max(row) + band_samples(row) +
           lod_l3_output_band_bytes(&row->out, 0) + LOD_L3_WORK_BYTES;
}

static bool whole_is_sound(const uint8_t row[LOD_ROW_BYTES], const struct lod_l3_row *r)
{
    bool sound = !(r->flags & (LOD_ITEM_NO_ORIGINAL | LOD_ITEM_KEPT));

    for (unsigned i = AT_COLOUR; i < LOD_ROW_BYTES; i++) {
        const bool common = i >= 4 && i < AT_WIDTH;
        const bool source = i >= AT_SOURCE && i < AT_CHUNKS;
        sound = sound && (common || source || !row[i]);
    }
    return sound && r->source <= UINT32_MAX;
}

/* The source's bytes can be made (exact), are stored (KEPT), or are not available (NO_ORIGINAL). */
static bool flags_are_sound(const struct lod_l3_row *r)
{
    const unsigned kept = !!(r->flags & LOD_ITEM_KEPT), none = !!(r->flags & LOD_ITEM_NO_ORIGINAL);

    return kept + none == (r->container->exact ? 0 : 1);
}

static void take_levels(const uint8_t row[LOD_ROW_BYTES], struct lod_l3_row *r)
{
    for (unsigned i = 0; i < LOD_L3_LEVELS; i++) {
        const uint8_t *at = row + AT_LEVELS + (size_t)i * LEVEL_BYTES;
        r->level[i] = lod_get_le16(at) | (uint32_t)at[2] << 16;
    }
}

static void put_levels(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES])
{
    for (unsigned i = 0; i < LOD_L3_LEVELS; i++) {
        uint8_t *at = row + AT_LEVELS + (size_t)i * LEVEL_BYTES;
        lod_put_le16(at, (uint16_t)r->level[i]);
        at[2] = (uint8_t)(r->level[i] >> 16);
    }
}

static bool image_is_sound(const uint8_t row[LOD_ROW_BYTES], struct lod_l3_row *r)
{
    const uint8_t side = row[AT_MODE] >> SIDE_SHIFT;
    struct lod_png_header header = {.width = lod_get_le32(row + AT_WIDTH),
                                    .height = lod_get_le32(row + AT_HEIGHT),
                                    .depth = row[AT_DEPTH],
                                    .colour = row[AT_COLOUR]};

    r->transparent = header.colour == LOD_L3_PALETTE_ALPHA;
    header.colour = r->transparent ? LOD_PNG_PALETTE : header.colour;
    r->mode = row[AT_MODE] & MODE_MASK;
    r->container = lod_l3_container_find(row[AT_CONTAINER]);
    take_levels(row, r);
    for (unsigned i = AT_RESERVED; i < LOD_ROW_BYTES; i++) {
        if (row[i]) {
            return false;
        }
    }
    return r->container && flags_are_sound(r) && r->source && r->source <= UINT32_MAX &&
           r->mode < MODES && side >= LOD_L3_SIDE_LOG2_MIN && side <= LOD_L3_SIDE_LOG2_MAX &&
           r->stream > LOD_L3_HEADER_BYTES && lod_png_header_valid(&header) &&
           r->container->take(row, &header, side, r) &&
           lod_l3_row_cost(r) <= LOD_L3_BAND_COST_MAX && lod_l3_levels_are_sound(r);
}

int lod_l3_row_read(const uint8_t row[LOD_ROW_BYTES], struct lod_l3_row *ret_row)
{
    struct lod_l3_row r = {.flags = lod_row_flags(row),
                           .source = lod_get_le64(row + AT_SOURCE),
                           .chunks = lod_get_le32(row + AT_CHUNKS),
                           .stream = lod_get_le32(row + AT_STREAM)};

    if (r.flags & (uint8_t)~FLAGS_KNOWN) {
        return -EILSEQ;
    }
    if (r.flags & LOD_ITEM_WHOLE ? !whole_is_sound(row, &r) : !image_is_sound(row, &r)) {
        return -EILSEQ;
    }
    *ret_row = r;
    return 0;
}

void lod_l3_row_write(const struct lod_l3_row *from, uint8_t ret_row[LOD_ROW_BYTES])
{
    memset(ret_row, 0, LOD_ROW_BYTES);
    ret_row[0] = from->flags;
    lod_put_le64(ret_row + AT_SOURCE, from->source);
    if (from->flags & LOD_ITEM_WHOLE) {
        return;
    }
    ret_row[AT_COLOUR] = from->transparent ? LOD_L3_PALETTE_ALPHA : from->out.header.colour;
    ret_row[AT_DEPTH] = from->out.header.depth;
    ret_row[AT_MODE] = (uint8_t)(from->out.side_log2 << SIDE_SHIFT | from->mode);
    lod_put_le32(ret_row + AT_WIDTH, from->out.header.width);
    lod_put_le32(ret_row + AT_HEIGHT, from->out.header.height);
    lod_put_le32(ret_row + AT_CHUNKS, from->chunks);
    lod_put_le32(ret_row + AT_STREAM, from->stream);
    ret_row[AT_CONTAINER] = from->container->id;
    put_levels(from, ret_row);
    from->container->put(from, ret_row);
}
