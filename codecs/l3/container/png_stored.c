/* SPDX-License-Identifier: Apache-2.0 */
/* Writes stored deflate blocks (RFC 1951, 3.2.4) in a zlib stream (RFC 1950) in one IDAT chunk. */
#include "l3/container/png_stored.h"

#include <errno.h>

#include <zlib.h>

#include "l3/container/bits_row.h"
#include "l3/container/word_free.h"

#define BLOCK_HEAD 5u
#define BLOCK_MAX  65535u
#define ZLIB_BYTES 6u /* two before the blocks; Adler-32 after them */

static const uint8_t zlib_head[2] = {0x78, 0x01};
static const uint8_t iend[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

static void put_be32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static uint64_t with_heads(uint64_t raw)
{
    return raw + BLOCK_HEAD * ((raw + BLOCK_MAX - 1) / BLOCK_MAX);
}

int lod_png_stored_init(const struct lod_png_header *header, uint8_t side_log2,
                        struct lod_l3_output *ret_stored)
{
    const struct lod_l3_image image = lod_png_image(header);
    struct lod_l3_output stored = lod_l3_output_of(header, side_log2);
    const uint64_t others = stored.bands - 1;

    stored.row_bytes = 1 + ((uint64_t)header->width * image.samples * header->depth + 7) / 8;
    stored.band_bytes = with_heads(stored.row_bytes << side_log2); /* below 2^51 */
    stored.last_bytes =
        with_heads(stored.row_bytes * lod_l3_output_rows(&stored, stored.bands - 1));
    if (others && stored.band_bytes > LOD_PNG_BYTES_MAX / others) {
        return -E2BIG;
    }
    stored.bytes = others * stored.band_bytes + stored.last_bytes;
    if (stored.bytes > LOD_PNG_BYTES_MAX - ZLIB_BYTES) {
        return -E2BIG;
    }
    *ret_stored = stored;
    return 0;
}

/* The blocks being written: `left` bytes of rows remain, `room` fit into the current block. */
struct blocks {
    uint8_t *at;
    uint64_t left, room;
    bool last_band;
};

static void open_block(struct blocks *b)
{
    b->room = b->left < BLOCK_MAX ? b->left : BLOCK_MAX;
    b->at[0] = b->last_band && b->left <= BLOCK_MAX;
    lod_put_le16(b->at + 1, (uint16_t)b->room);
    lod_put_le16(b->at + 3, (uint16_t)~b->room);
    b->at += BLOCK_HEAD;
}

static void put(struct blocks *b, const uint8_t *bytes, uint64_t count)
{
    while (count) {
        if (b->room == 0) {
            open_block(b);
        }
        const uint64_t part = count < b->room ? count : b->room;
        memcpy(b->at, bytes, part);
        b->at += part;
        b->room -= part;
        b->left -= part;
        bytes += part;
        count -= part;
    }
}

static void swap_bytes(uint8_t *row, uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        uint8_t low = row[2 * i];
        row[2 * i] = row[2 * i + 1];
        row[2 * i + 1] = low;
    }
}

static void as_in_png(const struct lod_l3_output *stored, uint8_t *row)
{
    const struct lod_l3_image image = lod_png_image(&stored->header);

    if (image.bits < 8) {
        lod_bits_pack(row, image.width, image.bits);
    } else if (image.bits == 16) {
        swap_bytes(row, (uint64_t)image.width * image.samples);
    }
}

void lod_png_stored_band(const struct lod_l3_output *stored, uint32_t band, uint8_t *samples,
                         size_t stride, uint8_t *into)
{
    static const uint8_t filter = 0;
    const uint32_t rows = lod_l3_output_rows(stored, band);
    struct blocks b = {
        .at = into, .left = rows * stored->row_bytes, .last_band = band == stored->bands - 1};

    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = samples + y * stride;
        as_in_png(stored, row);
        put(&b, &filter, 1);
        put(&b, row, stored->row_bytes - 1);
    }
}

struct lod_png_sums lod_png_stored_sums_begin(void)
{
    uint32_t crc = (uint32_t)crc32_z(0, (const uint8_t *)"IDAT", 4);

    return (struct lod_png_sums){.crc = (uint32_t)crc32_z(crc, zlib_head, sizeof(zlib_head)),
                                 .adler = 1};
}

void lod_png_stored_sums_add(struct lod_png_sums *sums, struct lod_span blocks)
{
    sums->crc = (uint32_t)crc32_z(sums->crc, blocks.at, blocks.bytes);
    while (blocks.bytes) {
        const uint32_t bytes = lod_get_le16(blocks.at + 1);
        sums->adler = (uint32_t)adler32_z(sums->adler, blocks.at + BLOCK_HEAD, bytes);
        blocks.at += BLOCK_HEAD + bytes;
        blocks.bytes -= BLOCK_HEAD + bytes;
    }
}

struct lod_png_sums lod_png_stored_sums_end(struct lod_png_sums sums)
{
    uint8_t adler[4];

    put_be32(adler, sums.adler);
    sums.crc = (uint32_t)crc32_z(sums.crc, adler, sizeof(adler));
    return sums;
}

/* The byte after the checksums is 0, and the bytes before them are no beginning of the word. */
void lod_png_stored_sum(const struct lod_l3_output *stored, uint64_t offset, uint8_t *into)
{
    const struct lod_span bands = {.at = into, .bytes = stored->bytes};
    uint8_t *tail = into + stored->bytes;

    for (;;) {
        struct lod_png_sums sums = lod_png_stored_sums_begin();
        lod_png_stored_sums_add(&sums, bands);
        sums = lod_png_stored_sums_end(sums);
        put_be32(tail, sums.adler);
        put_be32(tail + 4, sums.crc);
        if (!lod_word_in(tail, LOD_PNG_SUMS_BYTES, offset + stored->bytes)) {
            return;
        }
        do {
            tail[-1]++;
        } while (!lod_word_free_end(tail[-1]));
    }
}

void lod_png_stored_head(const struct lod_l3_output *stored, uint8_t head[LOD_PNG_HEAD_BYTES])
{
    static const uint8_t begin[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                      0,    0,   0,   13,  'I',  'H',  'D',  'R'};

    memcpy(head, begin, sizeof(begin));
    put_be32(head + 16, stored->header.width);
    put_be32(head + 20, stored->header.height);
    head[24] = stored->header.depth;
    head[25] = stored->header.colour;
    head[26] = head[27] = head[28] = 0;
    put_be32(head + 29, (uint32_t)crc32_z(0, head + 12, 17));
}

void lod_png_stored_open(const struct lod_l3_output *stored, uint8_t open[LOD_PNG_OPEN_BYTES])
{
    put_be32(open, (uint32_t)(stored->bytes + ZLIB_BYTES));
    memcpy(open + 4, "IDAT", 4);
    memcpy(open + 8, zlib_head, sizeof(zlib_head));
}

void lod_png_stored_tail(struct lod_png_sums sums, uint8_t tail[LOD_PNG_TAIL_BYTES])
{
    put_be32(tail, sums.adler);
    put_be32(tail + 4, sums.crc);
    memcpy(tail + 8, iend, sizeof(iend));
}
