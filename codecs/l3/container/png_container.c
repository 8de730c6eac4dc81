/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG as a container, reading: kept chunks are in group 9, image data is in stored deflate blocks.
 * FORMAT.md, l3.
 */
#include "l3/container/container.h"

#include <errno.h>

#include "l3/container/l3_form.h"
#include "l3/container/png_stored.h"

#define AT_CRC   28 /* u32 */
#define AT_ADLER 32 /* u32 */

/* A PLTE with one colour; a tRNS with one value. */
#define PALETTE_BYTES_MIN (LOD_PNG_CHUNK_BYTES + 3)
#define ALPHA_BYTES_MIN   (LOD_PNG_CHUNK_BYTES + 1)

static bool take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r)
{
    const bool palette = header->colour == LOD_PNG_PALETTE;

    r->sums.crc = lod_get_le32(row + AT_CRC);
    r->sums.adler = lod_get_le32(row + AT_ADLER);
    return lod_png_stored_init(header, side_log2, &r->out) == 0 &&
           (!palette || r->chunks >= PALETTE_BYTES_MIN + (r->transparent ? ALPHA_BYTES_MIN : 0));
}

static void put(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES])
{
    lod_put_le32(row + AT_CRC, r->sums.crc);
    lod_put_le32(row + AT_ADLER, r->sums.adler);
}

/* The checksums of a level are computed together with its bands. */
static int plan(const struct lod_l3_row *r, unsigned form, struct lod_plan *plan)
{
    const unsigned made = form == LOD_L3_FORM_FILE ? 0 : LOD_PNG_SUMS_BYTES;
    uint8_t head[LOD_PNG_HEAD_BYTES], open[LOD_PNG_OPEN_BYTES], tail[LOD_PNG_TAIL_BYTES];
    int error;

    lod_png_stored_head(&r->out, head);
    lod_png_stored_open(&r->out, open);
    lod_png_stored_tail(r->sums, tail);
    error = lod_plan_add_text(plan, head, sizeof(head));
    error = error ? error : lod_plan_add_stored(plan, lod_l3_around(form), 0, r->chunks);
    error = error ? error : lod_plan_add_text(plan, open, sizeof(open));
    error = error ? error : lod_plan_add_made(plan, form, 0, r->out.bytes + made);
    return error ? error : lod_plan_add_text(plan, tail + made, sizeof(tail) - made);
}

static void band(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                 uint8_t *into)
{
    lod_png_stored_band(&r->out, band, samples, stride, into);
}

static void sum(const struct lod_l3_row *r, uint8_t *into)
{
    lod_png_stored_sum(&r->out, LOD_PNG_HEAD_BYTES + r->chunks + LOD_PNG_OPEN_BYTES, into);
}

/* Compares the checksums over all bands with those in the row. */
static int prove(const struct lod_l3_row *r, uint32_t band, struct lod_span made,
                 uint64_t state[LOD_PROOF_WORDS])
{
    struct lod_png_sums sums = {(uint32_t)state[0], (uint32_t)state[1]};

    sums = band ? sums : lod_png_stored_sums_begin();
    lod_png_stored_sums_add(&sums, made);
    state[0] = sums.crc;
    state[1] = sums.adler;
    if (band + 1 < r->out.bands) {
        return 0;
    }
    sums = lod_png_stored_sums_end(sums);
    return sums.crc == r->sums.crc && sums.adler == r->sums.adler ? 0 : -EILSEQ;
}

static uint8_t channels(const struct lod_l3_row *r)
{
    return lod_png_image(&r->out.header).samples;
}

static bool plain(const struct lod_l3_row *r)
{
    return r->out.header.depth >= 8;
}

/* Scales 1, 2 and 4 bits to 8 by repeating the bits. */
static void pixels(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into)
{
    const struct lod_l3_image image = lod_png_image(&r->out.header);
    const size_t bytes = (size_t)lod_l3_row_bytes(&image);
    const unsigned factor = 255u / ((1u << image.bits) - 1);

    for (size_t i = 0; i < bytes; i++) {
        into[i] = (uint8_t)(samples[i] * factor);
    }
}

/* Returns the contents of the first chunk of that type; bytes is 0 if there is none. */
static struct lod_span find_chunk(struct lod_span chunks, const char *type)
{
    while (chunks.bytes >= LOD_PNG_CHUNK_BYTES) {
        const uint64_t bytes = lod_get_be32(chunks.at);
        const uint64_t whole = bytes + LOD_PNG_CHUNK_BYTES;
        if (whole > chunks.bytes) {
            break;
        }
        if (memcmp(chunks.at + 4, type, 4) == 0) {
            return (struct lod_span){.at = chunks.at + 8, .bytes = bytes};
        }
        chunks = (struct lod_span){.at = chunks.at + whole, .bytes = chunks.bytes - whole};
    }
    return (struct lod_span){0};
}

static uint64_t colours_bytes(const struct lod_l3_row *r)
{
    return r->chunks;
}

static int colours(struct lod_span group, lod_l3_colours colours)
{
    struct lod_span plte = find_chunk(group, "PLTE"), alpha = find_chunk(group, "tRNS");

    if (plte.bytes < 3) {
        return -EILSEQ;
    }
    for (unsigned i = 0; i < LOD_L3_COLOURS; i++) {
        uint8_t *colour = colours + (size_t)i * LOD_L3_COLOUR_BYTES;
        memset(colour, 0, 3);
        if (3 * i + 3 <= plte.bytes) {
            memcpy(colour, plte.at + (size_t)3 * i, 3);
        }
        colour[3] = i < alpha.bytes ? alpha.at[i] : 0xff;
    }
    return 0;
}

const struct lod_l3_container lod_l3_container_png = {
    .id = LOD_L3_CONTAINER_PNG,
    .ending = ".png",
    .take = take,
    .put = put,
    .plan = plan,
    .band = band,
    .sum = sum,
    .sums_bytes = LOD_PNG_SUMS_BYTES,
    .prove = prove,
    .channels = channels,
    .plain = plain,
    .pixels = pixels,
    .colours_bytes = colours_bytes,
    .colours = colours,
};
