/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcr, writing: a JPEG file becomes a head and ten scan groups without loss, proven by reading the
 * coefficients back; what cannot be is stored WHOLE with the reason. FORMAT.md, ITEM and pcr;
 * pcr.c reads these rows.
 */
#include "encoder.h"

#include <assert.h>
#include <errno.h>

#include "pcr/exif.h"
#include "pcr/jpeg_io.h"
#include "pcr/jpeg_scan.h"
#include "pcr/pcr_row.h"
#include "pcr/script.h"

/* A JPEG of more is no photograph to train on; as raw it is streamed, not held in memory. */
#define SOURCE_BYTES_MAX (256ull << 20)

/*
 * For the coefficients of one image, 2 bytes each: 178 million pixels without chroma subsampling,
 * 357 million with 4:2:0; the largest camera sensors have 150. While an image is proven, its own
 * coefficients and those read back are held: twice this is the most that one thread takes.
 */
#define COEFFICIENT_BYTES_MAX (1ull << 30)

/* Growth that is accepted before the class's next script is tried: 3 % and 512 bytes. */
#define GROWTH_DIVISOR 100
#define GROWTH_PERCENT 3
#define GROWTH_BYTES   512

/* Of libjpeg's row buffers and of small files' tables. */
#define MEMORY_BASE (512u << 10)

#define JFIF_BYTES 18 /* an APP0 without a thumbnail, marker included */

static const uint8_t soi[] = {0xff, 0xd8};

static bool probe(struct lod_span head)
{
    return head.bytes >= 3 && head.at[0] == 0xff && head.at[1] == 0xd8 && head.at[2] == 0xff;
}

/* One source on its way. */
struct job {
    struct lod_span source;
    struct lod_jpeg_layout layout;
    struct lod_script script; /* fitted, of `written` */
    struct lod_buf written;   /* as libjpeg gave it: without APPn and COM */
    const char *why;
};

/* APPn and COM cost the same in source and item, so growth is that of all the rest. */
static bool grew_little(const struct job *job)
{
    uint64_t source = job->layout.end, written = job->written.bytes;

    for (unsigned i = 0; i < job->layout.segments_count; i++) {
        written += job->layout.segments[i].bytes;
    }
    return written <= source + source * GROWTH_PERCENT / GROWTH_DIVISOR + GROWTH_BYTES;
}

static int write_script(struct job *job, struct lod_jpeg *jpeg, const struct lod_script *script)
{
    uint8_t blocks[LOD_SCRIPT_COMPONENTS] = {0};

    for (unsigned c = 0; c < job->layout.components; c++) {
        blocks[c] = (uint8_t)(job->layout.h[c] * job->layout.v[c]);
    }
    lod_script_fit(script, job->layout.components, blocks, &job->script);
    job->written.bytes = 0;
    return lod_jpeg_write(jpeg, &job->script, &job->written);
}

/*
 * The class's scripts in order until one grows the file little; if none does, the smallest. A
 * script that cannot carry the coefficients is passed over.
 */
static int write_scans(struct job *job, struct lod_jpeg *jpeg, const struct lod_scan_choice *choice)
{
    unsigned class = lod_quant_class(job->layout.luma_table);
    unsigned count = choice->classes[class].count, best = count;
    size_t best_bytes = SIZE_MAX;
    int error = 0;

    assert(count >= 1 && count <= LOD_SCRIPTS_MAX);
    for (unsigned i = 0; i < count; i++) {
        error = write_script(job, jpeg, choice->classes[class].scripts[i]);
        if (error == -ENOTSUP) {
            continue;
        }
        if (error || grew_little(job)) {
            return error;
        }
        if (job->written.bytes < best_bytes) {
            best_bytes = job->written.bytes;
            best = i;
        }
    }
    if (best == count) {
        job->why = "a coefficient is out of the range of progressive coding";
        return -ENOTSUP;
    }
    return best == count - 1 && !error
               ? 0
               : write_script(job, jpeg, choice->classes[class].scripts[best]);
}

/* Reads what was written and compares it with what it was made from. */
static int prove(struct job *job, struct lod_jpeg *jpeg)
{
    struct lod_jpeg *again = NULL;

    int error =
        lod_jpeg_read(lod_buf_span(&job->written), COEFFICIENT_BYTES_MAX, &again, &job->why);
    if (!error && lod_jpeg_same(jpeg, again)) {
        job->why = "its coefficients do not come back from progressive scans";
        error = -ENOTSUP;
    }
    lod_jpeg_destroy(again);
    return error;
}

