/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of l3 items: an image file (container_write.h) becomes an L3 stream and the bytes
 * around its pixels. The result is proven by making the file of full/ from it. A file that fails is
 * stored WHOLE, with the reason. FORMAT.md, ITEM and l3; l3.c reads these rows.
 */
#include "encoder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "l3/container/container_write.h"
#include "l3/container/l3_row.h"
#include "l3/levels_write.h"
#include "l3/patch/l3_stream.h"
#include "l3/stream/l3_stream_write.h"

/* Larger files become raw items, which are copied in pieces and never held in memory. */
#define SOURCE_BYTES_MAX (256ull << 20)

/* 178 million RGB pixels. One thread holds the samples and their encoding. */
#define SAMPLES_BYTES_MAX (512ull << 20)

/*
 * Refuses files that inflate to more than 64 times their size: they are decompression bombs, or so
 * plain that patches gain nothing. Photographs inflate 1.3 to 4 times, screenshots 10 to 50 times.
 */
#define BOMB_BYTES  (32ull << 20)
#define BOMB_FACTOR 64u

#define MEMORY_BASE (512u << 10)

struct job {
    struct lod_span source;
    const struct lod_encode_options *options;
    const struct lod_l3_container_write *from;
    struct lod_l3_parsed parsed;
    struct lod_l3_image image;
    uint8_t *samples;
    struct lod_buf *stream; /* group 8 */
    struct lod_l3_row row;
    const char *why;
};

/* The memory for proving one band. */
struct proof {
    struct lod_l3_stream stream;
    uint8_t *work, *samples, *made;
};

