/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a header part. Each operation appends to the rebuilt file: from segments of the file at
 * full, from its coefficients, or from bytes of the rebuild data. Both are untrusted input.
 * FORMAT.md, Rebuild data.
 */
#include "pcr/exact/rebuild_run.h"

#include <errno.h>
#include <stdlib.h>

#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/exact/padding.h"
#include "pcr/exact/varint.h"

/* The settings by which scans are coded from some point on. */
struct coding {
    bool progressive;
    uint32_t restart_mcus;
};

struct run {
    const struct lod_rebuild_parts *parts;
    struct lod_jpeg *jpeg;
    struct lod_cursor program, tail;
    uint8_t *out;
    size_t at, room;
    struct coding coding;
    uint64_t blocks; /* counted or written so far */
    struct lod_entropy_tables tables;
    const uint8_t *counted; /* the scan operation whose symbols are in `counts` */
    struct lod_entropy_counts counts;
    struct lod_rebuild_trace trace;
};

static int put(struct run *r, const void *data, size_t bytes)
{
    if (bytes > r->room - r->at) {
        return -EILSEQ;
    }
    if (bytes) {
        memcpy(r->out + r->at, data, bytes);
    }
    r->at += bytes;
    return 0;
}

static int put_marker(struct run *r, uint8_t code)
{
    const uint8_t marker[] = {0xff, code};
    return put(r, marker, sizeof(marker));
}

/* Writes a marker, the length of its segment and `bytes` bytes of contents. */
static int put_segment(struct run *r, uint8_t code, const void *data, size_t bytes)
{
    size_t length = bytes + 2;
    const uint8_t head[] = {0xff, code, (uint8_t)(length >> 8), (uint8_t)length};

    int error = length > UINT16_MAX ? -EILSEQ : put(r, head, sizeof(head));
    return error ? error : put(r, data, bytes);
}

/* Takes an operation's code and arguments. */
static int take_op(struct lod_cursor *c, unsigned *ret_code, struct lod_cursor *ret_args)
{
    uint8_t head = lod_take_u8(c);
    size_t bytes = head & 15;

    if (bytes == LOD_REBUILD_LONG) {
        bytes = lod_take_varint(c);
    }
    const uint8_t *args = lod_take(c, bytes);
    if (!args || head >> 4 >= LOD_REBUILD_OPS) {
        return -EILSEQ;
    }
    *ret_code = head >> 4;
    *ret_args = lod_cursor(args, bytes);
    return 0;
}

static int run_literal(struct run *r, struct lod_cursor *args)
{
    size_t bytes = args->left;
    return put(r, lod_take(args, bytes), bytes);
}

static int run_segments(struct run *r, struct lod_cursor *args)
{
    const struct lod_jpeg_layout *layout = &r->parts->layout;
    uint32_t first = lod_take_varint(args), count = lod_take_varint(args);
    int error = 0;

    if (first > layout->segments_count || count > layout->segments_count - first) {
        return -EILSEQ;
    }
    for (uint32_t i = first; i < first + count && !error; i++) {
        const struct lod_jpeg_segment *segment = &layout->segments[i];
        error = put(r, r->parts->full.at + segment->offset, segment->bytes);
    }
    return error;
}

static int run_dqt(struct run *r, struct lod_cursor *args)
{
    uint8_t contents[4 * (1 + 2 * LOD_JPEG_BLOCK)];
    size_t bytes = 0;

    if (args->left > 4) {
        return -EILSEQ;
    }
    while (args->left) {
        uint8_t head = lod_take_u8(args);
        unsigned number = head & 15, wide = head >> 4;
        if (wide > 1 || number > 3 || !(r->parts->tables & 1u << number)) {
            return -EILSEQ;
        }
        contents[bytes++] = head;
        for (unsigned i = 0; i < LOD_JPEG_BLOCK; i++) {
            uint16_t value = r->parts->quant[number][i];
            if (wide) {
                contents[bytes++] = (uint8_t)(value >> 8);
            }
            contents[bytes++] = (uint8_t)value;
        }
    }
    return put_segment(r, LOD_MARKER_DQT, contents, bytes);
}

static int run_sof(struct run *r, struct lod_cursor *args)
{
    uint8_t code = lod_take_u8(args);
    const struct lod_span *sof = &r->parts->sof;

    if (code < LOD_MARKER_SOF0 || code > LOD_MARKER_SOF2) {
        return -EILSEQ;
    }
    r->coding.progressive = code == LOD_MARKER_SOF2;
    int error = put_marker(r, code);
    return error ? error : put(r, sof->at + 2, sof->bytes - 2);
}

