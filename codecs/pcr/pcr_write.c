/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec pcr, writing: converts a JPEG file without loss to a head and ten scan groups, and
 * checks the result by decoding it. A file that cannot be converted is stored WHOLE, with the
 * reason. FORMAT.md, ITEM and pcr; pcr.c reads these rows.
 */
#include "encoder.h"

#include <assert.h>
#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/pcr_decoded.h"
#include "pcr/pcr_write.h"
#include "pcr/pcr_row.h"
#include "pcr/exact/scans_read.h"
#include "pcr/entropy/scans_write.h"
#include "pixels.h"

/* A larger JPEG is stored by the raw codec, which copies it without holding it in memory. */
#define SOURCE_BYTES_MAX (256ull << 20)

/*
 * Limit for the coefficients of an image, 2 bytes each: 178 million pixels without chroma
 * subsampling, 357 million with 4:2:0; the largest camera sensors have 150. While libjpeg's
 * coefficients are copied, a thread holds them twice.
 */
#define COEFFICIENT_BYTES_MAX (1ull << 30)

/* With more growth than 3 % and 512 bytes the next script of the class is tried. */
#define GROWTH_DIVISOR 100
#define GROWTH_PERCENT 3
#define GROWTH_BYTES   512

/* For libjpeg's row buffers, and for tables in small files. */
#define MEMORY_BASE (1u << 20)

static bool probe(struct lod_span head)
{
    return head.bytes >= 3 && head.at[0] == 0xff && head.at[1] == 0xd8 && head.at[2] == 0xff;
}

/* APPn and COM have the same size in source and item, so growth is computed without them. */
static bool grew_little(const struct lod_pcr_job *job)
{
    uint64_t source = job->layout.end, written = job->written.bytes;

    for (unsigned i = 0; i < job->layout.segments_count; i++) {
        written += job->layout.segments[i].bytes;
    }
    return written <= source + source * GROWTH_PERCENT / GROWTH_DIVISOR + GROWTH_BYTES;
}

static int write_script(struct lod_pcr_job *job, const struct lod_script *script)
{
    uint8_t blocks[LOD_SCRIPT_COMPONENTS] = {0};

    for (unsigned c = 0; c < job->layout.components; c++) {
        blocks[c] = (uint8_t)(job->layout.h[c] * job->layout.v[c]);
    }
    lod_script_fit(script, job->layout.components, blocks, &job->script);
    if (job->top) {
        lod_script_cut(&job->script, job->top);
    }
    job->written.bytes = 0;
    return lod_scans_write(job->jpeg, &job->script, &job->written);
}

/*
 * Tries the scripts of the class in order until one makes the file grow little; if none does, uses
 * the smallest result. A script that cannot represent the coefficients is skipped. If the source
 * file is kept too, growth does not matter.
 */
static int write_scans(struct lod_pcr_job *job, const struct lod_scan_choice *choice)
{
    unsigned class = lod_quant_class(job->layout.luma_table);
    unsigned count = choice->classes[class].count, best = count;
    size_t best_bytes = SIZE_MAX;
    int error = 0;

    assert(count >= 1 && count <= LOD_SCRIPTS_MAX);
    for (unsigned i = 0; i < count; i++) {
        error = write_script(job, choice->classes[class].scripts[i]);
        if (error == -ENOTSUP) {
            continue;
        }
        if (error || job->top || grew_little(job)) {
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
    return best == count - 1 && !error ? 0
                                       : write_script(job, choice->classes[class].scripts[best]);
}

/* Decodes the written scans, and compares each symbol with the coefficients. */
static int prove(struct lod_pcr_job *job)
{
    int error = lod_scans_check(lod_buf_span(&job->written), job->jpeg, job->top == 0);

    if (error == -EILSEQ || error == -EBADMSG) {
        job->why = "its coefficients cannot be restored from progressive scans";
        error = -ENOTSUP;
    }
    return error;
}

static int rewrite(struct lod_pcr_job *job, const struct lod_scan_choice *choice)
{
    int error = lod_jpeg_read(job->source, COEFFICIENT_BYTES_MAX, &job->jpeg, &job->why);

    error = error ? error : write_scans(job, choice);
    return error ? error : prove(job);
}

/* Returns libjpeg's memory for an image: whole MCUs of blocks of 64 coefficients. */
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

static int make_row(const struct lod_pcr_job *job, struct lod_encoded *item)
{
    const struct lod_jpeg_layout *layout = &job->layout;

    item->row[0] |= LOD_ITEM_NO_ORIGINAL;
    if (lod_pcr_decoded_bytes(layout->width, layout->height, layout->components,
                              coefficient_bytes(layout)) > LOD_DECODED_BYTES_MAX) {
        item->row[0] |= LOD_ITEM_NO_DECODED;
    }
    item->row[LOD_PCR_SHAPE] = job->layout.components;
    lod_put_le16(item->row + LOD_PCR_WIDTH, job->layout.width);
    lod_put_le16(item->row + LOD_PCR_HEIGHT, job->layout.height);
    lod_put_le32(item->row + LOD_PCR_SOURCE, (uint32_t)job->source.bytes);
    return lod_pcr_set_lengths(item);
}

/* Adds group 12. If that is the source file, it has the APPn and COM segments, and group 11 is not
 * needed. */
static int add_original(struct lod_pcr_job *job, const struct lod_encode_options *options,
                        struct lod_encoded *item)
{
    if (job->top) {
        return lod_pcr_keep(job, job->top, item);
    }
    return options->original ? lod_pcr_original_write(job, item) : 0;
}

static int transcode(struct lod_pcr_job *job, const struct lod_encode_options *options,
                     struct lod_encoded *item)
{
    int error = lod_jpeg_scan(job->source, &job->layout, &job->why);

    error = error ? error : rewrite(job, options->scans);
    error = error ? error : lod_pcr_groups_write(job, item);
    error = error ? error : make_row(job, item);
    return error ? error : add_original(job, options, item);
}

/*
 * Returns the memory for encoding, the sum of:
 * - the coefficients twice, while libjpeg's are copied;
 * - the written scans twice, as a file and in groups, in buffers that may be half empty;
 * - the file at full with the rebuilt one, or the source again.
 */
static uint64_t memory_bytes(struct lod_span source)
{
    struct lod_jpeg_layout layout;
    const char *why;

    return lod_jpeg_scan(source, &layout, &why)
               ? source.bytes
               : 2 * coefficient_bytes(&layout) + 6 * (source.bytes + MEMORY_BASE);
}

static const char *why_whole(struct lod_span source)
{
    struct lod_jpeg_layout layout;
    struct lod_jpeg *jpeg = NULL;
    const char *why = NULL;

    if (lod_jpeg_scan(source, &layout, &why) == 0 &&
        lod_jpeg_read(source, COEFFICIENT_BYTES_MAX, &jpeg, &why) == 0) {
        why = NULL;
    }
    lod_jpeg_destroy(jpeg);
    return why;
}

static int store_whole(const struct lod_pcr_job *job, struct lod_encoded *item)
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
    struct lod_pcr_job job = {
        .source = source, .top = options->top, .why = "a scan group exceeds 4 GiB"};
    struct lod_encoded item = {0};

    assert(source.bytes <= SOURCE_BYTES_MAX && options->scans && options->top <= LOD_Q10);
    int error = transcode(&job, options, &item);
    if (error == -ENOTSUP) {
        error = store_whole(&job, &item);
    }
    lod_buf_finish(&job.written);
    lod_jpeg_destroy(job.jpeg);
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
    .why_whole = why_whole,
    .memory_bytes = memory_bytes,
    .join = lod_pcr_original_join,
};
