/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes rebuild data in rounds. The source's segments become a program, and the program is run. If
 * a scan's bytes differ, the program is changed (first other padding bits, then a patch) and run
 * again. If the file still differs, the item must be KEPT. FORMAT.md, Rebuild data.
 */
#include "pcr/exact/rebuild_write.h"

#include <errno.h>
#include <stdlib.h>

#include "pcr/exact/rebuild_marks.h"
#include "pcr/exact/rebuild_program_write.h"
#include "pcr/exact/rebuild_run.h"
#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/exact/padding.h"
#include "pcr/exact/varint.h"

/* The overhead of a change: two changes with at most as many equal bytes between
 * them are joined. */
#define PATCH_GAP 4

/* A wrong program may write more bytes than the source has, up to 1 / ROOM_DIVISOR more. */
#define ROOM_DIVISOR 8
#define ROOM_BYTES   4096

struct make {
    struct lod_span source;
    struct lod_jpeg *jpeg;
    struct lod_rebuild_marks marks;
    struct lod_rebuild_parts parts;
    struct lod_rebuild_program program;
    struct lod_buf padding; /* padding blocks, the first part of the tail */
    struct lod_buf patches; /* changes to scans, the second part */
    struct lod_rebuild_made made;
    uint8_t *out; /* the file of the last round */
    size_t out_bytes;
    struct lod_rebuild_trace trace;
    const char *why;
};

void lod_rebuild_made_finish(struct lod_rebuild_made *made)
{
    lod_buf_finish(&made->header);
    lod_buf_finish(&made->tail);
}

int lod_rebuild_join(const struct lod_rebuild_made *made, struct lod_buf *out)
{
    int error = lod_buf_append_le(out, 1, LOD_REBUILD_OWN);

    error = error ? error : lod_buf_append_varint(out, (uint32_t)made->header.bytes);
    error = error ? error : lod_buf_append(out, made->header.data, made->header.bytes);
    return error ? error : lod_buf_append(out, made->tail.data, made->tail.bytes);
}

int lod_rebuild_join_shared(uint16_t slot, struct lod_span tail, struct lod_buf *out)
{
    int error = lod_buf_append_le(out, 1, LOD_REBUILD_SHARED);

    error = error ? error : lod_buf_append_le(out, 2, slot);
    return error ? error : lod_buf_append(out, tail.at, tail.bytes);
}

static int keep(struct make *m, const char *why)
{
    m->why = why;
    return -ENOTSUP;
}

static int check_memory(struct make *m)
{
    uint64_t bytes = (uint64_t)m->source.bytes + m->parts.full.bytes;

    bytes += m->source.bytes -
             m->marks.mark[m->marks.count - 1].end; /* bytes after EOI, which are in the tail too */
    bytes += lod_jpeg_frame_bytes(&m->jpeg->frame);
    return bytes < LOD_REBUILD_MEMORY_MAX ? 0 : keep(m, "rebuilding it would take over 128 MiB");
}

/* Returns whether the source codes this component in an interleaved scan. Only such scans contain
 * its padding blocks. */
static bool is_interleaved(const struct make *m, const struct lod_jpeg_frame *frame, unsigned c)
{
    for (unsigned i = 0; i < m->marks.count; i++) {
        struct lod_cursor body = lod_rebuild_mark_body(m->source, &m->marks.mark[i]);
        unsigned count = m->marks.mark[i].code == LOD_MARKER_SOS ? lod_take_u8(&body) : 0;
        for (unsigned part = 0; count > 1 && part < count; part++) {
            if (lod_take_u8(&body) == frame->component[c].id) {
                return true;
            }
            lod_take_u8(&body);
        }
    }
    return false;
}

static bool is_plain(const int16_t *block, int16_t dc)
{
    for (unsigned k = 1; k < LOD_JPEG_BLOCK; k++) {
        if (block[k]) {
            return false;
        }
    }
    return block[0] == dc;
}

/* Writes a block in the form that padding.c reads. */
static int put_padding(struct make *m, const int16_t *block, int16_t dc)
{
    uint32_t count = 0;
    unsigned before = 0;

    for (unsigned k = 1; k < LOD_JPEG_BLOCK; k++) {
        count += block[k] != 0;
    }
    int error = lod_buf_append_varint(&m->padding, lod_zigzag_encode(block[0] - dc));
    error = error ? error : lod_buf_append_varint(&m->padding, count);
    for (unsigned k = 1; k < LOD_JPEG_BLOCK && !error; k++) {
        if (block[k]) {
            error = lod_buf_append_le(&m->padding, 1, k - before - 1);
            error = error ? error : lod_buf_append_varint(&m->padding, lod_zigzag_encode(block[k]));
            before = k;
        }
    }
    return error;
}

/*
 * Writes the padding blocks of the source that differ from the default ones to the tail. Then
 * replaces the padding blocks of m->jpeg by the default ones, as a rebuild has them.
 */
