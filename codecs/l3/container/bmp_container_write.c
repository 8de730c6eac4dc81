/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BMP as a container, writing: parses the headers and strips the padding of the rows. FORMAT.md,
 * l3.
 */
#include "l3/container/bmp_header.h"
#include "l3/container/raster_file_write.h"

#include <errno.h>

/* Values of the field `compression`. In the OS/2 header of 64 bytes they mean something else. */
#define NO_COMPRESSION 0u
#define MASKS          3u
#define MASKS_OF_ALPHA 6u /* a header of 40 bytes and four masks after it */
#define OS2_SIZE       64u
#define FOUR_MASKS     56u /* headers of at least this size contain four masks */

#define MASK_BYTES 4u

/* The fields of the headers, whatever their kind. */
struct bmp {
    uint32_t front, size; /* offset of the pixels; size of the image header */
    int64_t width, height;
    uint16_t bits;
    uint32_t compression, colours;
    bool masks; /* masks are given and are the default of 32 bits: blue, green, red */
    bool alpha; /* masks are given and the fourth byte is alpha */
};

static bool size_is_known(uint32_t size)
{
    static const uint8_t sizes[] = {LOD_BMP_CORE, LOD_BMP_INFO, 52, 56, 64, 108, LOD_BMP_SIZE_MAX};

    for (unsigned i = 0; i < sizeof(sizes); i++) {
        if (sizes[i] == size) {
            return true;
        }
    }
    return false;
}

static bool probe(struct lod_span head)
{
    if (head.bytes < LOD_BMP_INFO_END || head.at[0] != 'B' || head.at[1] != 'M') {
        return false;
    }
    const uint32_t size = lod_get_le32(head.at + LOD_BMP_AT_SIZE);
    const unsigned planes = size == LOD_BMP_CORE ? LOD_BMP_CORE_AT_PLANES : LOD_BMP_AT_PLANES;
    return size_is_known(size) && lod_get_le16(head.at + planes) == 1;
}

/* If there are four masks the last is alpha's. */
static void read_masks(struct lod_span file, struct bmp *bmp)
{
    const bool said = bmp->compression == MASKS || bmp->compression == MASKS_OF_ALPHA;
    const bool four = bmp->compression == MASKS_OF_ALPHA || bmp->size >= FOUR_MASKS;
    const uint32_t end = LOD_BMP_AT_MASKS + (four ? 4 : 3) * MASK_BYTES;

    if (!said || bmp->bits != 32 || bmp->size == OS2_SIZE || bmp->front < end || file.bytes < end) {
        return;
    }
    const uint8_t *masks = file.at + LOD_BMP_AT_MASKS;
    const uint32_t alpha = four ? lod_get_le32(masks + 12) : 0;
    bmp->masks = lod_get_le32(masks) == 0xff0000 && lod_get_le32(masks + 4) == 0xff00 &&
                 lod_get_le32(masks + 8) == 0xff && (alpha == 0 || alpha == 0xff000000);
    bmp->alpha = bmp->masks && alpha;
}

/* Reads the headers of a file that `probe` accepted. */
static struct bmp read_headers(struct lod_span file)
{
    struct bmp bmp = {.front = lod_get_le32(file.at + LOD_BMP_AT_PIXELS),
                      .size = lod_get_le32(file.at + LOD_BMP_AT_SIZE)};

    if (bmp.size == LOD_BMP_CORE) {
        bmp.width = lod_get_le16(file.at + LOD_BMP_CORE_AT_WIDTH);
        bmp.height = lod_get_le16(file.at + LOD_BMP_CORE_AT_HEIGHT);
        bmp.bits = lod_get_le16(file.at + LOD_BMP_CORE_AT_BITS);
        return bmp;
    }
    bmp.width = (int32_t)lod_get_le32(file.at + LOD_BMP_AT_WIDTH);
    bmp.height = (int32_t)lod_get_le32(file.at + LOD_BMP_AT_HEIGHT);
    bmp.bits = lod_get_le16(file.at + LOD_BMP_AT_BITS);
    bmp.compression = lod_get_le32(file.at + LOD_BMP_AT_COMPRESSION);
    bmp.colours = lod_get_le32(file.at + LOD_BMP_AT_COLOURS);
    read_masks(file, &bmp);
    return bmp;
}

/* Returns the size of the palette. After a core header it ends where the pixels begin. */
static uint64_t palette_bytes(const struct bmp *bmp)
{
    if (bmp->bits > 8 || bmp->size == LOD_BMP_CORE) {
        return 0;
    }
    return (uint64_t)LOD_BMP_COLOUR_BYTES * (bmp->colours ? bmp->colours : 1u << bmp->bits);
}

/* Returns whether the palette has 256 entries and entry i is the gray of level i. */
static bool is_gray(struct lod_span file, const struct bmp *bmp)
{
    const size_t step = bmp->size == LOD_BMP_CORE ? 3 : LOD_BMP_COLOUR_BYTES;
    const size_t first = LOD_BMP_AT_SIZE + bmp->size, end = first + LOD_BMP_COLOURS_MAX * step;
    bool gray = end <= bmp->front && end <= file.bytes &&
                (!bmp->colours || bmp->colours == LOD_BMP_COLOURS_MAX);

    for (size_t i = 0; gray && i < LOD_BMP_COLOURS_MAX; i++) {
        const uint8_t *entry = file.at + first + i * step;
        gray = entry[0] == i && entry[1] == i && entry[2] == i;
    }
    return gray;
}

static const char *why_not(const struct bmp *bmp)
{
    if (bmp->compression != NO_COMPRESSION && !bmp->masks) {
        return "its pixels are compressed or have other masks than blue, green, red, alpha";
    }
    if (bmp->bits != 1 && bmp->bits != 4 && bmp->bits != 8 && bmp->bits != 24 && bmp->bits != 32) {
        return "its pixels have neither 1, 4, 8, 24 nor 32 bits";
    }
    if (bmp->width <= 0 || bmp->height == 0 || bmp->height == INT32_MIN ||
        bmp->colours > LOD_BMP_COLOURS_MAX) {
        return "its header has values that BMP does not have";
    }
    return bmp->front < LOD_BMP_AT_SIZE + bmp->size + palette_bytes(bmp)
               ? "its pixels begin inside its headers"
               : NULL;
}

static int take_head(struct lod_span file, struct lod_l3_parsed *parsed, const char **ret_why)
{
    const struct bmp bmp = read_headers(file);
    const char *why = why_not(&bmp);

    if (why) {
        *ret_why = why;
        return -ENOTSUP;
    }
    parsed->own.upward = bmp.height > 0;
    parsed->own.alpha = bmp.alpha;
    parsed->header = (struct lod_png_header){
        .width = (uint32_t)bmp.width,
        .height = (uint32_t)(bmp.height > 0 ? bmp.height : -bmp.height),
        .depth = bmp.bits < 8 ? (uint8_t)bmp.bits : 8,
        .colour = bmp.bits == 32                         ? LOD_PNG_RGBA
                  : bmp.bits == 24                       ? LOD_PNG_RGB
                  : bmp.bits == 8 && is_gray(file, &bmp) ? LOD_PNG_GRAY
                                                         : LOD_PNG_PALETTE,
    };
    return lod_raster_split(file, bmp.front, LOD_BMP_ROW_ALIGN, parsed, ret_why);
}

const struct lod_l3_container_write lod_l3_container_bmp_write = {
    .container = &lod_l3_container_bmp,
    .probe = probe,
    .head = take_head,
    .samples = lod_raster_samples,
    .cost = lod_raster_cost,
    .prove = lod_raster_prove,
};
