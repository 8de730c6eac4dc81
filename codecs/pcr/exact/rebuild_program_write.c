/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a header part. A segment that can be made from the file at full, from a standard table or
 * from an optimal one takes a few bytes; all other bytes of the source are copied. FORMAT.md,
 * Rebuild data.
 */
#include "pcr/exact/rebuild_program_write.h"

#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/exact/varint.h"

struct writer {
    const struct lod_rebuild_program *program;
    struct lod_buf *out;
    struct lod_buf args;    /* of the current operation */
    struct lod_buf literal; /* bytes that are not in an operation yet */
    uint32_t first, count;  /* segments of the file at full that are not in an operation yet */
    bool progressive;
    uint32_t restart_mcus;
    unsigned scans;
    unsigned counted; /* the mark whose symbols are in `counts`; 0: none */
    struct lod_entropy_counts counts;
    unsigned run_class[LOD_HUFFMAN_TABLES]; /* of each AC table: class of the longest run that it
                                               can code */
};

/* Writes an operation with arguments `args`. */
static int put_op(struct writer *w, unsigned code, struct lod_span args)
{
    unsigned bytes = args.bytes < LOD_REBUILD_LONG ? (unsigned)args.bytes : LOD_REBUILD_LONG;

    int error = lod_buf_append_le(w->out, 1, code << 4 | bytes);
    if (!error && bytes == LOD_REBUILD_LONG) {
        error = lod_buf_append_varint(w->out, (uint32_t)args.bytes);
    }
    return error ? error : lod_buf_append(w->out, args.at, args.bytes);
}

/* Writes the pending operation: literal bytes, or segments of the file at full; never both. */
static int flush(struct writer *w)
{
    int error = 0;

    if (w->literal.bytes) {
        error = put_op(w, LOD_REBUILD_LITERAL, lod_buf_span(&w->literal));
        w->literal.bytes = 0;
    } else if (w->count) {
        struct lod_buf args = {0};
        error = lod_buf_append_varint(&args, w->first);
        error = error ? error : lod_buf_append_varint(&args, w->count);
        error = error ? error : put_op(w, LOD_REBUILD_SEGMENTS, lod_buf_span(&args));
        lod_buf_finish(&args);
        w->count = 0;
    }
    return error;
}

static int put_literal(struct writer *w, uint32_t at, uint32_t end)
{
    int error = w->count && at < end ? flush(w) : 0;
    return error ? error : lod_buf_append(&w->literal, w->program->source.at + at, end - at);
}

static int put_as_it_is(struct writer *w, const struct lod_rebuild_mark *mark)
{
    return put_literal(w, mark->at, mark->end);
}

/* Writes an operation with the collected arguments. */
static int put_gathered(struct writer *w, unsigned code)
{
    int error = flush(w);
    return error ? error : put_op(w, code, lod_buf_span(&w->args));
}

static bool same_segment(const struct writer *w, const struct lod_rebuild_mark *mark, uint32_t i)
{
    const struct lod_rebuild_parts *parts = w->program->parts;
    const struct lod_jpeg_segment *segment = &parts->layout.segments[i];

    return segment->bytes == mark->end - mark->at &&
           memcmp(w->program->source.at + mark->at, parts->full.at + segment->offset,
                  segment->bytes) == 0;
}

/*
 * Adds an APPn or COM segment of the file at full, which mostly follows the segment added before.
 */
static int put_app(struct writer *w, const struct lod_rebuild_mark *mark)
{
    uint32_t segments = w->program->parts->layout.segments_count, next = w->first + w->count;

    if (w->count && next < segments && same_segment(w, mark, next)) {
        w->count++;
        return 0;
    }
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t at = (next + i) % segments;
        if (same_segment(w, mark, at)) {
            int error = flush(w);
            w->first = at;
            w->count = 1;
            return error;
        }
    }
    return put_as_it_is(w, mark);
}

static bool same_quant(const struct writer *w, struct lod_cursor *body, uint8_t head)
{
    const struct lod_rebuild_parts *parts = w->program->parts;
    unsigned number = head & 15, wide = head >> 4;

    if (number > 3 || wide > 1 || !(parts->tables & 1u << number)) {
        return false;
    }
    for (unsigned i = 0; i < LOD_JPEG_BLOCK; i++) {
        uint16_t value = wide ? lod_take_be16(body) : lod_take_u8(body);
        if (body->short_of_bytes || value != parts->quant[number][i]) {
            return false;
        }
    }
    return true;
}

