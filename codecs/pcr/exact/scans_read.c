/* SPDX-License-Identifier: Apache-2.0 */
/* See scans_read.h. Markers: ITU-T T.81, annex B. */
#include "pcr/exact/scans_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pcr/entropy/entropy_check.h"
#include "pcr/entropy/entropy_read.h"
#include "pcr/exact/rebuild_parts.h"
#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/jpeg/jpeg_scan.h"

#define NOT_SENT 0xff

struct reader {
    struct lod_span file;
    uint64_t bytes_max;
    struct lod_jpeg *jpeg;          /* the result; NULL before SOF */
    const struct lod_jpeg *against; /* not NULL: compare with these coefficients instead */
    uint16_t quant[LOD_JPEG_QUANT_TABLES][LOD_JPEG_BLOCK];
    uint8_t sent[LOD_SCRIPT_COMPONENTS]
                [LOD_JPEG_BLOCK]; /* the lowest bit sent so far, or NOT_SENT */
    bool framed;                  /* SOF was read */
    struct lod_jpeg_frame frame;
    unsigned scans;
    struct lod_entropy_decoders decoders;
};

static int read_dqt(struct reader *r, struct lod_cursor body)
{
    while (body.left) {
        uint8_t head = lod_take_u8(&body);
        if ((head & 15) >= LOD_JPEG_QUANT_TABLES || head >> 4 > 1) {
            return -EILSEQ;
        }
        for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
            r->quant[head & 15][k] = head >> 4 ? lod_take_be16(&body) : lod_take_u8(&body);
        }
    }
    return body.short_of_bytes ? -EILSEQ : 0;
}

static int read_dht(struct reader *r, struct lod_cursor body)
{
    struct lod_huffman_table table;

    while (body.left) {
        uint8_t head = lod_take_u8(&body);
        if (head & 0xec || lod_huffman_take(&body, &table) ||
            lod_entropy_decoder_make(&table, &r->decoders.of[head >> 4][head & 3])) {
            return -EILSEQ;
        }
    }
    return 0;
}

static int read_sof(struct reader *r, struct lod_cursor body)
{
    struct lod_jpeg_frame frame = {0};

    if (r->framed || lod_take_u8(&body) != 8) {
        return -EILSEQ;
    }
    frame.height = lod_take_be16(&body);
    frame.width = lod_take_be16(&body);
    frame.components = lod_take_u8(&body);
    bool sound = frame.height && frame.width && frame.components >= 1 &&
                 frame.components <= LOD_SCRIPT_COMPONENTS;
    for (unsigned c = 0; sound && c < frame.components; c++) {
        struct lod_jpeg_component *component = &frame.component[c];
        component->id = lod_take_u8(&body);
        uint8_t factors = lod_take_u8(&body);
        component->h = factors >> 4;
        component->v = factors & 15;
        component->quant = lod_take_u8(&body);
        sound = component->h >= 1 && component->h <= 4 && component->v >= 1 && component->v <= 4 &&
                component->quant < LOD_JPEG_QUANT_TABLES;
    }
    if (!sound || body.left || body.short_of_bytes) {
        return -EILSEQ;
    }
    lod_jpeg_frame_measure(&frame);
    r->framed = true;
    r->frame = frame;
    if (r->against) {
        return lod_jpeg_frame_same(&frame, &r->against->frame);
    }
    return lod_jpeg_frame_bytes(&frame) <= r->bytes_max ? lod_jpeg_create(&frame, &r->jpeg)
                                                        : -EILSEQ;
}

/* Returns whether the scan continues the progression: each coefficient is sent once, then refined
 * bit by bit. */
static bool goes_on(struct reader *r, const struct lod_entropy_scan *scan)
{
    for (unsigned part = 0; part < scan->count; part++) {
        uint8_t *sent = r->sent[scan->part[part].component];
        for (unsigned k = scan->first; k <= scan->last; k++) {
            if (sent[k] != (scan->high ? scan->high : NOT_SENT)) {
                return false;
            }
            sent[k] = scan->low;
        }
    }
    return true;
}

