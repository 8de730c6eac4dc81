/* SPDX-License-Identifier: Apache-2.0 */
/* BMP files taken apart: headers read, rows without their padding. FORMAT.md, l3. */
#include "l3/bmp_header.h"
#include "l3/plain_file_write.h"

#include <errno.h>

#define ROW_ALIGN 4u

/* What the headers say, of whichever kind. */
struct bmp {
    uint32_t front, size; /* where pixels begin; bytes of the image's header */
    int64_t width, height;
    uint16_t bits;
    uint32_t compression, colours;
};

static int refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return -ENOTSUP;
}

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

/* Of a file that probe took. */
static struct bmp look(struct lod_span file)
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
    return bmp;
}

/* Bytes of the palette; what a core header has of it ends where pixels begin. */
static uint64_t palette_bytes(const struct bmp *bmp)
{
    if (bmp->bits != 8 || bmp->size == LOD_BMP_CORE) {
        return 0;
    }
    return (uint64_t)LOD_BMP_COLOUR_BYTES * (bmp->colours ? bmp->colours : LOD_BMP_COLOURS_MAX);
}

/* All 256 entries are the gray of their number. */
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
    if (bmp->compression) {
        return "its pixels are compressed or have masks";
    }
    if (bmp->bits != 8 && bmp->bits != 24 && bmp->bits != 32) {
        return "its pixels have neither 8 nor 24 nor 32 bits";
    }
    if (bmp->width <= 0 || bmp->height == 0 || bmp->height == INT32_MIN ||
        bmp->colours > LOD_BMP_COLOURS_MAX) {
        return "its header has values that BMP does not have";
    }
    return bmp->front < LOD_BMP_AT_SIZE + bmp->size + palette_bytes(bmp)
               ? "its pixels begin inside its headers"
               : NULL;
}

static uint64_t row_bytes(const struct lod_png_header *header)
{
    const struct lod_l3_image image = lod_png_image(header);

    return lod_round_up(lod_l3_row_bytes(&image), ROW_ALIGN);
}

static int take_head(struct lod_span file, struct lod_l3_taken *taken, const char **ret_why)
{
    const struct bmp bmp = look(file);
    const char *why = why_not(&bmp);

    if (why) {
        return refuse(ret_why, why);
    }
    taken->own.upward = bmp.height > 0;
    taken->header = (struct lod_png_header){
        .width = (uint32_t)bmp.width,
        .height = (uint32_t)(bmp.height > 0 ? bmp.height : -bmp.height),
        .depth = 8,
        .colour = bmp.bits == 32        ? LOD_PNG_RGBA
                  : bmp.bits == 24      ? LOD_PNG_RGB
                  : is_gray(file, &bmp) ? LOD_PNG_GRAY
                                        : LOD_PNG_PALETTE,
    };
    return lod_plain_split(file, bmp.front, row_bytes(&taken->header), taken, ret_why);
}

static int take_samples(struct lod_span file, struct lod_l3_taken *taken, uint8_t *samples,
                        const char **ret_why)
{
    const struct lod_l3_image image = lod_png_image(&taken->header);
    const size_t bytes = (size_t)lod_l3_row_bytes(&image);
    const uint64_t step = row_bytes(&taken->header);

    for (uint32_t y = 0; y < image.height; y++, samples += bytes) {
        const uint8_t *row = lod_plain_row(file, taken, step, y);
        memcpy(samples, row, bytes);
        for (uint64_t i = bytes; i < step; i++) {
            if (row[i]) {
                return refuse(ret_why, "its rows are filled up with more than zeros");
            }
        }
    }
    return 0;
}

const struct lod_l3_container_write lod_l3_container_bmp_write = {
    .container = &lod_l3_container_bmp,
    .probe = probe,
    .head = take_head,
    .samples = take_samples,
    .cost = lod_plain_cost,
    .prove = lod_plain_prove,
};
