/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the markers of a JPEG file and decides whether it can be transcoded without loss. In
 * damaged files (garbage between segments, stray restart markers) it steps as libjpeg does, so that
 * both see the same segments. ITU-T T.81 annex B; FORMAT.md, pcr.
 */
#include "pcr/jpeg/jpeg_scan.h"

#include <errno.h>

#include "pcr/jpeg/exif.h"
#include "pcr/jpeg/jpeg_marker.h"

#define TABLES      4
#define SAMPLES_MAX 4 /* the largest sampling factor */

struct scanner {
    const uint8_t *start;
    struct lod_cursor c;
    struct lod_jpeg_layout *layout;
    uint16_t table[TABLES][64];
    uint8_t id[4], table_of[4]; /* by component */
    uint8_t scanned[4];         /* number of scans with the component, counted up to 2 */
    uint64_t entropy_bytes;
};

static uint32_t place(const struct scanner *s)
{
    return (uint32_t)(s->c.at - s->start);
}

/* Takes the next marker, skipping bytes before it. Returns -1 at the end of the file. */
static int take_marker(struct lod_cursor *c)
{
    while (c->left) {
        const uint8_t *ff = memchr(c->at, 0xff, c->left);
        lod_take(c, ff ? (size_t)(ff - c->at) : c->left);
        uint8_t code = 0xff;
        while (c->left && code == 0xff) {
            code = lod_take_u8(c);
        }
        if (code != 0 && code != 0xff) {
            return code;
        }
    }
    return -1;
}

size_t lod_jpeg_entropy_end(struct lod_span file, size_t at)
{
    while (at < file.bytes) {
        const uint8_t *ff = memchr(file.at + at, 0xff, file.bytes - at);
        if (!ff) {
            break;
        }
        at = (size_t)(ff - file.at);
        size_t code = at + 1;
        while (code < file.bytes && file.at[code] == 0xff) {
            code++;
        }
        if (code < file.bytes && file.at[code] != 0 &&
            (file.at[code] < LOD_MARKER_RST0 || file.at[code] > LOD_MARKER_RST7)) {
            return at;
        }
        at = code + 1;
    }
    return file.bytes;
}

/* Takes the contents of a segment after its marker. */
static const char *take_segment(struct scanner *s, struct lod_cursor *ret_body)
{
    size_t bytes = lod_take_be16(&s->c);
    const uint8_t *at = bytes >= 2 ? lod_take(&s->c, bytes - 2) : NULL;

    if (!at) {
        return s->c.short_of_bytes ? "truncated: it ends inside a segment"
                                   : "corrupt: a segment's length is below 2";
    }
    *ret_body = lod_cursor(at, bytes - 2);
    return NULL;
}

static const char *read_dqt(struct scanner *s, struct lod_cursor *body)
{
    while (body->left) {
        uint8_t head = lod_take_u8(body);
        if ((head & 15) >= TABLES) {
            return "corrupt: a quantisation table has a number over 3";
        }
        for (unsigned i = 0; i < 64; i++) {
            s->table[head & 15][i] = head >> 4 ? lod_take_be16(body) : lod_take_u8(body);
        }
        if (body->short_of_bytes) {
            return "corrupt: a quantisation table is cut short";
        }
    }
    return NULL;
}

/* Returns NULL for Huffman coding, sequential or progressive; else the reason against it. */
static const char *sof_reason(uint8_t sof)
{
    if (sof <= LOD_MARKER_SOF2) {
        return NULL;
    }
    if (sof == 0xc3) {
        return "lossless JPEG";
    }
    return sof < LOD_MARKER_JPG ? "hierarchical JPEG" : "arithmetic coding";
}

static const char *read_component(struct scanner *s, struct lod_cursor *body, unsigned c)
{
    s->id[c] = lod_take_u8(body);
    uint8_t sampling = lod_take_u8(body);
    s->table_of[c] = lod_take_u8(body);
    s->layout->h[c] = sampling >> 4;
    s->layout->v[c] = sampling & 15;
    if (!s->layout->h[c] || s->layout->h[c] > SAMPLES_MAX || !s->layout->v[c] ||
        s->layout->v[c] > SAMPLES_MAX || s->table_of[c] >= TABLES) {
        return "corrupt: an impossible sampling factor or table";
    }
    for (unsigned i = 0; i < c; i++) {
        if (s->id[i] == s->id[c]) {
            return "two components have the same number";
        }
    }
    return NULL;
}

