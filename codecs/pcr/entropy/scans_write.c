/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See scans_write.h. Each scan is walked once: its symbols are counted and noted as tokens, the
 * optimal tables are made, and the tokens are written with them.
 */
#include "pcr/entropy/scans_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcr/entropy/entropy.h"
#include "pcr/jpeg/jpeg_marker.h"

/* 2 MiB of tokens. A scan with more, at some 4 million pixels, is walked twice. */
#define TOKENS_MAX (512u << 10)

/* Maximum bits of a value in JPEG's 8-bit progressive processes: T.81, tables F.1 and F.2. */
#define DC_BITS_MAX 11
#define AC_BITS_MAX 10

struct writer {
    const struct lod_jpeg *jpeg;
    struct lod_buf *out;
    struct lod_entropy_tokens tokens;
    struct lod_entropy_counts counts;
    struct lod_entropy_tables tables;
};

/* Writes the marker and length of a segment with `bytes` bytes of contents. */
static int put_head(struct writer *w, uint8_t code, size_t bytes)
{
    const uint8_t head[] = {0xff, code, (uint8_t)((bytes + 2) >> 8), (uint8_t)(bytes + 2)};

    return lod_buf_append(w->out, head, sizeof(head));
}

static int put_quant(struct writer *w, unsigned number)
{
    const uint16_t *table = w->jpeg->quant[number];
    uint8_t contents[1 + 2 * LOD_JPEG_BLOCK];
    size_t bytes = 1;
    bool wide = false;

    for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
        wide |= table[k] > 255;
    }
    contents[0] = (uint8_t)((unsigned)wide << 4 | number);
    for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
        if (wide) {
            contents[bytes++] = (uint8_t)(table[k] >> 8);
        }
        contents[bytes++] = (uint8_t)table[k];
    }
    int error = put_head(w, LOD_MARKER_DQT, bytes);
    return error ? error : lod_buf_append(w->out, contents, bytes);
}

static int put_frame(struct writer *w)
{
    const struct lod_jpeg_frame *frame = &w->jpeg->frame;
    const uint8_t size[] = {8,
                            (uint8_t)(frame->height >> 8),
                            (uint8_t)frame->height,
                            (uint8_t)(frame->width >> 8),
                            (uint8_t)frame->width,
                            frame->components};
    unsigned sent = 0;
    int error = 0;

    for (unsigned c = 0; c < frame->components && !error; c++) {
        if (!(sent & 1u << frame->component[c].quant)) {
            error = put_quant(w, frame->component[c].quant);
        }
        sent |= 1u << frame->component[c].quant;
    }
    error = error ? error : put_head(w, LOD_MARKER_SOF2, sizeof(size) + 3u * frame->components);
    error = error ? error : lod_buf_append(w->out, size, sizeof(size));
    for (unsigned c = 0; c < frame->components && !error; c++) {
        const struct lod_jpeg_component *component = &frame->component[c];
        const uint8_t part[] = {component->id, (uint8_t)(component->h << 4 | component->v),
                                component->quant};
        error = lod_buf_append(w->out, part, sizeof(part));
    }
    return error;
}

/* Writes the optimal table for the counted symbols, and makes its codes. */
static int put_table(struct writer *w, enum lod_huffman_class class, unsigned number)
{
    struct lod_huffman_table table;
    const uint8_t place = (uint8_t)((unsigned)class << 4 | number);

    lod_huffman_optimal(w->counts.of[class][number], &table);
    int error = lod_huffman_codes(&table, &w->tables.codes[class][number]);
    error =
        error ? error : put_head(w, LOD_MARKER_DHT, 1 + sizeof(table.counts) + table.values_count);
    error = error ? error : lod_buf_append(w->out, &place, 1);
    error = error ? error : lod_buf_append(w->out, table.counts, sizeof(table.counts));
    return error ? error : lod_buf_append(w->out, table.values, table.values_count);
}

static bool is_coded(const struct lod_entropy_scan *scan, enum lod_huffman_class class)
{
    return class == LOD_HUFFMAN_AC ? scan->first != 0 : scan->first == 0 && scan->high == 0;
}

static bool in_range(const struct writer *w)
{
    bool sound = true;

    for (unsigned number = 0; number < 2; number++) {
        for (unsigned symbol = 0; symbol < 256; symbol++) {
            sound &= !w->counts.of[LOD_HUFFMAN_DC][number][symbol] || symbol <= DC_BITS_MAX;
            sound &= !w->counts.of[LOD_HUFFMAN_AC][number][symbol] || (symbol & 15) <= AC_BITS_MAX;
        }
    }
    return sound;
}

