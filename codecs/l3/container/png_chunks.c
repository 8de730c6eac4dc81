/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the chunks of a PNG in order. PNG specification, second edition, sections 5 and 11. */
#include "l3/container/png_chunks.h"

#include <errno.h>

#include <zlib.h>

#define SIGNATURE_BYTES 8u
#define IHDR_CONTENTS   13u
#define PALETTE_MAX     256u

/*
 * Limit on the number of chunks. Programs write IDAT chunks of 8 KiB and more; many tiny chunks
 * only cost time. More than CHUNKS_FREE chunks must be CHUNK_BYTES_MEAN long on average.
 */
#define CHUNKS_FREE      1024u
#define CHUNK_BYTES_MEAN 256u

#define TYPE(a, b, c, d)                                                                           \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
/* this bit distinguishes upper and lower case in the first letter of the type */
#define ANCILLARY    0x20000000u
#define SAFE_TO_COPY 0x00000020u /* of its last letter */

static const uint8_t signature[SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

/* Where a chunk may stand relative to the image data. */
enum place { BEFORE_IDAT, ANYWHERE };

/*
 * Chunks that describe the image independently of its compression. Unknown chunks are kept if their
 * type says safe to copy. dSIG is not listed: it signs the bytes of the file.
 */
static const struct {
    uint32_t type;
    enum place place;
} known[] = {
    {TYPE('P', 'L', 'T', 'E'), BEFORE_IDAT}, {TYPE('t', 'R', 'N', 'S'), BEFORE_IDAT},
    {TYPE('c', 'H', 'R', 'M'), BEFORE_IDAT}, {TYPE('g', 'A', 'M', 'A'), BEFORE_IDAT},
    {TYPE('i', 'C', 'C', 'P'), BEFORE_IDAT}, {TYPE('s', 'B', 'I', 'T'), BEFORE_IDAT},
    {TYPE('s', 'R', 'G', 'B'), BEFORE_IDAT}, {TYPE('c', 'I', 'C', 'P'), BEFORE_IDAT},
    {TYPE('m', 'D', 'C', 'V'), BEFORE_IDAT}, {TYPE('c', 'L', 'L', 'I'), BEFORE_IDAT},
    {TYPE('b', 'K', 'G', 'D'), BEFORE_IDAT}, {TYPE('h', 'I', 'S', 'T'), BEFORE_IDAT},
    {TYPE('p', 'H', 'Y', 's'), BEFORE_IDAT}, {TYPE('s', 'P', 'L', 'T'), BEFORE_IDAT},
    {TYPE('o', 'F', 'F', 's'), BEFORE_IDAT}, {TYPE('p', 'C', 'A', 'L'), BEFORE_IDAT},
    {TYPE('s', 'C', 'A', 'L'), BEFORE_IDAT}, {TYPE('s', 'T', 'E', 'R'), BEFORE_IDAT},
    {TYPE('e', 'X', 'I', 'f'), ANYWHERE},    {TYPE('t', 'I', 'M', 'E'), ANYWHERE},
    {TYPE('t', 'E', 'X', 't'), ANYWHERE},    {TYPE('z', 'T', 'X', 't'), ANYWHERE},
    {TYPE('i', 'T', 'X', 't'), ANYWHERE},
};

enum part { BEFORE, DATA, AFTER, ENDED };

struct walk {
    struct lod_png_layout layout;
    struct lod_cursor cursor;
    enum part part;
    uint32_t chunks;
    const char *why;
};

struct chunk {
    const uint8_t *at; /* the chunk's length field */
    uint32_t type;
    uint32_t bytes; /* of its contents */
};

static int refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return -ENOTSUP;
}

