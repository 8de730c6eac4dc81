/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l3, writing: a PNG file becomes an L3 stream and its kept chunks, proven by making the file of
 * full/ from them and comparing its pixels; what cannot be is stored WHOLE with the reason.
 * FORMAT.md, ITEM and l3; l3.c reads these rows.
 */
#include "encoder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "l3/l3_row.h"
#include "l3/l3_stream.h"
#include "l3/l3_stream_write.h"
#include "l3/png_io.h"

/* A PNG of more is streamed as raw, not held in memory. */
#define SOURCE_BYTES_MAX (256ull << 20)

/* 178 million pixels of RGB; one thread holds them and what they become. */
#define SAMPLES_BYTES_MAX (512ull << 20)

/*
 * What inflates this much is made to hurt, or so plain that patches gain nothing: photographs
 * inflate to 1.3 .. 4 times their size, screenshots to 10 .. 50 times.
 */
#define BOMB_BYTES  (32ull << 20)
#define BOMB_FACTOR 64u

#define MEMORY_BASE (512u << 10)

struct job {
    struct lod_span source;
    const struct lod_encode_options *options;
    struct lod_png_layout layout;
    struct lod_l3_image image;
    uint8_t *samples;
    struct lod_buf *stream; /* group 1 */
    struct lod_l3_row row;
    const char *why;
};

/* What proving one band takes. */
struct proof {
    struct lod_l3_stream stream;
    uint8_t *work, *samples, *blocks;
};

static bool probe(struct lod_span head)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    return head.bytes >= sizeof(png) && memcmp(head.at, png, sizeof(png)) == 0;
}

static int refuse(struct job *job, const char *why)
{
    job->why = why;
    return -ENOTSUP;
}

static uint64_t samples_bytes(const struct lod_l3_image *image)
{
    const uint64_t row = lod_l3_row_bytes(image);

    return row > UINT64_MAX / image->height ? UINT64_MAX : row * image->height;
}

/* From the header alone, before anything of its size is allocated. */
static int check_size(struct job *job)
{
    const uint64_t bytes = samples_bytes(&job->image);

    if (bytes > SAMPLES_BYTES_MAX) {
        return refuse(job, "too large: its pixels take more than 512 MiB");
    }
    if (bytes > BOMB_BYTES && bytes / BOMB_FACTOR > job->source.bytes) {
        return refuse(job, "its pixels take more than 64 times the file");
    }
    return 0;
}

static int read_pixels(struct job *job)
{
    int error = lod_png_read_header(job->source, &job->layout.header, &job->why);

    if (error) {
        return error;
    }
    job->image = lod_png_image(&job->layout.header);
    error = check_size(job);
    error = error ? error : lod_png_scan(job->source, &job->layout, &job->why);
    if (error) {
        return error;
    }
    job->samples = malloc(samples_bytes(&job->image));
    return job->samples ? lod_png_decode(job->source, &job->layout, job->samples, &job->why)
                        : -ENOMEM;
}

static int encode_pixels(struct job *job)
{
    const struct lod_l3_options options = {.mode = (enum lod_l3_mode)job->options->l3_mode};
    int error = lod_l3_encode(&job->image, job->samples, lod_l3_row_bytes(&job->image), &options,
                              job->stream);

    if (error == -E2BIG) {
        return refuse(job, "too large: its patches pass 4 GiB");
    }
    const uint64_t chunks = (uint64_t)job->layout.before.bytes + job->layout.after.bytes;
    return !error && job->stream->bytes + chunks >= job->source.bytes
               ? refuse(job, "its patches are not smaller than the file")
               : error;
}

/* The row but for its checksums. */
static int describe(struct job *job, const struct lod_l3_stream *stream)
{
    const struct lod_png_layout *layout = &job->layout;
    struct lod_l3_row *row = &job->row;

    row->flags = job->options->keep ? LOD_ITEM_KEPT : LOD_ITEM_NO_ORIGINAL;
    row->transparent = layout->header.colour == LOD_PNG_PALETTE && layout->transparent;
    row->mode = job->options->l3_mode;
    row->source = job->source.bytes;
    row->chunks = (uint32_t)(layout->before.bytes + layout->after.bytes);
    row->stream = (uint32_t)job->stream->bytes;
    if (lod_png_stored_init(&layout->header, stream->side_log2, &row->png) ||
        lod_l3_row_cost(row) > LOD_L3_BAND_COST_MAX) {
        return refuse(job, "too wide: a row of its patches takes more than 128 MiB");
    }
    return 0;
}

