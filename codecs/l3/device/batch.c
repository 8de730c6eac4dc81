/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out bands of images as a device job. Inputs are written to the memory that the device reads,
 * and pixels are copied once, from the memory that the device wrote.
 */
#include "l3/device/batch.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "l3/device/patch_kernel.h"
#include "l3/patch/rans.h"

/* The size of one set of decoding tables, aligned. */
#define TABLES_BYTES ((sizeof(struct lod_rans_tables) + 7) / 8 * 8)

/* Sums over the parts laid out so far; at the end, over all of them. */
struct layout {
    uint64_t entries, in, tables, out;
};

static uint64_t out_bytes(const struct lod_l3_part *part)
{
    uint64_t row = lod_l3_row_bytes(&part->stream->image), rows = 0;

    for (uint32_t i = 0; i < part->count; i++) {
        rows += lod_l3_band_height(part->stream, part->first + i);
    }
    return row * rows;
}

/*
 * Returns whether part `i` can use the tables of part `i` - 1. Consecutive bands often belong to
 * one image, and its decoded tables are large.
 */
static bool has_tables_of_the_last(const struct lod_l3_part *parts, unsigned i)
{
    const struct lod_span *own = &parts[i].stream->tables, *last;

    if (i == 0 || parts[i].stream->image.samples != parts[i - 1].stream->image.samples) {
        return false;
    }
    last = &parts[i - 1].stream->tables;
    return own->bytes == last->bytes && memcmp(own->at, last->at, own->bytes) == 0;
}

/* Adds part `i` after the parts laid out before it. */
static void lay_out_one(const struct lod_l3_part *parts, unsigned i, struct layout *sum)
{
    const struct lod_l3_part *part = &parts[i];

    sum->entries += (uint64_t)part->stream->columns * part->count;
    sum->in += part->bands.bytes;
    sum->tables +=
        part->stream->tables.bytes && !has_tables_of_the_last(parts, i) ? TABLES_BYTES : 0;
    sum->out += out_bytes(part);
}

static struct layout lay_out(const struct lod_l3_part *parts, unsigned count)
{
    struct layout sum = {0};

    for (unsigned i = 0; i < count; i++) {
        lay_out_one(parts, i, &sum);
    }
    return sum;
}

uint64_t lod_l3_batch_bytes(const struct lod_l3_part *parts, unsigned count)
{
    struct layout sum = lay_out(parts, count);

    return sum.entries * (sizeof(struct lod_l3_entry) + sizeof(uint32_t)) + sum.in + sum.tables +
           sum.out + (LOD_GPU_INPUTS + 2) * LOD_GPU_ALIGN;
}

/*
 * Writes the entry of patch `column` of band `band` and moves `at` past the patch. Returns -EILSEQ.
 */
static int put_entry(const struct lod_l3_part *part, uint32_t band, uint32_t column,
                     const struct layout *base, uint64_t *at, struct lod_l3_entry *entry)
{
    const struct lod_l3_stream *stream = part->stream;
    uint32_t bytes = lod_l3_patch_bytes(stream, band, column);
    uint64_t row = lod_l3_row_bytes(&stream->image);
    uint64_t y = (uint64_t)(band - part->first) << stream->side_log2;
    uint64_t x = (uint64_t)column << stream->side_log2;

    if (bytes > base->in + part->bands.bytes - *at) {
        return -EILSEQ;
    }
    *entry = (struct lod_l3_entry){
        .at = (uint32_t)*at,
        .bytes = bytes,
        .size = lod_l3_patch_width(stream, column) | lod_l3_band_height(stream, band) << 16,
        .sample = stream->image.samples | (uint32_t)stream->image.bits << 8,
        .tables = stream->tables.bytes ? (uint32_t)base->tables : LOD_L3_NO_TABLES,
        .out = (uint32_t)(base->out + y * row + x * lod_l3_pixel_bytes(&stream->image)),
        .stride = (uint32_t)row,
    };
    *at += bytes;
    return 0;
}

/* Writes entries without bytes, which the kernel reports as malformed. */
static void put_none(const struct layout *base, uint64_t count, struct lod_l3_entry *entries)
{
    for (uint64_t i = 0; i < count; i++) {
        entries[base->entries + i] = (struct lod_l3_entry){
            .size = 1 | 1u << 16, .sample = 1 | 8 << 8, .tables = LOD_L3_NO_TABLES};
    }
}

