/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the file at full for rebuilding, and scan headers. FORMAT.md, Rebuild data. */
#include "pcr/exact/rebuild_parts.h"

#include <errno.h>

#include "pcr/jpeg/jpeg_marker.h"

static void read_tables(struct lod_cursor body, struct lod_rebuild_parts *parts)
{
    while (body.left) {
        uint8_t head = lod_take_u8(&body);
        unsigned number = head & 3;
        for (unsigned i = 0; i < LOD_JPEG_BLOCK; i++) {
            parts->quant[number][i] = head >> 4 ? lod_take_be16(&body) : lod_take_u8(&body);
        }
        parts->tables |= body.short_of_bytes ? 0 : 1u << number;
    }
}

/* Reads the segments of a file at full up to its first scan; they are adjacent. */
static int read_head(struct lod_rebuild_parts *parts)
{
    struct lod_cursor c = lod_cursor(parts->full.at, parts->full.bytes);
    uint8_t code = 0;

    lod_take(&c, 2);
    while (!c.short_of_bytes && code != LOD_MARKER_SOS) {
        const uint8_t *at = lod_take(&c, 2);
        size_t bytes = lod_take_be16(&c);
        const uint8_t *body = bytes >= 2 ? lod_take(&c, bytes - 2) : NULL;
        if (!at || !body || at[0] != 0xff) {
            return -EILSEQ;
        }
        code = at[1];
        if (code == LOD_MARKER_DQT) {
            read_tables(lod_cursor(body, bytes - 2), parts);
        } else if (code == LOD_MARKER_SOF2) {
            parts->sof = (struct lod_span){.at = at, .bytes = bytes + 2};
        }
    }
    return parts->sof.at ? 0 : -EILSEQ;
}

int lod_rebuild_parts_read(struct lod_span full, struct lod_rebuild_parts *ret_parts)
{
    const char *why;

    *ret_parts = (struct lod_rebuild_parts){.full = full};
    return lod_jpeg_scan(full, &ret_parts->layout, &why) ? -EILSEQ : read_head(ret_parts);
}

static int read_part(struct lod_cursor *sos, const struct lod_jpeg_frame *frame,
                     struct lod_entropy_scan *scan, unsigned part)
{
    uint8_t id = lod_take_u8(sos), tables = lod_take_u8(sos);

    for (uint8_t c = 0; c < frame->components; c++) {
        if (frame->component[c].id == id) {
            scan->part[part].component = c;
            scan->part[part].dc = tables >> 4;
            scan->part[part].ac = tables & 15;
            return scan->part[part].dc < LOD_HUFFMAN_TABLES &&
                           scan->part[part].ac < LOD_HUFFMAN_TABLES
                       ? 0
                       : -EILSEQ;
        }
    }
    return -EILSEQ;
}

/* Checks the preconditions of lod_entropy_write. */
static bool band_is_sound(const struct lod_entropy_scan *scan)
{
    bool band = scan->first == 0
                    ? scan->last == 0
                    : scan->first <= scan->last && scan->last < LOD_JPEG_BLOCK && scan->count == 1;
    return band && scan->low <= 13 && (scan->high == 0 || scan->high == scan->low + 1);
}

int lod_rebuild_scan_read(struct lod_cursor sos, const struct lod_jpeg_frame *frame,
                          bool progressive, struct lod_entropy_scan *ret_scan)
{
    struct lod_entropy_scan scan = {.progressive = progressive, .run_max = LOD_ENTROPY_RUN_MAX};
    int error = 0;

    scan.count = lod_take_u8(&sos);
    if (!scan.count || scan.count > frame->components) {
        return -EILSEQ;
    }
    for (unsigned part = 0; part < scan.count && !error; part++) {
        error = read_part(&sos, frame, &scan, part);
    }
    scan.first = lod_take_u8(&sos);
    scan.last = lod_take_u8(&sos);
    uint8_t bits = lod_take_u8(&sos);
    scan.high = bits >> 4;
    scan.low = bits & 15;
    if (error || sos.short_of_bytes || sos.left || (progressive && !band_is_sound(&scan))) {
        return -EILSEQ;
    }
    *ret_scan = scan;
    return 0;
}