static int rewrite(struct job *job, const struct lod_scan_choice *choice)
{
    struct lod_jpeg *jpeg = NULL;

    int error = lod_jpeg_read(job->source, COEFFICIENT_BYTES_MAX, &jpeg, &job->why);
    if (!error) {
        error = write_scans(job, jpeg, choice);
    }
    if (!error) {
        error = prove(job, jpeg);
    }
    lod_jpeg_destroy(jpeg);
    return error;
}

static const uint8_t *segment_at(const struct job *job, const struct lod_jpeg_segment *segment)
{
    return job->source.at + segment->offset;
}

/* The JFIF segment whose place the head takes: the first; NULL if there is none. */
static const struct lod_jpeg_segment *first_jfif(const struct job *job)
{
    for (unsigned i = 0; i < job->layout.segments_count; i++) {
        if (job->layout.segments[i].kind == LOD_JPEG_JFIF) {
            return &job->layout.segments[i];
        }
    }
    return NULL;
}

/* The JFIF segment without its thumbnail: length 16, version, units and densities, 0 x 0. */
static void plain_jfif(const struct job *job, const struct lod_jpeg_segment *jfif,
                       uint8_t ret_plain[JFIF_BYTES])
{
    memcpy(ret_plain, segment_at(job, jfif), JFIF_BYTES);
    ret_plain[2] = 0;
    ret_plain[3] = JFIF_BYTES - 2;
    ret_plain[JFIF_BYTES - 2] = 0;
    ret_plain[JFIF_BYTES - 1] = 0;
}

static int append_kind(const struct job *job, enum lod_jpeg_segment_kind kind, struct lod_buf *out)
{
    int error = 0;

    for (unsigned i = 0; i < job->layout.segments_count && !error; i++) {
        const struct lod_jpeg_segment *segment = &job->layout.segments[i];
        if (segment->kind == kind) {
            error = lod_buf_append(out, segment_at(job, segment), segment->bytes);
        }
    }
    return error;
}

/* SOI, JFIF, the orientation where the source has one, Adobe, ICC. */
static int make_head(const struct job *job, struct lod_encoded *item)
{
    struct lod_buf *head = &item->group[0];
    const struct lod_jpeg_segment *jfif = first_jfif(job);
    uint8_t plain[JFIF_BYTES], exif[LOD_EXIF_BYTES];

    int error = lod_buf_append(head, soi, sizeof(soi));
    if (jfif && !error) {
        plain_jfif(job, jfif, plain);
        error = lod_buf_append(head, plain, sizeof(plain));
    }
    lod_put_le16(item->row + LOD_PCR_APP_SPLIT, (uint16_t)head->bytes);
    if (job->layout.orientation > 1 && !error) {
        item->row[0] |= LOD_ITEM_ORIENT;
        lod_exif_write(job->layout.orientation, exif);
        error = lod_buf_append(head, exif, sizeof(exif));
    }
    if (!error) {
        error = append_kind(job, LOD_JPEG_ADOBE, head);
    }
    return error ? error : append_kind(job, LOD_JPEG_ICC, head);
}

/* All segments that are not in the head as they were, in source order. */
static int make_apps(const struct job *job, struct lod_buf *out)
{
    const struct lod_jpeg_segment *jfif = first_jfif(job);
    uint8_t plain[JFIF_BYTES];
    int error = 0;

    for (unsigned i = 0; i < job->layout.segments_count && !error; i++) {
        const struct lod_jpeg_segment *segment = &job->layout.segments[i];
        bool in_head = segment->kind == LOD_JPEG_ADOBE || segment->kind == LOD_JPEG_ICC;
        if (segment == jfif) {
            plain_jfif(job, jfif, plain);
            in_head = segment->bytes == JFIF_BYTES &&
                      memcmp(segment_at(job, segment), plain, JFIF_BYTES) == 0;
        }
        if (!in_head) {
            error = lod_buf_append(out, segment_at(job, segment), segment->bytes);
        }
    }
    return error;
}

/* The 0xff of the next marker with this code, from `at`, stepping from segment to segment. */
static size_t find_marker(struct lod_span file, size_t at, uint8_t code)
{
    struct lod_cursor c = lod_cursor(file.at + at, file.bytes - at);

    while (c.left >= 4 && c.at[0] == 0xff && c.at[1] != code) {
        lod_take(&c, 2);
        struct lod_cursor length = c;
        lod_take(&c, lod_take_be16(&length));
    }
    return c.left >= 4 && c.at[0] == 0xff ? file.bytes - c.left : file.bytes;
}

/*
 * Cuts what libjpeg wrote behind each scan's entropy-coded bytes: its tables and scan headers go
 * with the scan that needs them; DQT and SOF, before the first scan's DHT, end the head.
 */