static int put_entries(const struct lod_l3_part *part, const struct layout *base,
                       struct lod_l3_entry *entries)
{
    uint64_t at = base->in, next = base->entries;

    for (uint32_t band = part->first; band < part->first + part->count; band++) {
        for (uint32_t column = 0; column < part->stream->columns; column++) {
            int r = put_entry(part, band, column, base, &at, &entries[next++]);
            if (r) {
                return r;
            }
        }
    }
    return at == base->in + part->bands.bytes ? 0 : -EILSEQ;
}

/*
 * Fills the job's inputs with part `i`. `base` is where the part begins, except for tables it
 * shares. *tables_error is the result of reading the last tables.
 */
static void put_part(struct lod_l3_part *parts, unsigned i, const struct layout *base,
                     int *tables_error, struct lod_gpu_job *job)
{
    struct lod_l3_part *part = &parts[i];
    struct lod_l3_entry *entries = (struct lod_l3_entry *)(void *)job->in[0];
    struct layout own = *base;

    if (has_tables_of_the_last(parts, i)) {
        own.tables -= part->stream->tables.bytes ? TABLES_BYTES : 0;
    } else if (part->stream->tables.bytes) {
        *tables_error = lod_rans_tables_take(part->stream->tables, part->stream->image.samples,
                                             (void *)(job->in[2] + own.tables));
    }
    part->error = part->stream->tables.bytes ? *tables_error : 0;
    part->error = part->error ? part->error : put_entries(part, &own, entries);
    if (part->error) {
        put_none(&own, (uint64_t)part->stream->columns * part->count, entries);
    }
    memcpy(job->in[1] + own.in, part->bands.at, part->bands.bytes);
}

static bool all_sound(const uint32_t *status, uint64_t count)
{
    uint32_t any = 0;

    for (uint64_t i = 0; i < count; i++) {
        any |= status[i];
    }
    return any == 0;
}

/* Copies one part's pixels out and moves `base` past it. */
static void take_part(struct lod_l3_part *part, struct layout *base, const struct lod_gpu_job *job)
{
    struct layout own = lay_out(part, 1);
    uint64_t row = lod_l3_row_bytes(&part->stream->image);

    if (!part->error && !all_sound(job->status + base->entries, own.entries)) {
        part->error = -EILSEQ;
    }
    for (uint64_t y = 0; !part->error && part->into && y < own.out / row; y++) {
        memcpy(part->into + y * part->stride, job->out + base->out + y * row, row);
    }
    base->entries += own.entries;
    base->out += own.out;
}

/* Runs a job of the parts; the caller must end it. */
static int run(struct lod_gpu *gpu, struct lod_l3_part *parts, unsigned count,
               struct lod_gpu_job *ret_job)
{
    struct layout sum = lay_out(parts, count), base = {0};
    const uint64_t in_bytes[LOD_GPU_INPUTS] = {sum.entries * sizeof(struct lod_l3_entry), sum.in,
                                               sum.tables};
    struct lod_gpu_job job;
    int tables_error = 0;

    if (sum.entries > LOD_GPU_JOB_BYTES_MAX) {
        return -E2BIG;
    }
    int r = lod_gpu_begin(gpu, &lod_l3_patches, (uint32_t)sum.entries, in_bytes, sum.out, &job);
    if (r) {
        return r;
    }
    for (unsigned i = 0; i < count; i++) {
        put_part(parts, i, &base, &tables_error, &job);
        lay_out_one(parts, i, &base);
    }
    job.stays = !parts[0].into; /* for lod_l3_batch_keep */
    lod_gpu_run(&job);
    base = (struct layout){0};
    for (unsigned i = 0; i < count; i++) {
        take_part(&parts[i], &base, &job);
    }
    *ret_job = job;
    return 0;
}

int lod_l3_batch(struct lod_gpu *gpu, struct lod_l3_part *parts, unsigned count)
{
    struct lod_gpu_job job;

    int r = run(gpu, parts, count, &job);
    if (r == 0) {
        lod_gpu_end(&job);
    }
    return r;
}

int lod_l3_batch_keep(struct lod_gpu *gpu, const struct lod_l3_part *part, uint64_t *ret_address)
{
    struct lod_l3_part own = *part;
    struct lod_gpu_job job;

    own.into = NULL;
    int r = run(gpu, &own, 1, &job);
    if (r) {
        return r;
    }
    r = own.error ? own.error : lod_gpu_keep(&job, ret_address);
    lod_gpu_end(&job);
    return r;
}