static const char *read_sof(struct scanner *s, uint8_t sof, struct lod_cursor *body)
{
    struct lod_jpeg_layout *l = s->layout;
    const char *why = sof_reason(sof);

    if (why || l->sof) {
        return why ? why : "corrupt: two frame headers";
    }
    l->sof = sof;
    uint8_t bits = lod_take_u8(body);
    l->height = lod_take_be16(body);
    l->width = lod_take_be16(body);
    l->components = lod_take_u8(body);
    if (body->short_of_bytes || body->left != 3u * l->components || !l->width || !l->components) {
        return "corrupt: a malformed frame header";
    }
    if (bits != 8) {
        return "samples of other than 8 bits";
    }
    if (!l->height) {
        return "its height is given after its data (DNL)";
    }
    if (l->width > LOD_JPEG_SIDE_MAX || l->height > LOD_JPEG_SIDE_MAX) {
        return "a side over 65,500 pixels";
    }
    if (l->components > 4) {
        return "more than 4 components";
    }
    for (unsigned c = 0; c < l->components && !why; c++) {
        why = read_component(s, body, c);
    }
    return why;
}

/*
 * Classifies a segment as libjpeg does (JFIF needs 14 bytes of contents, Adobe 12), since these
 * segments decide the colours.
 */
static enum lod_jpeg_segment_kind segment_kind(uint8_t marker, const struct lod_cursor *body)
{
    const struct {
        uint8_t marker;
        uint8_t tag_bytes;
        uint8_t bytes_min;
        char tag[14];
        enum lod_jpeg_segment_kind kind;
    } kinds[] = {
        {LOD_MARKER_APP0, 5, 14, "JFIF\0", LOD_JPEG_JFIF},
        {LOD_MARKER_APP1, 6, 6, "Exif\0\0", LOD_JPEG_EXIF},
        {LOD_MARKER_APP2, 12, 14, "ICC_PROFILE\0", LOD_JPEG_ICC},
        {LOD_MARKER_APP14, 5, 12, "Adobe", LOD_JPEG_ADOBE},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (marker == kinds[i].marker && body->left >= kinds[i].bytes_min &&
            memcmp(body->at, kinds[i].tag, kinds[i].tag_bytes) == 0) {
            return kinds[i].kind;
        }
    }
    return LOD_JPEG_OTHER;
}