static int put_tables(struct writer *w, const struct lod_entropy_scan *scan)
{
    const enum lod_huffman_class class = scan->first ? LOD_HUFFMAN_AC : LOD_HUFFMAN_DC;
    unsigned sent = 0;

    if (lod_entropy_count(w->jpeg, scan, &w->tokens, &w->counts) || !in_range(w)) {
        return -ENOTSUP;
    }
    if (!is_coded(scan, class)) {
        return 0; /* refined DC has only bits, no symbols */
    }
    for (unsigned part = 0; part < scan->count; part++) {
        unsigned number = class == LOD_HUFFMAN_AC ? scan->part[part].ac : scan->part[part].dc;
        int error = sent & 1u << number ? 0 : put_table(w, class, number);
        if (error) {
            return error;
        }
        sent |= 1u << number;
    }
    return 0;
}

static int put_sos(struct writer *w, const struct lod_entropy_scan *scan)
{
    uint8_t contents[1 + 2 * LOD_SCRIPT_COMPONENTS + 3];
    size_t bytes = 0;

    contents[bytes++] = scan->count;
    for (unsigned part = 0; part < scan->count; part++) {
        unsigned dc = is_coded(scan, LOD_HUFFMAN_DC) ? scan->part[part].dc : 0;
        unsigned ac = is_coded(scan, LOD_HUFFMAN_AC) ? scan->part[part].ac : 0;
        contents[bytes++] = w->jpeg->frame.component[scan->part[part].component].id;
        contents[bytes++] = (uint8_t)(dc << 4 | ac);
    }
    contents[bytes++] = scan->first;
    contents[bytes++] = scan->last;
    contents[bytes++] = (uint8_t)(scan->high << 4 | scan->low);
    int error = put_head(w, LOD_MARKER_SOS, bytes);
    return error ? error : lod_buf_append(w->out, contents, bytes);
}

/* Returns the maximum size of a scan, in which every byte may be 0xff and be followed by a 0. */
static size_t coded_bytes_max(const struct writer *w, const struct lod_entropy_scan *scan)
{
    uint64_t bits = 16 + w->tokens.bits;

    for (unsigned class = LOD_HUFFMAN_DC; class <= LOD_HUFFMAN_AC; class ++) {
        for (unsigned number = 0; number < 2 && is_coded(scan, class); number++) {
            for (unsigned symbol = 0; symbol < 256; symbol++) {
                bits += (uint64_t)w->counts.of[class][number][symbol] *
                        (w->tables.codes[class][number].entry[symbol] & 0xff);
            }
        }
    }
    return (size_t)(bits / 8 + 1) * 2;
}

static int put_scan(struct writer *w, const struct lod_entropy_scan *scan)
{
    int error = put_tables(w, scan);
    error = error ? error : put_sos(w, scan);
    error = error ? error : lod_buf_reserve(w->out, coded_bytes_max(w, scan));
    if (error) {
        return error;
    }
    uint8_t *at = w->out->data + w->out->bytes;
    size_t room = w->out->room - w->out->bytes, bytes = 0;
    error = w->tokens.count <= w->tokens.room
                ? lod_entropy_write_tokens(&w->tokens, &w->tables, at, room, &bytes)
                : lod_entropy_write(w->jpeg, scan, &w->tables, at, room, &bytes);
    w->out->bytes += bytes;
    return error;
}

static struct lod_entropy_scan scan_of(const struct lod_jpeg *jpeg, const struct lod_scan *from)
{
    struct lod_entropy_scan scan = {.count = from->count,
                                    .progressive = true,
                                    .plain_padding = true,
                                    .first = from->first,
                                    .last = from->last,
                                    .high = from->high,
                                    .low = from->low,
                                    .run_max = LOD_ENTROPY_RUN_MAX};

    for (unsigned part = 0; part < from->count; part++) {
        scan.part[part].component = from->component[part];
        scan.part[part].dc = scan.part[part].ac =
            jpeg->frame.component[from->component[part]].coding;
    }
    return scan;
}

static int write_all(struct writer *w, const struct lod_script *script)
{
    static const uint8_t soi[] = {0xff, 0xd8}, eoi[] = {0xff, 0xd9};
    int error = lod_buf_append(w->out, soi, sizeof(soi));

    error = error ? error : put_frame(w);
    for (unsigned i = 0; i < script->count && !error; i++) {
        const struct lod_entropy_scan scan = scan_of(w->jpeg, &script->scans[i]);
        error = put_scan(w, &scan);
    }
    return error ? error : lod_buf_append(w->out, eoi, sizeof(eoi));
}

int lod_scans_write(const struct lod_jpeg *jpeg, const struct lod_script *script,
                    struct lod_buf *out)
{
    const size_t before = out->bytes;
    const uint64_t coefficients = lod_jpeg_frame_bytes(&jpeg->frame) / sizeof(int16_t);
    struct writer *w = calloc(1, sizeof(*w));

    if (!w) {
        return -ENOMEM;
    }
    w->jpeg = jpeg;
    w->out = out;
    w->tokens.room = coefficients < TOKENS_MAX ? (size_t)coefficients : TOKENS_MAX;
    w->tokens.at = malloc(w->tokens.room * sizeof(w->tokens.at[0]));
    int error = w->tokens.at ? write_all(w, script) : -ENOMEM;
    if (error) {
        out->bytes = before;
    }
    free(w->tokens.at);
    free(w);
    return error;
}