bool lod_png_header_valid(const struct lod_png_header *header)
{
    const bool eight = header->depth == 8 || header->depth == 16;
    const bool less = header->depth == 1 || header->depth == 2 || header->depth == 4;

    if (header->width < 1 || header->width > LOD_PNG_BYTES_MAX || header->height < 1 ||
        header->height > LOD_PNG_BYTES_MAX) {
        return false;
    }
    switch (header->colour) {
    case LOD_PNG_GRAY:
        return eight || less;
    case LOD_PNG_PALETTE:
        return header->depth == 8 || less;
    case LOD_PNG_RGB:
    case LOD_PNG_GRAY_ALPHA:
    case LOD_PNG_RGBA:
        return eight;
    default:
        return false;
    }
}

struct lod_l3_image lod_png_image(const struct lod_png_header *header)
{
    static const uint8_t samples[] = {[LOD_PNG_GRAY] = 1,
                                      [LOD_PNG_RGB] = 3,
                                      [LOD_PNG_PALETTE] = 1,
                                      [LOD_PNG_GRAY_ALPHA] = 2,
                                      [LOD_PNG_RGBA] = 4};

    return (struct lod_l3_image){.width = header->width,
                                 .height = header->height,
                                 .samples = samples[header->colour],
                                 .bits = header->depth};
}

int lod_png_read_header(struct lod_span file, struct lod_png_header *ret_header,
                        const char **ret_why)
{
    struct lod_cursor c = lod_cursor(file.at, file.bytes);
    const uint8_t *at = lod_take(&c, LOD_PNG_IHDR_BYTES);

    if (!at) {
        return refuse(ret_why, "truncated: it ends inside its header");
    }
    if (memcmp(at, signature, sizeof(signature)) || lod_get_be32(at + 8) != IHDR_CONTENTS ||
        lod_get_be32(at + 12) != TYPE('I', 'H', 'D', 'R')) {
        return refuse(ret_why, "corrupt: it does not begin with a PNG header");
    }
    if (lod_get_be32(at + 29) != crc32_z(0, at + 12, 4 + IHDR_CONTENTS)) {
        return refuse(ret_why, "corrupt: a chunk's CRC is wrong");
    }
    struct lod_png_header header = {.width = lod_get_be32(at + 16),
                                    .height = lod_get_be32(at + 20),
                                    .depth = at[24],
                                    .colour = at[25],
                                    .interlaced = at[28] == 1};
    if (!lod_png_header_valid(&header) || at[26] || at[27] || at[28] > 1) {
        return refuse(ret_why, "its header has values that PNG does not have");
    }
    *ret_header = header;
    return 0;
}

static int take_chunk(struct walk *walk, struct chunk *chunk)
{
    chunk->at = lod_take(&walk->cursor, 8);
    chunk->bytes = chunk->at ? lod_get_be32(chunk->at) : 0;
    chunk->type = chunk->at ? lod_get_be32(chunk->at + 4) : 0;
    const uint8_t *contents = lod_take(&walk->cursor, chunk->bytes);
    const uint8_t *crc = lod_take(&walk->cursor, 4);

    if (!contents || !crc) {
        return refuse(&walk->why, "truncated: it ends inside a chunk");
    }
    if (lod_get_be32(crc) != crc32_z(0, chunk->at + 4, 4u + chunk->bytes)) {
        return refuse(&walk->why, "corrupt: a chunk's CRC is wrong");
    }
    return 0;
}

static void extend(struct lod_span *span, const struct chunk *chunk)
{
    if (span->bytes == 0) {
        span->at = chunk->at;
    }
    span->bytes += chunk->bytes + LOD_PNG_CHUNK_BYTES;
}

static int take_palette(struct walk *walk, const struct chunk *chunk)
{
    const struct lod_png_header *header = &walk->layout.header;

    if (walk->layout.plte.bytes || walk->layout.transparent || chunk->bytes == 0 ||
        chunk->bytes % 3 || chunk->bytes / 3 > PALETTE_MAX || header->colour == LOD_PNG_GRAY ||
        header->colour == LOD_PNG_GRAY_ALPHA) {
        return refuse(&walk->why, "its palette is not one that PNG allows");
    }
    extend(&walk->layout.plte, chunk);
    return 0;
}