static bool has_kind(const struct lod_jpeg_layout *l, enum lod_jpeg_segment_kind kind)
{
    for (unsigned i = 0; i < l->segments_count; i++) {
        if (l->segments[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static const char *note_segment(struct scanner *s, uint8_t marker, struct lod_cursor *body)
{
    struct lod_jpeg_layout *l = s->layout;
    enum lod_jpeg_segment_kind kind = segment_kind(marker, body);
    uint32_t bytes = (uint32_t)body->left + 4;

    if (l->scans && kind != LOD_JPEG_OTHER) {
        return "a marker that changes decoding comes after the first scan";
    }
    if (l->segments_count == LOD_JPEG_SEGMENTS_MAX) {
        return "more than 1,024 APPn and COM segments";
    }
    if (kind == LOD_JPEG_EXIF && !has_kind(l, LOD_JPEG_EXIF)) {
        l->orientation = lod_exif_orientation(*body);
    }
    l->segments[l->segments_count++] =
        (struct lod_jpeg_segment){.kind = kind, .offset = place(s) - bytes, .bytes = bytes};
    return NULL;
}

static const char *scan_component(struct scanner *s, uint8_t id)
{
    unsigned c = 0;

    while (c < s->layout->components && s->id[c] != id) {
        c++;
    }
    if (c == s->layout->components) {
        return "corrupt: a scan names a component that the image lacks";
    }
    if (s->scanned[c] && s->layout->sof != LOD_MARKER_SOF2) {
        return "corrupt: a component is sent twice";
    }
    if (c == 0 && !s->scanned[0]) {
        memcpy(s->layout->luma_table, s->table[s->table_of[0]], sizeof(s->table[0]));
    }
    s->scanned[c] = 1;
    return NULL;
}

static const char *read_sos(struct scanner *s, struct lod_cursor *body)
{
    uint8_t count = lod_take_u8(body);
    const char *why = NULL;

    if (!s->layout->sof || !count || count > 4 || body->left != 2u * count + 3) {
        return "corrupt: a malformed scan header";
    }
    if (++s->layout->scans > LOD_JPEG_SCANS_MAX) {
        return "more than 128 scans";
    }
    for (unsigned i = 0; i < count && !why; i++) {
        why = scan_component(s, lod_take_u8(body));
        lod_take_u8(body);
    }
    struct lod_span rest = {.at = s->c.at, .bytes = s->c.left};
    size_t bytes = lod_jpeg_entropy_end(rest, 0);
    lod_take(&s->c, bytes);
    s->entropy_bytes += bytes;
    return why;
}

static const char *other_marker(uint8_t marker)
{
    switch (marker) {
    case LOD_MARKER_DAC:
        return "arithmetic coding";
    case LOD_MARKER_DNL:
        return "its height is given after its data (DNL)";
    case LOD_MARKER_DHP:
    case LOD_MARKER_EXP:
        return "hierarchical JPEG";
    default:
        return "corrupt: an unknown marker";
    }
}

/* Reads one marker and its segment. */
static const char *read_marker(struct scanner *s, uint8_t marker)
{
    struct lod_cursor body;

    if (marker == LOD_MARKER_TEM || (marker >= LOD_MARKER_RST0 && marker <= LOD_MARKER_RST7)) {
        return NULL;
    }
    bool app =
        (marker >= LOD_MARKER_APP0 && marker <= LOD_MARKER_APP15) || marker == LOD_MARKER_COM;
    bool sof = marker >= LOD_MARKER_SOF0 && marker <= LOD_MARKER_SOF15 &&
               marker != LOD_MARKER_DHT && marker != LOD_MARKER_JPG && marker != LOD_MARKER_DAC;
    if (!app && !sof && marker != LOD_MARKER_DHT && marker != LOD_MARKER_DQT &&
        marker != LOD_MARKER_DRI && marker != LOD_MARKER_SOS) {
        return other_marker(marker);
    }
    const char *why = take_segment(s, &body);
    if (why || marker == LOD_MARKER_DHT || marker == LOD_MARKER_DRI) {
        return why;
    }
    if (app) {
        return note_segment(s, marker, &body);
    }
    if (sof) {
        return read_sof(s, marker, &body);
    }
    return marker == LOD_MARKER_DQT ? read_dqt(s, &body) : read_sos(s, &body);
}

static uint64_t blocks_along(unsigned pixels, unsigned factor, unsigned factor_max)
{
    return ((uint64_t)pixels * factor + 8u * factor_max - 1) / (8u * factor_max);
}

/*
 * Every block takes at least the one bit of its DC code. So a file with fewer bits than blocks is
 * truncated, or its header claims a large image to make a decoder allocate memory.
 */
static const char *check_whole(const struct scanner *s)
{
    const struct lod_jpeg_layout *l = s->layout;
    unsigned h_max = 1, v_max = 1;
    uint64_t blocks = 0;

    for (unsigned c = 0; c < l->components; c++) {
        h_max = l->h[c] > h_max ? l->h[c] : h_max;
        v_max = l->v[c] > v_max ? l->v[c] : v_max;
    }
    for (unsigned c = 0; c < l->components; c++) {
        blocks += blocks_along(l->width, l->h[c], h_max) * blocks_along(l->height, l->v[c], v_max);
        if (!s->scanned[c]) {
            return "truncated: a component has no scan";
        }
    }
    return !l->scans || blocks > 8 * s->entropy_bytes ? "truncated: it has fewer bits than blocks"
                                                      : NULL;
}

static const char *scan(struct scanner *s)
{
    const uint8_t *soi = lod_take(&s->c, 2);
    const char *why = soi && soi[0] == 0xff && soi[1] == LOD_MARKER_SOI ? NULL : "not a JPEG file";

    while (!why) {
        int marker = take_marker(&s->c);
        if (marker < 0) {
            return "truncated: it has no end marker";
        }
        if (marker == LOD_MARKER_EOI) {
            s->layout->end = place(s);
            return check_whole(s);
        }
        why = read_marker(s, (uint8_t)marker);
    }
    return why;
}

int lod_jpeg_scan(struct lod_span file, struct lod_jpeg_layout *ret_layout, const char **ret_why)
{
    struct lod_jpeg_layout layout = {0};
    struct scanner s = {.start = file.at, .c = lod_cursor(file.at, file.bytes), .layout = &layout};
    const char *why = file.bytes > UINT32_MAX ? "larger than 4 GiB" : scan(&s);

    if (why) {
        *ret_why = why;
        return -ENOTSUP;
    }
    *ret_layout = layout;
    return 0;
}