static int run_dri(struct run *r, struct lod_cursor *args)
{
    r->coding.restart_mcus = lod_take_le16(args);
    const uint8_t contents[] = {(uint8_t)(r->coding.restart_mcus >> 8),
                                (uint8_t)r->coding.restart_mcus};
    return put_segment(r, LOD_MARKER_DRI, contents, sizeof(contents));
}

/* Reads a scan operation up to the contents of its SOS segment, which stay in `args`. */
static int read_scan(const struct run *r, const struct coding *coding, struct lod_cursor *args,
                     uint8_t *ret_flags, struct lod_entropy_scan *ret_scan)
{
    uint8_t flags = lod_take_u8(args);
    uint16_t limit = flags & LOD_REBUILD_LIMITED ? lod_take_le16(args) : LOD_ENTROPY_RUN_MAX;

    if (flags & ~LOD_REBUILD_FLAGS || !limit || limit > LOD_ENTROPY_RUN_MAX ||
        lod_rebuild_scan_read(*args, &r->jpeg->frame, coding->progressive, ret_scan)) {
        return -EILSEQ;
    }
    ret_scan->run_max = limit;
    ret_scan->restart_mcus = coding->restart_mcus;
    ret_scan->pad_zeros = flags & LOD_REBUILD_PAD_ZEROS;
    *ret_flags = flags;
    return 0;
}

static int charge_blocks(struct run *r, const struct lod_entropy_scan *scan)
{
    for (unsigned part = 0; part < scan->count; part++) {
        const struct lod_jpeg_component *c = &r->jpeg->frame.component[scan->part[part].component];
        r->blocks += (uint64_t)r->jpeg->frame.mcus_wide * c->h * r->jpeg->frame.mcus_high * c->v;
    }
    return r->blocks > LOD_REBUILD_BLOCKS_MAX ? -E2BIG : 0;
}

/* Finds the next scan operation, and the settings that apply to it. */
static int find_scan(struct lod_cursor program, struct coding *coding, struct lod_cursor *ret_args)
{
    unsigned code;

    do {
        if (take_op(&program, &code, ret_args)) {
            return -EILSEQ;
        }
        if (code == LOD_REBUILD_SOF) {
            coding->progressive = lod_take_u8(ret_args) == LOD_MARKER_SOF2;
        } else if (code == LOD_REBUILD_DRI) {
            coding->restart_mcus = lod_take_le16(ret_args);
        }
    } while (code != LOD_REBUILD_SCAN);
    return 0;
}

/* Counts the symbols of the next scan, for tables that are optimal for it. */
static int count_next_scan(struct run *r)
{
    struct coding coding = r->coding;
    struct lod_entropy_scan scan;
    struct lod_cursor args;
    uint8_t flags;

    int error = find_scan(r->program, &coding, &args);
    if (error || args.at == r->counted) {
        return error;
    }
    r->counted = args.at;
    error = read_scan(r, &coding, &args, &flags, &scan);
    if (!error) {
        error = charge_blocks(r, &scan);
    }
    return error ? error : lod_entropy_count(r->jpeg, &scan, NULL, &r->counts);
}

static int take_table(struct run *r, struct lod_cursor *args, uint8_t head,
                      struct lod_huffman_table *ret_table)
{
    unsigned class = head >> 4 & 1, number = head & 3, kind = head >> 6;
    int error;

    switch (kind) {
    case LOD_REBUILD_CUSTOM:
        return lod_huffman_take(args, ret_table);
    case LOD_REBUILD_OPTIMAL:
        error = count_next_scan(r);
        if (!error) {
            lod_huffman_optimal(r->counts.of[class][number], ret_table);
        }
        return error;
    default:
        *ret_table = lod_huffman_standard[class][kind == LOD_REBUILD_CHROMINANCE];
        return 0;
    }
}

static int run_dht(struct run *r, struct lod_cursor *args)
{
    struct lod_huffman_table table;
    size_t start = r->at;

    int error = put_segment(r, LOD_MARKER_DHT, NULL, 0);
    while (args->left && !error) {
        uint8_t head = lod_take_u8(args), place = head & 0x1f;
        error = head & 0x2c ? -EILSEQ : take_table(r, args, head, &table);
        if (!error) {
            error = lod_huffman_codes(&table, &r->tables.codes[head >> 4 & 1][head & 3]);
        }
        if (!error) {
            error = put(r, &place, 1);
        }
        if (!error) {
            error = put(r, table.counts, sizeof(table.counts));
        }
        if (!error) {
            error = put(r, table.values, table.values_count);
        }
    }
    size_t length = r->at - start - 2;
    if (error || length > UINT16_MAX) {
        return error ? error : -EILSEQ;
    }
    r->out[start + 2] = (uint8_t)(length >> 8);
    r->out[start + 3] = (uint8_t)length;
    return 0;
}

/* Applies a patch to the last `bytes` bytes written: replaces some,
 * then cuts and extends the end. */