static int put_dqt(struct writer *w, const struct lod_rebuild_mark *mark)
{
    struct lod_cursor body = lod_rebuild_mark_body(w->program->source, mark);
    unsigned count = 0;

    while (body.left) {
        uint8_t head = lod_take_u8(&body);
        if (!same_quant(w, &body, head) || ++count > 4) {
            return put_as_it_is(w, mark);
        }
        int error = lod_buf_append_le(&w->args, 1, head);
        if (error) {
            return error;
        }
    }
    return put_gathered(w, LOD_REBUILD_DQT);
}

static int put_sof(struct writer *w, const struct lod_rebuild_mark *mark)
{
    const struct lod_span *sof = &w->program->parts->sof;
    const uint8_t *at = w->program->source.at + mark->at;

    if (sof->bytes != mark->end - mark->at || memcmp(sof->at + 2, at + 2, sof->bytes - 2) != 0) {
        return put_as_it_is(w, mark);
    }
    w->progressive = mark->code == LOD_MARKER_SOF2;
    int error = lod_buf_append_le(&w->args, 1, mark->code);
    return error ? error : put_gathered(w, LOD_REBUILD_SOF);
}

static int put_dri(struct writer *w, const struct lod_rebuild_mark *mark)
{
    struct lod_cursor body = lod_rebuild_mark_body(w->program->source, mark);

    if (body.left != 2) {
        return put_as_it_is(w, mark);
    }
    w->restart_mcus = lod_take_be16(&body);
    int error = lod_buf_append_le(&w->args, 2, w->restart_mcus);
    return error ? error : put_gathered(w, LOD_REBUILD_DRI);
}

/* Counts the symbols of the first scan after mark `i`. Returns false if that is impossible. */
static bool count_next_scan(struct writer *w, unsigned i)
{
    const struct lod_rebuild_marks *marks = w->program->marks;
    bool progressive = w->progressive;
    uint32_t restart_mcus = w->restart_mcus;
    struct lod_entropy_scan scan;

    while (i < marks->count && marks->mark[i].code != LOD_MARKER_SOS) {
        const struct lod_rebuild_mark *mark = &marks->mark[i++];
        struct lod_cursor body = lod_rebuild_mark_body(w->program->source, mark);
        if (mark->code == LOD_MARKER_DRI) {
            restart_mcus = lod_take_be16(&body);
        } else if (mark->code >= LOD_MARKER_SOF0 && mark->code <= LOD_MARKER_SOF2) {
            progressive = mark->code == LOD_MARKER_SOF2;
        }
    }
    if (i == marks->count || w->counted == i) {
        return i < marks->count;
    }
    if (lod_rebuild_scan_read(lod_rebuild_mark_body(w->program->source, &marks->mark[i]),
                              &w->program->jpeg->frame, progressive, &scan)) {
        return false;
    }
    scan.restart_mcus = restart_mcus;
    w->counted = lod_entropy_count(w->program->jpeg, &scan, NULL, &w->counts) ? 0 : i;
    return w->counted == i;
}

static enum lod_rebuild_table table_kind(struct writer *w, unsigned i, uint8_t head,
                                         const struct lod_huffman_table *table)
{
    unsigned class = head >> 4, number = head & 15;
    struct lod_huffman_table optimal;

    if (lod_huffman_same(table, &lod_huffman_standard[class][0])) {
        return LOD_REBUILD_LUMINANCE;
    }
    if (lod_huffman_same(table, &lod_huffman_standard[class][1])) {
        return LOD_REBUILD_CHROMINANCE;
    }
    if (!count_next_scan(w, i)) {
        return LOD_REBUILD_CUSTOM;
    }
    lod_huffman_optimal(w->counts.of[class][number], &optimal);
    return lod_huffman_same(table, &optimal) ? LOD_REBUILD_OPTIMAL : LOD_REBUILD_CUSTOM;
}

/*
 * Returns the class 0 .. 14 of the longest run of ended blocks for which a table has a code. An
 * optimal table has no codes for longer runs, as the encoder did not use them.
 */
static unsigned longest_run(const struct lod_huffman_table *table, enum lod_rebuild_table kind)
{
    unsigned longest = kind == LOD_REBUILD_OPTIMAL ? 14 : 0;

    for (unsigned i = 0; i < table->values_count; i++) {
        unsigned size = table->values[i] >> 4;
        longest = !(table->values[i] & 15) && size < 15 && size > longest ? size : longest;
    }
    return longest;
}