static bool probe(struct lod_span head)
{
    return lod_l3_container_probe(head) != NULL;
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

/* Checks the size that the header states, before anything of that size is allocated. */
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

/* Reads the header and checks that the image is one that l3 takes. */
static int read_head(struct job *job)
{
    int error;

    job->from = lod_l3_container_probe(job->source);
    if (!job->from) {
        return refuse(job, "its header is not that of an image");
    }
    error = job->from->head(job->source, &job->parsed, &job->why);
    if (!error) {
        job->image = lod_png_image(&job->parsed.header);
        error = check_size(job);
    }
    return error;
}

static int read_pixels(struct job *job)
{
    int error = read_head(job);

    if (error) {
        return error;
    }
    job->samples = malloc(samples_bytes(&job->image));
    return job->samples ? job->from->samples(job->source, &job->parsed, job->samples, &job->why)
                        : -ENOMEM;
}

static int encode_pixels(struct job *job)
{
    const struct lod_l3_options options = {.mode = (enum lod_l3_mode)job->options->l3_mode};
    int error = lod_l3_encode(&job->image, job->samples, lod_l3_row_bytes(&job->image), &options,
                              job->stream);

    if (error == -E2BIG) {
        return refuse(job, "too large: its patches exceed 4 GiB");
    }
    const uint64_t chunks = (uint64_t)job->parsed.before.bytes + job->parsed.after.bytes;
    return !error && job->stream->bytes + chunks >= job->source.bytes
               ? refuse(job, "its patches are not smaller than the file")
               : error;
}

/* Fills in the row, except the container's checksums, which `prove` adds. */
static int describe(struct job *job, const struct lod_l3_stream *stream)
{
    const struct lod_l3_parsed *parsed = &job->parsed;
    const struct lod_l3_container *container = job->from->container;
    uint8_t own[LOD_ROW_BYTES] = {0};

    job->row = parsed->own;
    job->row.container = container;
    job->row.flags = container->exact     ? 0
                     : job->options->keep ? LOD_ITEM_KEPT
                                          : LOD_ITEM_NO_ORIGINAL;
    job->row.mode = job->options->l3_mode;
    job->row.source = job->source.bytes;
    job->row.chunks = (uint32_t)(parsed->before.bytes + parsed->after.bytes);
    job->row.stream = (uint32_t)job->stream->bytes;
    container->put(&job->row, own);
    if (!container->take(own, &parsed->header, stream->side_log2, &job->row) ||
        lod_l3_row_cost(&job->row) > LOD_L3_BAND_COST_MAX) {
        return refuse(job, "too wide: a row of its patches takes more than 128 MiB");
    }
    return 0;
}

/* Makes one band as a mount does and compares it with the source's samples and bytes. */
static int prove_band(struct job *job, const struct proof *proof, uint32_t band)
{
    const size_t stride = (size_t)lod_l3_row_bytes(&job->image);
    const uint8_t *source = job->samples + ((size_t)band << proof->stream.side_log2) * stride;
    const struct lod_l3_output *out = &job->row.out;
    uint64_t offset, bytes;

    lod_l3_band(&proof->stream, band, &offset, &bytes);
    int error = lod_l3_decode_band(
        &proof->stream, band,
        (struct lod_span){.at = job->stream->data + offset, .bytes = (size_t)bytes}, proof->samples,
        stride, proof->work);
    if (error || bytes > lod_l3_row_band_max(&job->row) ||
        memcmp(proof->samples, source, stride * lod_l3_output_rows(out, band))) {
        return refuse(job, "its pixels change when they are stored as patches");
    }
    job->from->container->band(&job->row, band, proof->samples, stride, proof->made);
    const struct lod_span made = {.at = proof->made, .bytes = lod_l3_output_band_bytes(out, band)};
    return job->from->prove(job->source, &job->row, band, made)
               ? 0
               : refuse(job, "its bytes cannot be made from its pixels again");
}

static int prove_bands(struct job *job, struct proof *proof)
{
    const struct lod_l3_output *out = &job->row.out;
    const uint64_t band_samples = lod_l3_row_bytes(&job->image) * lod_l3_output_rows(out, 0);
    int error = 0;

    proof->work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    proof->samples = malloc(band_samples);
    proof->made = malloc(lod_l3_output_band_bytes(out, 0));
    if (!proof->work || !proof->samples || !proof->made) {
        return -ENOMEM;
    }
    if (lod_l3_work_init(&proof->stream, proof->work)) {
        return refuse(job, "its pixels change when they are stored as patches");
    }
    for (uint32_t band = 0; !error && band < out->bands; band++) {
        error = prove_band(job, proof, band);
    }
    return error;
}

static int prove(struct job *job)
{
    struct proof proof = {0};
    int error = lod_l3_stream_open(lod_buf_span(job->stream), job->stream->bytes, &proof.stream);

    if (error || proof.stream.head_bytes > UINT32_MAX) {
        return refuse(job, "its pixels change when they are stored as patches");
    }
    error = describe(job, &proof.stream);
    if (!error && proof.stream.head_bytes > lod_l3_row_head_max(&job->row)) {
        error = refuse(job, "its pixels change when they are stored as patches");
    }
    error = error ? error : prove_bands(job, &proof);
    free(proof.work);
    free(proof.samples);
    free(proof.made);
    return error;
}

static int keep_rest(const struct job *job, struct lod_encoded *item)
{
    struct lod_buf *rest = &item->group[LOD_L3_GROUP_CHUNKS - 1];
    int error = lod_buf_append(rest, job->parsed.before.at, job->parsed.before.bytes);

    error = error ? error : lod_buf_append(rest, job->parsed.after.at, job->parsed.after.bytes);
    return error || !(job->row.flags & LOD_ITEM_KEPT)
               ? error
               : lod_buf_append(&item->group[LOD_L3_GROUP_FILE - 1], job->source.at,
                                job->source.bytes);
}

static int store_whole(const struct job *job, struct lod_encoded *item)
{
    const struct lod_l3_row row = {.flags = LOD_ITEM_WHOLE, .source = job->source.bytes};

    lod_encoded_finish(item);
    *item = (struct lod_encoded){.whole = job->why};
    lod_l3_row_write(&row, item->row);
    return lod_buf_append(&item->group[LOD_L3_GROUP_FILE - 1], job->source.at, job->source.bytes);
}

static int add_levels(struct job *job, struct lod_encoded *item)
{
    if (job->parsed.transparent) {
        item->exact = "it is transparent in parts";
        return 0;
    }
    return lod_l3_levels_write(&job->row, job->samples, item, &item->exact);
}

static int encode_item(struct lod_span source, const struct lod_encode_options *options,
                       bool levels, struct lod_encoded *ret_item)
{
    struct lod_encoded item = {0};
    struct job job = {
        .source = source, .options = options, .stream = &item.group[LOD_L3_GROUP_STREAM - 1]};

    assert(source.bytes <= SOURCE_BYTES_MAX);
    int error = read_pixels(&job);
    error = error ? error : encode_pixels(&job);
    error = error ? error : prove(&job);
    if (!error) {
        error = keep_rest(&job, &item);
        error = error || !levels ? error : add_levels(&job, &item);
        lod_l3_row_write(&job.row, item.row);
    } else if (error == -ENOTSUP) {
        error = store_whole(&job, &item);
        item.exact = levels ? "it is stored whole" : NULL;
    }
    free(job.samples);
    if (error) {
        lod_encoded_finish(&item);
        return error;
    }
    *ret_item = item;
    return 0;
}

static int encode(struct lod_span source, const struct lod_encode_options *options,
                  struct lod_encoded *ret_item)
{
    return encode_item(source, options, false, ret_item);
}

static int encode_with_levels(struct lod_span source, const struct lod_encode_options *options,
                              struct lod_encoded *ret_item)
{
    return encode_item(source, options, true, ret_item);
}

/*
 * Returns the bytes of memory for the samples, for the stream (in a buffer that may be half empty),
 * and for decoding and proving.
 */
static uint64_t memory_bytes(struct lod_span source)
{
    struct job job = {.source = source};

    return read_head(&job) ? source.bytes
                           : 4 * samples_bytes(&job.image) + job.from->cost(&job.parsed.header) +
                                 lod_l3_encode_cost(&job.image) + source.bytes + MEMORY_BASE;
}

/* Adds the memory of levels. */
static uint64_t memory_with_levels(struct lod_span source)
{
    struct job job = {.source = source};

    return memory_bytes(source) + (read_head(&job) ? 0 : lod_l3_levels_write_cost(&job.image));
}

const struct lod_encoder lod_encoder_l3_levels = {
    .codec = &lod_codec_l3,
    .apart = true,
    .source_bytes_max = SOURCE_BYTES_MAX,
    .probe = probe,
    .encode = encode_with_levels,
    .memory_bytes = memory_with_levels,
};

const struct lod_encoder lod_encoder_l3 = {
    .codec = &lod_codec_l3,
    .levels = &lod_encoder_l3_levels,
    .source_bytes_max = SOURCE_BYTES_MAX,
    .probe = probe,
    .encode = encode,
    .memory_bytes = memory_bytes,
};