static int patch(struct run *r, size_t bytes)
{
    size_t place = r->at - bytes;

    for (uint32_t left = lod_take_varint(&r->tail); left; left--) {
        uint32_t skip = lod_take_varint(&r->tail), count = lod_take_varint(&r->tail);
        const uint8_t *data = lod_take(&r->tail, count);
        if (!data || skip > r->at - place || count > r->at - place - skip) {
            return -EILSEQ;
        }
        memcpy(r->out + place + skip, data, count);
        place += (size_t)skip + count;
    }
    uint32_t cut = lod_take_varint(&r->tail), more = lod_take_varint(&r->tail);
    const uint8_t *data = lod_take(&r->tail, more);
    if (!data || cut > r->at - place) {
        return -EILSEQ;
    }
    r->at -= cut;
    return put(r, data, more);
}

static int run_scan(struct run *r, struct lod_cursor *args)
{
    struct lod_entropy_scan scan;
    uint8_t flags;
    size_t bytes = 0;

    if (r->trace.count == LOD_JPEG_SCANS_MAX) {
        return -EILSEQ;
    }
    int error = read_scan(r, &r->coding, args, &flags, &scan);
    if (!error) {
        size_t left = args->left;
        error = put_segment(r, LOD_MARKER_SOS, lod_take(args, left), left);
    }
    if (!error) {
        error = charge_blocks(r, &scan);
    }
    if (!error) {
        error =
            lod_entropy_write(r->jpeg, &scan, &r->tables, r->out + r->at, r->room - r->at, &bytes);
    }
    if (error) {
        return error;
    }
    r->at += bytes;
    r->trace.scan[r->trace.count].at = r->at - bytes;
    r->trace.scan[r->trace.count++].end = r->at;
    return flags & LOD_REBUILD_PATCHED ? patch(r, bytes) : 0;
}

static int run_eoi(struct run *r, struct lod_cursor *args)
{
    (void)args;
    return put_marker(r, LOD_MARKER_EOI);
}

static int run_padding(struct run *r, struct lod_cursor *args)
{
    (void)args;
    return r->trace.count || r->counted ? -EILSEQ : lod_padding_fill(r->jpeg, &r->tail);
}

static int run_op(struct run *r, unsigned code, struct lod_cursor *args)
{
    static int (*const ops[LOD_REBUILD_OPS])(struct run *, struct lod_cursor *) = {
        [LOD_REBUILD_LITERAL] = run_literal, [LOD_REBUILD_SEGMENTS] = run_segments,
        [LOD_REBUILD_DQT] = run_dqt,         [LOD_REBUILD_SOF] = run_sof,
        [LOD_REBUILD_DHT] = run_dht,         [LOD_REBUILD_DRI] = run_dri,
        [LOD_REBUILD_SCAN] = run_scan,       [LOD_REBUILD_EOI] = run_eoi,
        [LOD_REBUILD_PADDING] = run_padding,
    };
    int error = ops[code](r, args);
    return !error && (args->short_of_bytes || args->left) ? -EILSEQ : error;
}

static int run_program(struct run *r)
{
    const uint8_t soi[] = {0xff, 0xd8};
    struct lod_cursor args;
    unsigned code;

    int error = lod_padding_fill(r->jpeg, NULL);
    for (unsigned i = 0; i < 2 && !error;
         i++) { /* decoders use the standard tables for a file without DHT */
        for (unsigned class = LOD_HUFFMAN_DC; class <= LOD_HUFFMAN_AC && !error; class ++) {
            error = lod_huffman_codes(&lod_huffman_standard[class][i], &r->tables.codes[class][i]);
        }
    }
    if (!error) {
        error = put(r, soi, sizeof(soi));
    }
    while (r->program.left && !error) {
        error = take_op(&r->program, &code, &args);
        error = error ? error : run_op(r, code, &args);
    }
    return error ? error : put(r, r->tail.at, r->tail.left);
}

int lod_rebuild_run(const struct lod_rebuild_parts *parts, struct lod_jpeg *jpeg,
                    struct lod_span header, struct lod_span tail, uint8_t *out, size_t room,
                    size_t *ret_bytes, struct lod_rebuild_trace *ret_trace)
{
    struct run *r = calloc(1, sizeof(*r));
    if (!r) {
        return -ENOMEM;
    }
    r->parts = parts;
    r->jpeg = jpeg;
    r->program = lod_cursor(header.at, header.bytes);
    r->tail = lod_cursor(tail.at, tail.bytes);
    r->out = out;
    r->room = room;
    int error = run_program(r);
    if (!error) {
        *ret_bytes = r->at;
        *ret_trace = r->trace;
    }
    free(r);
    return error == -ENOSPC ? -EILSEQ : error;
}