static int make_padding(struct make *m)
{
    struct lod_padding p = lod_padding(m->jpeg);
    bool sent[LOD_SCRIPT_COMPONENTS];
    uint32_t plain = 0;
    int16_t *block, dc;
    int error = 0;

    for (unsigned c = 0; c < m->jpeg->frame.components; c++) {
        sent[c] = is_interleaved(m, &m->jpeg->frame, c);
    }
    while (!error && (block = lod_padding_next(&p, &dc)) != NULL) {
        if (!sent[p.component] || is_plain(block, dc)) {
            plain++;
            continue;
        }
        m->program.padded = true;
        error = lod_buf_append_varint(&m->padding, plain);
        error = error ? error : put_padding(m, block, dc);
        plain = 0;
    }
    if (error) {
        return error;
    }
    if (!m->program.padded) {
        return lod_padding_fill(m->jpeg, NULL);
    }
    error = lod_buf_append_varint(&m->padding, plain);
    struct lod_cursor tail = lod_cursor(m->padding.data, m->padding.bytes);
    return error ? error : lod_padding_fill(m->jpeg, &tail);
}

static int make_tail(struct make *m)
{
    size_t end = m->marks.mark[m->marks.count - 1].end;
    struct lod_buf *tail = &m->made.tail;

    tail->bytes = 0;
    int error = lod_buf_append(tail, m->padding.data, m->padding.bytes);
    error = error ? error : lod_buf_append(tail, m->patches.data, m->patches.bytes);
    return error ? error : lod_buf_append(tail, m->source.at + end, m->source.bytes - end);
}

/* Checks the size of the rebuild data, without the bytes after EOI: a KEPT file would have them
 * too. */
static int check_size(struct make *m)
{
    size_t bytes = m->made.header.bytes + m->padding.bytes + m->patches.bytes;

    return bytes <= m->source.bytes / LOD_REBUILD_DIVISOR + LOD_REBUILD_BYTES &&
                   m->made.header.bytes <= LOD_REBUILD_HEADER_MAX
               ? 0
               : keep(m, "too many of its bytes differ from those of usual encoders");
}

/* Rebuilds the file from the current rebuild data. */
static int run_round(struct make *m, bool *ret_equal)
{
    size_t room = m->source.bytes + m->source.bytes / ROOM_DIVISOR + ROOM_BYTES;

    m->made.header.bytes = 0;
    int error = lod_rebuild_program_write(&m->program, &m->made.header);
    error = error ? error : make_tail(m);
    error = error ? error : check_size(m);
    error = error ? error
                  : lod_rebuild_run(&m->parts, m->jpeg, lod_buf_span(&m->made.header),
                                    lod_buf_span(&m->made.tail), m->out, room, &m->out_bytes,
                                    &m->trace);
    if (error) {
        return error == -ENOMEM || error == -ENOTSUP ? error
                                                     : keep(m, "its scans cannot be encoded again");
    }
    *ret_equal =
        m->out_bytes == m->source.bytes && memcmp(m->out, m->source.at, m->source.bytes) == 0;
    return 0;
}

/* Return the entropy-coded bytes of a scan in the source, and in the file of the last round. */
static struct lod_span source_scan(const struct make *m, unsigned scan)
{
    unsigned i = 0;

    for (unsigned seen = 0; seen <= scan; i++) {
        seen += m->marks.mark[i].code == LOD_MARKER_SOS;
    }
    const struct lod_rebuild_mark *mark = &m->marks.mark[i - 1];
    return (struct lod_span){.at = m->source.at + mark->end,
                             .bytes = mark->entropy_end - mark->end};
}

static struct lod_span rebuilt_scan(const struct make *m, unsigned scan)
{
    return (struct lod_span){.at = m->out + m->trace.scan[scan].at,
                             .bytes = m->trace.scan[scan].end - m->trace.scan[scan].at};
}

/* Counts the bytes that differ in a scan, including those that only one of the two has. */
static size_t difference(const struct make *m, unsigned scan)
{
    struct lod_span a = source_scan(m, scan), b = rebuilt_scan(m, scan);
    size_t both = a.bytes < b.bytes ? a.bytes : b.bytes;
    size_t count = a.bytes + b.bytes - 2 * both;

    for (size_t i = 0; i < both; i++) {
        count += a.at[i] != b.at[i];
    }
    return count;
}

/* Returns the end of the change that begins at `at`. */
static size_t change_end(const uint8_t *a, const uint8_t *b, size_t at, size_t bytes)
{
    size_t end = at + 1;

    for (size_t i = end; i < bytes && i < end + PATCH_GAP; i++) {
        end = a[i] != b[i] ? i + 1 : end;
    }
    return end;
}

