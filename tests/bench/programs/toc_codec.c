/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints ratio and speed of the TOC codec on one core, one line a table:
 *   build/tests/bench/toc_codec [--per-batch] TABLE.npy ..
 * Shards are cut and chosen as pack does. With --per-batch each batch of 250 rows is a shard of its
 * own. Decoding does what a read of the .npy through a mount does: it opens shards and makes them
 * unit by unit. Speeds are bytes of the table over CPU time of this thread, the least of RUNS runs
 * interleaved with copying the table.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "toc/shard/dtype.h"
#include "toc/source/npy_read.h"
#include "toc/source/table.h"
#include "toc/shard/toc.h"
#include "toc/encode/toc_write.h"

#define RUNS 5

struct source {
    uint8_t *file;
    const uint8_t *rows; /* in `file` */
    uint64_t row_bytes;
    struct lod_data_table table;
    struct lod_buf *shard;
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint8_t *load(const char *path, size_t *ret_bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *at = NULL;

    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long bytes = ftell(file);
        rewind(file);
        at = bytes > 0 ? malloc((size_t)bytes) : NULL;
        *ret_bytes = at ? fread(at, 1, (size_t)bytes, file) : 0;
    }
    if (file) {
        (void)fclose(file);
    }
    return at;
}

static int open_source(const char *path, bool per_batch, struct source *source)
{
    size_t bytes = 0;
    struct lod_npy npy;
    const char *why;
    uint32_t byte, header;
    const struct lod_table_options options = {.shard_rows = per_batch ? LOD_TOC_BATCH_ROWS : 0};

    *source = (struct source){.file = load(path, &bytes)};
    if (!source->file || bytes < LOD_NPY_PREFIX_BYTES ||
        lod_npy_header_bytes((struct lod_span){source->file, LOD_NPY_PREFIX_BYTES}, &header) ||
        header > bytes ||
        lod_npy_parse((struct lod_span){source->file, header}, &npy, &why, &byte) ||
        npy.fortran_order || header + npy.data_bytes != bytes) {
        return 1;
    }
    source->rows = source->file + header;
    source->row_bytes = (uint64_t)npy.columns * lod_dtype_bytes(npy.dtype);
    source->table = (struct lod_data_table){.kind = LOD_TABLE_NPY,
                                            .stored = !per_batch,
                                            .dtype = npy.dtype,
                                            .rows = npy.rows,
                                            .columns = (uint32_t)npy.columns};
    if (lod_table_cut(&source->table, &options)) {
        return 1;
    }
    source->shard = calloc(source->table.shards, sizeof(source->shard[0]));
    return !source->shard;
}

static void close_source(struct source *source)
{
    for (uint32_t i = 0; source->shard && i < source->table.shards; i++) {
        lod_buf_finish(&source->shard[i]);
    }
    free(source->shard);
    free(source->file);
}

static int encode(struct source *source)
{
    const struct lod_toc_options options = {.batch_rows = source->table.batch_rows,
                                            .choice = LOD_TOC_CHOOSE_BEST};
    int error = 0;

    for (uint32_t i = 0; i < source->table.shards && !error; i++) {
        const struct lod_shard_rows at = lod_table_shard(&source->table, i);
        const struct lod_toc_rows rows = {.dtype = source->table.dtype,
                                          .rows = at.rows,
                                          .columns = source->table.columns,
                                          .dense = source->rows + at.first * source->row_bytes};
        lod_buf_finish(&source->shard[i]);
        error = lod_toc_encode(&rows, &options, &source->shard[i]);
    }
    return error;
}

static int decode_unit(const struct source *source, struct lod_span stored, uint32_t first,
                       uint32_t rows, uint8_t *into)
{
    struct lod_toc_shard shard;
    int error = lod_toc_open(stored, &shard);

    return error ? error : lod_toc_decode(&shard, first, rows, into, rows * source->row_bytes);
}

static int decode(const struct source *source, uint8_t *into)
{
    int error = 0;

    for (uint32_t i = 0; i < source->table.shards; i++) {
        const struct lod_shard_rows at = lod_table_shard(&source->table, i);
        const struct lod_span stored = {source->shard[i].data, source->shard[i].bytes};
        for (uint32_t first = 0, rows; first < at.rows && !error; first += rows) {
            rows = at.rows - first;
            rows = rows < source->table.unit_rows ? rows : source->table.unit_rows;
            error = decode_unit(source, stored, first, rows, into);
            error = error ? error
                          : memcmp(into, source->rows + (at.first + first) * source->row_bytes,
                                   rows * source->row_bytes);
        }
    }
    return error;
}

enum { ENCODE, DECODE, COMPARE, STEPS };

static int run(struct source *source, uint8_t *unit, double best[STEPS])
{
    const double from = cpu_seconds();
    int error = encode(source);
    const double encoded = cpu_seconds();
    error = error ? error : decode(source, unit);
    const double decoded = cpu_seconds();
    const uint64_t step = source->table.unit_rows * source->row_bytes;
    const uint64_t bytes = source->table.rows * source->row_bytes;
    for (uint64_t at = 0; at < bytes; at += step) { /* as decode(), without decoding */
        uint64_t part = bytes - at < step ? bytes - at : step;
        memcpy(unit, source->rows + at, part);
        error |= memcmp(unit, source->rows + at, part);
    }
    const double took[STEPS] = {encoded - from, decoded - encoded, cpu_seconds() - decoded};
    for (unsigned i = 0; i < STEPS; i++) {
        best[i] = best[i] == 0 || took[i] < best[i] ? took[i] : best[i];
    }
    return error;
}

static int measure(const char *path, bool per_batch)
{
    struct source source;
    double best[STEPS] = {0}, stored = 0;
    int failed = open_source(path, per_batch, &source);
    uint8_t *unit = failed ? NULL : malloc(source.table.unit_rows * source.row_bytes + 1);

    failed |= !unit;
    for (unsigned i = 0; i < RUNS && !failed; i++) {
        failed = run(&source, unit, best);
    }
    if (failed) {
        (void)fprintf(stderr, "%s: no table of numbers in C order, or a failure\n", path);
    } else {
        const uint8_t kind = source.shard[0].data[12];
        const double bytes = (double)source.table.rows * (double)source.row_bytes;
        for (uint32_t i = 0; i < source.table.shards; i++) {
            stored += (double)source.shard[i].bytes;
        }
        printf("%-40s kind %u ratio %7.2f encode %6.0f decode %6.0f copy and compare %6.0f MB/s\n",
               path, kind, bytes / stored, bytes / best[ENCODE] / 1e6, bytes / best[DECODE] / 1e6,
               bytes / best[COMPARE] / 1e6);
    }
    free(unit);
    close_source(&source);
    return failed;
}

int main(int argc, char **argv)
{
    const bool per_batch = argc > 1 && strcmp(argv[1], "--per-batch") == 0;
    int failed = argc < 2 + per_batch;

    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* as pack does */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    for (int i = 1 + per_batch; i < argc; i++) {
        failed |= measure(argv[i], per_batch);
    }
    return failed;
}