static int split_scans(const struct job *job, struct lod_encoded *item)
{
    struct lod_span file = lod_buf_span(&job->written);
    size_t at = sizeof(soi);

    for (unsigned i = 0; i < job->script.count; i++) {
        size_t sos = find_marker(file, at, 0xda);
        size_t end = sos < file.bytes ? lod_jpeg_entropy_end(file, sos + 2) : file.bytes;
        assert(end < file.bytes); /* it was just read back */
        int error =
            lod_buf_append(&item->group[job->script.scans[i].group - 1], file.at + at, end - at);
        if (error) {
            return error;
        }
        at = end;
    }
    assert(at + 2 == file.bytes); /* EOI */
    return 0;
}

static int make_row(const struct job *job, struct lod_encoded *item)
{
    item->row[0] |= LOD_ITEM_NO_ORIGINAL;
    item->row[LOD_PCR_COMPONENTS] = job->layout.components;
    lod_put_le16(item->row + LOD_PCR_WIDTH, job->layout.width);
    lod_put_le16(item->row + LOD_PCR_HEIGHT, job->layout.height);
    lod_put_le32(item->row + LOD_PCR_SOURCE, (uint32_t)job->source.bytes);
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        if (item->group[i].bytes > UINT32_MAX) {
            return -ENOTSUP;
        }
        lod_put_le32(item->row + LOD_PCR_GROUPS + 4 * i, (uint32_t)item->group[i].bytes);
    }
    return 0;
}

static int transcode(struct job *job, const struct lod_scan_choice *choice,
                     struct lod_encoded *item)
{
    int error = lod_jpeg_scan(job->source, &job->layout, &job->why);

    if (!error) {
        error = rewrite(job, choice);
    }
    if (!error) {
        error = make_head(job, item);
    }
    if (!error) {
        error = split_scans(job, item);
    }
    if (!error) {
        error = make_apps(job, &item->group[LOD_PCR_GROUP_APP - 1]);
    }
    return error ? error : make_row(job, item);
}

/* What libjpeg holds of an image: whole MCUs of blocks of 64 coefficients. */
static uint64_t coefficient_bytes(const struct lod_jpeg_layout *layout)
{
    unsigned h_max = 1, v_max = 1, blocks = 0;

    for (unsigned c = 0; c < layout->components; c++) {
        h_max = layout->h[c] > h_max ? layout->h[c] : h_max;
        v_max = layout->v[c] > v_max ? layout->v[c] : v_max;
        blocks += (unsigned)(layout->h[c] * layout->v[c]);
    }
    uint64_t mcus = (layout->width / (8 * h_max) + 1ull) * (layout->height / (8 * v_max) + 1ull);
    uint64_t bytes = mcus * blocks * 64 * sizeof(int16_t);
    return bytes < COEFFICIENT_BYTES_MAX ? bytes : COEFFICIENT_BYTES_MAX;
}

/*
 * The coefficients twice, their own and those read back; and what was written twice, as libjpeg
 * gave it and in groups, in buffers that may be half empty.
 */
static uint64_t memory_bytes(struct lod_span source)
{
    struct lod_jpeg_layout layout;
    const char *why;

    return lod_jpeg_scan(source, &layout, &why)
               ? source.bytes
               : 2 * coefficient_bytes(&layout) + 4 * (source.bytes + MEMORY_BASE);
}

static int store_whole(const struct job *job, struct lod_encoded *item)
{
    lod_encoded_finish(item);
    *item = (struct lod_encoded){.whole = job->why};
    item->row[0] = LOD_ITEM_WHOLE;
    lod_put_le32(item->row + LOD_PCR_SOURCE, (uint32_t)job->source.bytes);
    lod_put_le32(item->row + LOD_PCR_GROUPS + 4 * (LOD_PCR_GROUP_FILE - 1),
                 (uint32_t)job->source.bytes);
    return lod_buf_append(&item->group[LOD_PCR_GROUP_FILE - 1], job->source.at, job->source.bytes);
}

static int encode(struct lod_span source, const struct lod_encode_options *options,
                  struct lod_encoded *ret_item)
{
    struct job job = {.source = source, .why = "a scan group passes 4 GiB"};
    struct lod_encoded item = {0};

    assert(source.bytes <= SOURCE_BYTES_MAX && options->scans);
    int error = transcode(&job, options->scans, &item);
    if (error == -ENOTSUP) {
        error = store_whole(&job, &item);
    }
    lod_buf_finish(&job.written);
    if (error) {
        lod_encoded_finish(&item);
        return error;
    }
    *ret_item = item;
    return 0;
}

const struct lod_encoder lod_encoder_pcr = {
    .codec = &lod_codec_pcr,
    .source_bytes_max = SOURCE_BYTES_MAX,
    .probe = probe,
    .encode = encode,
    .memory_bytes = memory_bytes,
};