/* Writes a patch from the rebuilt bytes of a scan to the source's, in the form that rebuild_run.c
 * reads. */
static int put_patch(struct make *m, unsigned scan)
{
    struct lod_span source = source_scan(m, scan), rebuilt = rebuilt_scan(m, scan);
    size_t both = source.bytes < rebuilt.bytes ? source.bytes : rebuilt.bytes;
    struct lod_buf changes = {0};
    uint32_t count = 0;
    int error = 0;

    for (size_t at = 0, done = 0; at < both && !error; at++) {
        if (source.at[at] == rebuilt.at[at]) {
            continue;
        }
        size_t end = change_end(source.at, rebuilt.at, at, both);
        error = lod_buf_append_varint(&changes, (uint32_t)(at - done));
        error = error ? error : lod_buf_append_varint(&changes, (uint32_t)(end - at));
        error = error ? error : lod_buf_append(&changes, source.at + at, end - at);
        done = at = end;
        count++;
    }
    error = error ? error : lod_buf_append_varint(&m->patches, count);
    error = error ? error : lod_buf_append(&m->patches, changes.data, changes.bytes);
    error = error ? error : lod_buf_append_varint(&m->patches, (uint32_t)(rebuilt.bytes - both));
    error = error ? error : lod_buf_append_varint(&m->patches, (uint32_t)(source.bytes - both));
    lod_buf_finish(&changes);
    return error ? error : lod_buf_append(&m->patches, source.at + both, source.bytes - both);
}

/* Chooses the padding bits of each scan: zeros if fewer bytes then differ from the source. */
static int choose_padding_bits(struct make *m)
{
    size_t with_ones[LOD_JPEG_SCANS_MAX];
    unsigned scans = m->trace.count;
    bool equal;

    for (unsigned scan = 0; scan < scans; scan++) {
        with_ones[scan] = difference(m, scan);
        m->program.flags[scan] = with_ones[scan] ? LOD_REBUILD_PAD_ZEROS : 0;
    }
    int error = run_round(m, &equal);
    for (unsigned scan = 0; scan < scans && !error; scan++) {
        if (with_ones[scan] && difference(m, scan) >= with_ones[scan]) {
            m->program.flags[scan] = 0;
        }
    }
    return error;
}

static int make_patches(struct make *m)
{
    int error = 0;

    for (unsigned scan = 0; scan < m->trace.count && !error; scan++) {
        if (difference(m, scan)) {
            m->program.flags[scan] |= LOD_REBUILD_PATCHED;
            m->made.patched = true;
            error = put_patch(m, scan);
        }
    }
    return error;
}

/* A reader has memory for exactly the source. Returns whether every scan, before its patch, ends
 * within that memory. */
static bool fits(const struct make *m)
{
    size_t end = 0;

    for (unsigned scan = 0; scan < m->trace.count; scan++) {
        end = m->trace.scan[scan].end > end ? m->trace.scan[scan].end : end;
    }
    return end <= m->source.bytes;
}

static int make_rounds(struct make *m)
{
    bool equal;

    int error = run_round(m, &equal);
    if (error || equal) {
        return error;
    }
    error = choose_padding_bits(m);
    error = error ? error : run_round(m, &equal);
    if (error || equal) {
        return error;
    }
    error = make_patches(m);
    error = error ? error : run_round(m, &equal);
    error = error || equal ? error : keep(m, "it cannot be rebuilt exactly");
    return error || fits(m) ? error
                            : keep(m, "a scan takes more bytes than the file before it is patched");
}

static int make(struct make *m, struct lod_span full)
{
    if (lod_rebuild_parts_read(full, &m->parts) || lod_rebuild_marks_read(m->source, &m->marks)) {
        return keep(m, "it has too many segments, or unexpected ones");
    }
    int error = check_memory(m);
    if (!error) {
        m->out = malloc(m->source.bytes + m->source.bytes / ROOM_DIVISOR + ROOM_BYTES);
        error = m->out ? 0 : -ENOMEM;
    }
    error = error ? error : make_padding(m);
    return error ? error : make_rounds(m);
}

int lod_rebuild_make(struct lod_span source, struct lod_jpeg *jpeg, struct lod_span full,
                     struct lod_rebuild_made *ret_made, const char **ret_why)
{
    struct make *m = calloc(1, sizeof(*m));
    if (!m) {
        return -ENOMEM;
    }
    m->source = source;
    m->jpeg = jpeg;
    m->program.source = source;
    m->program.marks = &m->marks;
    m->program.parts = &m->parts;
    m->program.jpeg = jpeg;
    int error = make(m, full);
    if (error) {
        lod_rebuild_made_finish(&m->made);
        *ret_why = m->why;
    } else {
        *ret_made = m->made;
    }
    lod_buf_finish(&m->padding);
    lod_buf_finish(&m->patches);
    free(m->out);
    free(m);
    return error;
}