/* Moves *at past the scan's entropy-coded bytes. */
static int read_sos(struct reader *r, struct lod_cursor body, size_t *at)
{
    struct lod_entropy_scan scan;
    size_t end = lod_jpeg_entropy_end(r->file, *at);

    if (!r->framed || r->scans++ == LOD_JPEG_SCANS_MAX ||
        lod_rebuild_scan_read(body, &r->frame, true, &scan) || !goes_on(r, &scan)) {
        return -EILSEQ;
    }
    const struct lod_span coded = {.at = r->file.at + *at, .bytes = end - *at};
    *at = end;
    return r->against ? lod_entropy_check(r->against, &scan, &r->decoders, coded)
                      : lod_entropy_read(r->jpeg, &scan, &r->decoders, coded);
}

static int read_segment(struct reader *r, uint8_t code, struct lod_cursor body, size_t *at)
{
    switch (code) {
    case LOD_MARKER_DQT:
        return read_dqt(r, body);
    case LOD_MARKER_SOF2:
        return read_sof(r, body);
    case LOD_MARKER_DHT:
        return read_dht(r, body);
    case LOD_MARKER_SOS:
        return read_sos(r, body, at);
    default:
        return (code >= LOD_MARKER_APP0 && code <= LOD_MARKER_APP15) || code == LOD_MARKER_COM
                   ? 0
                   : -EILSEQ;
    }
}

static int read_markers(struct reader *r)
{
    struct lod_cursor c = lod_cursor(r->file.at, r->file.bytes);
    int error = lod_take_be16(&c) == (0xff00 | LOD_MARKER_SOI) ? 0 : -EILSEQ;

    while (!error) {
        uint16_t marker = lod_take_be16(&c);
        if (marker == (0xff00 | LOD_MARKER_EOI)) {
            return 0;
        }
        uint16_t bytes = lod_take_be16(&c);
        const uint8_t *body = bytes >= 2 ? lod_take(&c, bytes - 2u) : NULL;
        if (!body || marker < 0xff00) {
            return -EILSEQ;
        }
        size_t at = r->file.bytes - c.left;
        error = read_segment(r, (uint8_t)marker, lod_cursor(body, bytes - 2u), &at);
        c = lod_cursor(r->file.at + at, r->file.bytes - at);
    }
    return error;
}

/* Returns whether all coefficients were sent down to bit 0. */
static bool is_complete(const struct reader *r)
{
    bool complete = r->framed;

    for (unsigned c = 0; c < r->frame.components; c++) {
        for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
            complete &= r->sent[c][k] == 0;
        }
    }
    return complete;
}

static struct reader *create_reader(struct lod_span file)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (r) {
        r->file = file;
        memset(r->sent, NOT_SENT, sizeof(r->sent));
    }
    return r;
}

int lod_scans_read(struct lod_span file, uint64_t bytes_max, struct lod_jpeg **ret_jpeg)
{
    struct reader *r = create_reader(file);

    if (!r) {
        return -ENOMEM;
    }
    r->bytes_max = bytes_max;
    int error = read_markers(r);
    if (!error && !is_complete(r)) {
        error = -EILSEQ;
    }
    if (error) {
        lod_jpeg_destroy(r->jpeg);
    } else {
        memcpy(r->jpeg->quant, r->quant, sizeof(r->quant));
        *ret_jpeg = r->jpeg;
    }
    free(r);
    return error;
}

static bool same_tables(const struct reader *r)
{
    bool same = true;

    for (unsigned c = 0; c < r->frame.components; c++) {
        const uint16_t *own = r->quant[r->frame.component[c].quant];
        const uint16_t *wanted = r->against->quant[r->against->frame.component[c].quant];
        same &= memcmp(own, wanted, sizeof(r->quant[0])) == 0;
    }
    return same;
}

int lod_scans_check(struct lod_span file, const struct lod_jpeg *jpeg, bool complete)
{
    struct reader *r = create_reader(file);

    if (!r) {
        return -ENOMEM;
    }
    r->against = jpeg;
    int error = read_markers(r);
    if (!error && (complete ? !is_complete(r) : !r->framed)) {
        error = -EILSEQ;
    }
    if (!error && !same_tables(r)) {
        error = -EBADMSG;
    }
    free(r);
    return error;
}
