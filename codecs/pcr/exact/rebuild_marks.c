/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists a source's segments. Bytes outside segments (fill bytes, garbage, stray restart markers)
 * are skipped one by one, as libjpeg does.
 */
#include "pcr/exact/rebuild_marks.h"

#include <errno.h>

#include "pcr/jpeg/jpeg_marker.h"

static bool has_segment(uint8_t code)
{
    return (code >= LOD_MARKER_SOF0 && code <= LOD_MARKER_SOF2) || code == LOD_MARKER_DHT ||
           code == LOD_MARKER_SOS || code == LOD_MARKER_DQT || code == LOD_MARKER_DRI ||
           (code >= LOD_MARKER_APP0 && code <= LOD_MARKER_APP15) || code == LOD_MARKER_COM;
}

/* Reads the mark at `at`. Returns false if there is none. */
static bool read_mark(struct lod_span source, size_t at, struct lod_rebuild_mark *ret_mark)
{
    struct lod_cursor c = lod_cursor(source.at + at, source.bytes - at);
    const uint8_t *marker = lod_take(&c, 2);

    if (!marker || marker[0] != 0xff || (marker[1] != LOD_MARKER_EOI && !has_segment(marker[1]))) {
        return false;
    }
    size_t bytes = marker[1] == LOD_MARKER_EOI ? 0 : lod_take_be16(&c);
    if (c.short_of_bytes || (marker[1] != LOD_MARKER_EOI && (bytes < 2 || bytes - 2 > c.left))) {
        return false;
    }
    uint32_t end = (uint32_t)(at + 2 + bytes);
    *ret_mark = (struct lod_rebuild_mark){
        .code = marker[1], .at = (uint32_t)at, .end = end, .entropy_end = end};
    if (marker[1] == LOD_MARKER_SOS) {
        ret_mark->entropy_end = (uint32_t)lod_jpeg_entropy_end(source, end);
    }
    return true;
}

int lod_rebuild_marks_read(struct lod_span source, struct lod_rebuild_marks *ret_marks)
{
    size_t at = 2; /* after SOI */
    unsigned scans = 0;

    ret_marks->count = 0;
    while (at < source.bytes) {
        struct lod_rebuild_mark *mark = &ret_marks->mark[ret_marks->count];
        if (!read_mark(source, at, mark)) {
            at++;
            continue;
        }
        at = mark->entropy_end;
        scans += mark->code == LOD_MARKER_SOS;
        if (++ret_marks->count == LOD_REBUILD_MARKS_MAX || scans > LOD_JPEG_SCANS_MAX) {
            return -E2BIG;
        }
        if (mark->code == LOD_MARKER_EOI) {
            return 0;
        }
    }
    return -EILSEQ;
}

struct lod_cursor lod_rebuild_mark_body(struct lod_span source, const struct lod_rebuild_mark *mark)
{
    return lod_cursor(source.at + mark->at + 4, mark->end - mark->at - 4);
}
