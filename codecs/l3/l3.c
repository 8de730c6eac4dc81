/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder of l3 items: lossless images in patches, after the L3 paper, shown as files of the
 * source's own format (container.h). Those with levels (level_rules.h) have lower fidelities; all
 * others are full at each. This file plans; l3_make.c computes the pixels. FORMAT.md, ITEM, column
 * l3; l3_write.c makes these rows.
 */
#include "codec.h"

#include <errno.h>

#include "l3/container/container.h"
#include "l3/l3_file.h"
#include "l3/container/l3_form.h"
#include "l3/container/level_rules.h"
#include "l3/l3_make.h"
#include "l3/l3_pixels.h"
#include "l3/container/l3_row.h"

/* 64 KiB, so that a small region of an image is read without the rest. */
#define FRAME_SHIFT 16

static uint8_t frame_shift(uint64_t bytes)
{
    (void)bytes;
    return FRAME_SHIFT;
}

static uint64_t source_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_l3_row r;

    return lod_l3_row_read(row, &r) ? 0 : r.source;
}

static bool holds_source(const struct lod_l3_row *r)
{
    return r->flags & (LOD_ITEM_WHOLE | LOD_ITEM_KEPT);
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    if (error) {
        return error;
    }
    memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
    for (unsigned group = 1; group <= LOD_L3_LEVELS; group++) {
        ret_bytes[group - 1] = lod_l3_level_group_bytes(&r, group);
    }
    ret_bytes[LOD_L3_GROUP_STREAM - 1] = r.stream;
    ret_bytes[LOD_L3_GROUP_CHUNKS - 1] = r.chunks;
    ret_bytes[LOD_L3_GROUP_FILE - 1] = holds_source(&r) ? r.source : 0;
    return 0;
}

static int plan_pixels(const struct lod_l3_row *r, enum lod_fidelity fidelity,
                       struct lod_plan *ret_plan)
{
    const unsigned level = lod_l3_level_of(r, fidelity);
    struct lod_pixels pixels = lod_l3_pixels(r);
    struct lod_plan made;
    int error = fidelity > LOD_FULL ? -ENOENT : 0;

    lod_plan_begin(&made);
    error = error ? error
                  : lod_pixels_plan(&pixels,
                                    level ? LOD_L3_FORM_LEVEL_PIXELS + level : LOD_L3_FORM_PIXELS,
                                    &made);
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error == -EOVERFLOW ? -EILSEQ : error;
}

/*
 * An item whose bands would take more memory than a mount reserves for them is not shown decoded.
 */
static const char *decoded_ending(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r) || lod_l3_pixels_cost(&r) > LOD_DECODED_BYTES_MAX) {
        return NULL;
    }
    struct lod_pixels pixels = lod_l3_pixels(&r);
    return lod_pixels_ending(&pixels);
}

/* Plans the item as it is stored: FORMAT.md, Native forms. */
static int plan_native(const uint8_t row[LOD_ROW_BYTES], const struct lod_l3_row *r,
                       struct lod_plan *plan)
{
    uint8_t head[LOD_L3_FILE_HEAD_BYTES];

    lod_l3_file_head(row, head);
    int error = lod_plan_add_text(plan, head, sizeof(head));
    error = error ? error : lod_plan_add_stored(plan, LOD_L3_GROUP_STREAM, 0, r->stream);
    return error ? error : lod_plan_add_stored(plan, LOD_L3_GROUP_CHUNKS, 0, r->chunks);
}

static int plan(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    struct lod_plan made;
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    if (error) {
        return error;
    }
    const unsigned level = lod_l3_level_of(&r, fidelity);
    if (format == LOD_FORMAT_DECODED) {
        return plan_pixels(&r, fidelity, ret_plan);
    }
    lod_plan_begin(&made);
    if (format == LOD_FORMAT_NATIVE) {
        error = plan_native(row, &r, &made);
    } else if (format != LOD_FORMAT_TREE) {
        return -ENOENT;
    } else if (r.flags & LOD_ITEM_WHOLE || (r.flags & LOD_ITEM_KEPT && fidelity == LOD_ORIGINAL)) {
        error = lod_plan_add_stored(&made, LOD_L3_GROUP_FILE, 0, r.source);
    } else {
        error = r.container->plan(&r, level ? LOD_L3_FORM_LEVEL + level : LOD_L3_FORM_FILE, &made);
    }
    if (!error) {
        lod_plan_copy(&made, ret_plan);
    }
    return error;
}

static const char *file_ending(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r)) {
        return NULL;
    }
    /* Only PNGs are WHOLE. */
    return r.flags & LOD_ITEM_WHOLE ? lod_l3_container_png.ending : r.container->ending;
}

static bool sides(const uint8_t row[LOD_ROW_BYTES], uint32_t *ret_width, uint32_t *ret_height)
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r) || r.flags & LOD_ITEM_WHOLE) {
        return false;
    }
    *ret_width = r.out.header.width;
    *ret_height = r.out.header.height;
    return true;
}

const struct lod_codec lod_codec_l3 = {
    .name = "l3",
    .id = LOD_CODEC_L3,
    .groups = 12,
    .picture_rank = 2,
    .file_ending = file_ending,
    .sides = sides,
    .frame_shift = frame_shift,
    .segments = segments,
    .source_bytes = source_bytes,
    .plan = plan,
    .decoded_ending = decoded_ending,
    .native_ending = ".l3",
    .maker = &lod_l3_maker,
};