static int take_known(struct walk *walk, const struct chunk *chunk, enum place place)
{
    if (place == BEFORE_IDAT && walk->part != BEFORE) {
        return refuse(&walk->why,
                      "a chunk stands after the image data, where PNG does not allow it");
    }
    if (chunk->type == TYPE('P', 'L', 'T', 'E')) {
        return take_palette(walk, chunk);
    }
    walk->layout.transparent |= chunk->type == TYPE('t', 'R', 'N', 'S');
    return 0;
}

/* Decides about one chunk. Returns 0 if the file may contain it at this place; else refuses the
 * file. */
static int judge(struct walk *walk, const struct chunk *chunk)
{
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].type == chunk->type) {
            return take_known(walk, chunk, known[i].place);
        }
    }
    if (chunk->type == TYPE('a', 'c', 'T', 'L') || chunk->type == TYPE('f', 'c', 'T', 'L') ||
        chunk->type == TYPE('f', 'd', 'A', 'T')) {
        return refuse(&walk->why, "animated");
    }
    if (!(chunk->type & ANCILLARY)) {
        return refuse(&walk->why, "it has a critical chunk of a kind that is not known");
    }
    if (!(chunk->type & SAFE_TO_COPY)) {
        return refuse(&walk->why, "it has a chunk that is not safe to copy");
    }
    return 0;
}

static int take_data(struct walk *walk, const struct chunk *chunk)
{
    if (walk->part == AFTER) {
        return refuse(&walk->why, "its image data is not in one run of chunks");
    }
    walk->part = DATA;
    extend(&walk->layout.idat, chunk);
    return 0;
}

static int take_end(struct walk *walk, const struct chunk *chunk)
{
    if (walk->part == BEFORE) {
        return refuse(&walk->why, "it has no image data");
    }
    if (chunk->bytes || walk->cursor.left) {
        return refuse(&walk->why, "it has bytes behind its end");
    }
    walk->part = ENDED;
    return 0;
}

static int take_kept(struct walk *walk, const struct chunk *chunk)
{
    int error;

    walk->part = walk->part == DATA ? AFTER : walk->part;
    error = judge(walk, chunk);
    if (!error) {
        extend(walk->part == BEFORE ? &walk->layout.before : &walk->layout.after, chunk);
    }
    return error;
}

static int step(struct walk *walk)
{
    struct chunk chunk;
    int error = take_chunk(walk, &chunk);

    if (error) {
        return error;
    }
    if (++walk->chunks > CHUNKS_FREE &&
        (uint64_t)(walk->cursor.at - walk->layout.before.at) < walk->chunks * CHUNK_BYTES_MEAN) {
        return refuse(&walk->why, "it consists of thousands of tiny chunks");
    }
    switch (chunk.type) {
    case TYPE('I', 'D', 'A', 'T'):
        return take_data(walk, &chunk);
    case TYPE('I', 'E', 'N', 'D'):
        return take_end(walk, &chunk);
    default:
        return take_kept(walk, &chunk);
    }
}

int lod_png_scan(struct lod_span file, struct lod_png_layout *ret_layout, const char **ret_why)
{
    struct walk walk = {.part = BEFORE};
    int error = lod_png_read_header(file, &walk.layout.header, ret_why);

    if (error) {
        return error;
    }
    walk.cursor = lod_cursor(file.at + LOD_PNG_IHDR_BYTES, file.bytes - LOD_PNG_IHDR_BYTES);
    walk.layout.before.at = walk.cursor.at;
    while (!error && walk.part != ENDED) {
        error = step(&walk);
    }
    if (!error && walk.layout.header.colour == LOD_PNG_PALETTE && !walk.layout.plte.bytes) {
        error = refuse(&walk.why, "its palette is missing");
    }
    if (error) {
        *ret_why = walk.why;
        return error;
    }
    *ret_layout = walk.layout;
    return 0;
}