/* One band, made as a mount makes it, of samples that must be the source's. */
static int prove_band(struct job *job, const struct proof *proof, uint32_t band)
{
    const size_t stride = (size_t)lod_l3_row_bytes(&job->image);
    const uint8_t *source = job->samples + ((size_t)band << proof->stream.side_log2) * stride;
    const struct lod_png_stored *png = &job->row.png;
    uint64_t offset, bytes;

    lod_l3_band(&proof->stream, band, &offset, &bytes);
    int error = lod_l3_decode_band(
        &proof->stream, band,
        (struct lod_span){.at = job->stream->data + offset, .bytes = (size_t)bytes}, proof->samples,
        stride, proof->work);
    if (error || bytes > lod_l3_row_band_max(&job->row) ||
        memcmp(proof->samples, source, stride * lod_png_stored_rows(png, band))) {
        return refuse(job, "its pixels do not come back from patches");
    }
    lod_png_stored_band(png, band, proof->samples, stride, proof->blocks);
    lod_png_stored_sums_add(
        &job->row.sums,
        (struct lod_span){.at = proof->blocks, .bytes = lod_png_stored_band_bytes(png, band)});
    return 0;
}

static int prove_bands(struct job *job, struct proof *proof)
{
    const struct lod_png_stored *png = &job->row.png;
    const uint64_t band_samples = lod_l3_row_bytes(&job->image) * lod_png_stored_rows(png, 0);
    int error = 0;

    proof->work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    proof->samples = malloc(band_samples);
    proof->blocks = malloc(lod_png_stored_band_bytes(png, 0));
    if (!proof->work || !proof->samples || !proof->blocks) {
        return -ENOMEM;
    }
    if (lod_l3_work_init(&proof->stream, proof->work)) {
        return refuse(job, "its pixels do not come back from patches");
    }
    job->row.sums = lod_png_stored_sums_begin();
    for (uint32_t band = 0; !error && band < png->bands; band++) {
        error = prove_band(job, proof, band);
    }
    job->row.sums = lod_png_stored_sums_end(job->row.sums);
    return error;
}

static int prove(struct job *job)
{
    struct proof proof = {0};
    int error = lod_l3_stream_open(lod_buf_span(job->stream), job->stream->bytes, &proof.stream);

    if (error || proof.stream.head_bytes > UINT32_MAX) {
        return refuse(job, "its pixels do not come back from patches");
    }
    error = describe(job, &proof.stream);
    if (!error && proof.stream.head_bytes > lod_l3_row_head_max(&job->row)) {
        error = refuse(job, "its pixels do not come back from patches");
    }
    error = error ? error : prove_bands(job, &proof);
    free(proof.work);
    free(proof.samples);
    free(proof.blocks);
    return error;
}

static int keep_chunks(const struct job *job, struct lod_encoded *item)
{
    struct lod_buf *chunks = &item->group[LOD_L3_GROUP_CHUNKS - 1];
    int error = lod_buf_append(chunks, job->layout.before.at, job->layout.before.bytes);

    error = error ? error : lod_buf_append(chunks, job->layout.after.at, job->layout.after.bytes);
    return error || !job->options->keep ? error
                                        : lod_buf_append(&item->group[LOD_L3_GROUP_FILE - 1],
                                                         job->source.at, job->source.bytes);
}

static int store_whole(const struct job *job, struct lod_encoded *item)
{
    const struct lod_l3_row row = {.flags = LOD_ITEM_WHOLE, .source = job->source.bytes};

    lod_encoded_finish(item);
    *item = (struct lod_encoded){.whole = job->why};
    lod_l3_row_write(&row, item->row);
    return lod_buf_append(&item->group[LOD_L3_GROUP_FILE - 1], job->source.at, job->source.bytes);
}

static int encode(struct lod_span source, const struct lod_encode_options *options,
                  struct lod_encoded *ret_item)
{
    struct lod_encoded item = {0};
    struct job job = {
        .source = source, .options = options, .stream = &item.group[LOD_L3_GROUP_STREAM - 1]};

    assert(source.bytes <= SOURCE_BYTES_MAX);
    int error = read_pixels(&job);
    error = error ? error : encode_pixels(&job);
    error = error ? error : prove(&job);
    free(job.samples);
    if (!error) {
        lod_l3_row_write(&job.row, item.row);
        error = keep_chunks(&job, &item);
    } else if (error == -ENOTSUP) {
        error = store_whole(&job, &item);
    }
    if (error) {
        lod_encoded_finish(&item);
        return error;
    }
    *ret_item = item;
    return 0;
}

/* The samples, the stream in a buffer that may be half empty, and what decoding and proving take.
 */
static uint64_t memory_bytes(struct lod_span source)
{
    struct job job = {.source = source};

    if (lod_png_read_header(source, &job.layout.header, &job.why)) {
        return source.bytes;
    }
    job.image = lod_png_image(&job.layout.header);
    const uint64_t bytes = samples_bytes(&job.image);
    return check_size(&job) ? source.bytes
                            : 4 * bytes + lod_png_decode_cost(&job.layout.header) +
                                  lod_l3_encode_cost(&job.image) + source.bytes + MEMORY_BASE;
}

const struct lod_encoder lod_encoder_l3 = {
    .codec = &lod_codec_l3,
    .source_bytes_max = SOURCE_BYTES_MAX,
    .probe = probe,
    .encode = encode,
    .memory_bytes = memory_bytes,
};