static int put_table(struct writer *w, unsigned i, uint8_t head,
                     const struct lod_huffman_table *table)
{
    enum lod_rebuild_table kind = table_kind(w, i, head, table);

    if (head >> 4 == LOD_HUFFMAN_AC) {
        w->run_class[head & 3] = longest_run(table, kind);
    }
    int error = lod_buf_append_le(&w->args, 1, (unsigned)kind << 6 | head);
    if (kind == LOD_REBUILD_CUSTOM && !error) {
        error = lod_buf_append(&w->args, table->counts, sizeof(table->counts));
    }
    if (kind == LOD_REBUILD_CUSTOM && !error) {
        error = lod_buf_append(&w->args, table->values, table->values_count);
    }
    return error;
}

static int put_dht(struct writer *w, unsigned i)
{
    const struct lod_rebuild_mark *mark = &w->program->marks->mark[i];
    struct lod_cursor body = lod_rebuild_mark_body(w->program->source, mark);
    struct lod_huffman_table table;
    int error = 0;

    while (body.left && !error) {
        uint8_t head = lod_take_u8(&body);
        if (head & 0xec || lod_huffman_take(&body, &table)) {
            return put_as_it_is(w, mark);
        }
        error = put_table(w, i, head, &table);
    }
    return error ? error : put_gathered(w, LOD_REBUILD_DHT);
}

/*
 * Returns the run limit of the encoder. If an encoder ends runs earlier, its tables show that by
 * missing codes. Other limits are not searched.
 */
static uint32_t run_limit(const struct writer *w, struct lod_cursor body)
{
    struct lod_entropy_scan scan;

    if (!w->progressive || lod_rebuild_scan_read(body, &w->program->jpeg->frame, true, &scan) ||
        !scan.first) {
        return LOD_ENTROPY_RUN_MAX;
    }
    return (2u << w->run_class[scan.part[0].ac]) - 1;
}

static int put_scan(struct writer *w, const struct lod_rebuild_mark *mark)
{
    struct lod_cursor body = lod_rebuild_mark_body(w->program->source, mark);
    unsigned flags = w->program->flags[w->scans++];
    uint32_t limit = run_limit(w, body);

    if (limit < LOD_ENTROPY_RUN_MAX) {
        flags |= LOD_REBUILD_LIMITED;
    }
    int error = lod_buf_append_le(&w->args, 1, flags);
    if (!error && limit < LOD_ENTROPY_RUN_MAX) {
        error = lod_buf_append_le(&w->args, 2, limit);
    }
    error = error ? error : lod_buf_append(&w->args, body.at, body.left);
    return error ? error : put_gathered(w, LOD_REBUILD_SCAN);
}

static int put_mark(struct writer *w, unsigned i)
{
    const struct lod_rebuild_mark *mark = &w->program->marks->mark[i];

    w->args.bytes = 0;
    switch (mark->code) {
    case LOD_MARKER_DHT:
        return put_dht(w, i);
    case LOD_MARKER_DQT:
        return put_dqt(w, mark);
    case LOD_MARKER_DRI:
        return put_dri(w, mark);
    case LOD_MARKER_SOS:
        return put_scan(w, mark);
    case LOD_MARKER_EOI:
        return put_gathered(w, LOD_REBUILD_EOI);
    default:
        return mark->code <= LOD_MARKER_SOF2 ? put_sof(w, mark) : put_app(w, mark);
    }
}

int lod_rebuild_program_write(const struct lod_rebuild_program *program, struct lod_buf *out)
{
    const struct lod_rebuild_marks *marks = program->marks;
    struct writer w = {.program = program, .out = out};
    uint32_t at = 2; /* SOI is implied */
    int error = 0;

    for (unsigned i = 0; i < LOD_HUFFMAN_TABLES; i++) {
        w.run_class[i] = 14;
    }
    if (program->padded) {
        error = put_op(&w, LOD_REBUILD_PADDING, (struct lod_span){0});
    }
    for (unsigned i = 0; i < marks->count && !error; i++) {
        error = put_literal(&w, at, marks->mark[i].at);
        error = error ? error : put_mark(&w, i);
        at = marks->mark[i].entropy_end;
    }
    lod_buf_finish(&w.args);
    lod_buf_finish(&w.literal);
    return error;
}
