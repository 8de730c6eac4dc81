/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of a batch; see batch_forms.h: dense with OpenBLAS, compressed sparse rows with plain
 * loops, TOC with the library.
 */
#include "batch_forms.h"

#include <cblas.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "toc/encode/toc_write.h"

#define ZSTD_LEVEL        3
#define SHARD_ROWS        (20 * BATCH_ROWS)
#define DENSE_BYTES(r, c) ((uint64_t)(r) * (c) * sizeof(double))

static int make_room(void **room, uint64_t *room_bytes, uint64_t bytes)
{
    if (bytes > *room_bytes) {
        free(*room);
        *room = aligned_alloc(64, lod_round_up(bytes, 64));
        *room_bytes = *room ? bytes : 0;
    }
    return bytes && !*room ? 1 : 0;
}

void fetched_finish(struct fetched *fetched)
{
    free(fetched->room);
    free(fetched->scratch);
    *fetched = (struct fetched){0};
}

static const double *rows_of(const struct bench_table *table, uint32_t first)
{
    return table->data + (size_t)first * table->columns;
}

static int keep_dense(const struct bench_table *table, uint32_t first, uint32_t rows,
                      struct lod_buf *into)
{
    return lod_buf_append(into, rows_of(table, first), DENSE_BYTES(rows, table->columns));
}

static int fetch_nothing(struct lod_span bytes, uint32_t rows, uint32_t columns,
                         struct fetched *fetched)
{
    (void)rows;
    (void)columns;
    (void)fetched;
    return bytes.at ? 0 : 1;
}

static struct ready dense_batch(struct lod_span bytes, uint32_t rows, uint32_t columns,
                                uint32_t number, const struct fetched *fetched)
{
    (void)number;
    const void *at = fetched->room ? fetched->room : (const void *)bytes.at;
    return (struct ready){.rows = rows, .columns = columns, .dense = at};
}

/* Writes u32 starts and u32 columns, then doubles from a multiple of 8 on. */
static int keep_csr(const struct bench_table *table, uint32_t first, uint32_t rows,
                    struct lod_buf *into)
{
    const double *at = rows_of(table, first);
    uint32_t entries = 0, cells = rows * table->columns;
    int error = lod_buf_append_le(into, 4, 0);

    for (uint32_t i = 0; i < cells && !error; i++) {
        entries += at[i] != 0;
        error = (i + 1) % table->columns ? 0 : lod_buf_append_le(into, 4, entries);
    }
    for (uint32_t i = 0; i < cells && !error; i++) {
        error = at[i] != 0 ? lod_buf_append_le(into, 4, i % table->columns) : 0;
    }
    error = error || into->bytes % 8 == 0 ? error : lod_buf_append_le(into, 4, 0);
    for (uint32_t i = 0; i < cells && !error; i++) {
        error = at[i] != 0 ? lod_buf_append(into, &at[i], sizeof(at[i])) : 0;
    }
    return error;
}

static struct ready csr_batch(struct lod_span bytes, uint32_t rows, uint32_t columns,
                              uint32_t number, const struct fetched *fetched)
{
    (void)number;
    (void)fetched;
    const uint32_t *start = (const void *)bytes.at;
    const uint32_t *column = start + rows + 1;
    uint64_t values = lod_round_up(((uint64_t)rows + 1 + start[rows]) * 4, 8);
    return (struct ready){.rows = rows,
                          .columns = columns,
                          .start = start,
                          .column = column,
                          .value = (const void *)(bytes.at + values)};
}

static int keep_toc(const struct bench_table *table, uint32_t first, uint32_t rows,
                    struct lod_buf *into)
{
    struct lod_toc_rows source = {.dtype = LOD_DTYPE_F8,
                                  .rows = rows,
                                  .columns = table->columns,
                                  .dense = rows_of(table, first)};
    struct lod_toc_options options = {.batch_rows = BATCH_ROWS, .choice = LOD_TOC_CHOOSE_BEST};
    return lod_toc_encode(&source, &options, into);
}

static int fetch_toc(struct lod_span bytes, uint32_t rows, uint32_t columns,
                     struct fetched *fetched)
{
    struct lod_toc_shard shard;
    (void)rows;
    (void)columns;
    if (lod_toc_open(bytes, &shard)) {
        return 1;
    }
    uint64_t need = lod_toc_matrix_bytes(&shard, 0, shard.batches);
    return make_room(&fetched->room, &fetched->room_bytes, need) ||
           lod_toc_matrix_init(&shard, 0, shard.batches, fetched->room, fetched->room_bytes,
                               &fetched->matrix) ||
           make_room(&fetched->scratch, &fetched->scratch_bytes,
                     lod_toc_scratch_bytes(&fetched->matrix));
}

static struct ready toc_batch(struct lod_span bytes, uint32_t rows, uint32_t columns,
                              uint32_t number, const struct fetched *fetched)
{
    (void)bytes;
    uint32_t left = rows - number * BATCH_ROWS;
    return (struct ready){
        .rows = left < BATCH_ROWS ? left : BATCH_ROWS,
        .columns = columns,
        .toc = {
            .matrix = &fetched->matrix, .first = number, .count = 1, .scratch = fetched->scratch}};
}

static int keep_zstd(const struct bench_table *table, uint32_t first, uint32_t rows,
                     struct lod_buf *into)
{
    size_t bytes = DENSE_BYTES(rows, table->columns), most = ZSTD_compressBound(bytes);
    int error = lod_buf_reserve(into, most);
    size_t got = error ? 0
                       : ZSTD_compress(into->data + into->bytes, most, rows_of(table, first), bytes,
                                       ZSTD_LEVEL);
    error = error || ZSTD_isError(got);
    into->bytes += error ? 0 : got;
    return error;
}

static int fetch_zstd(struct lod_span bytes, uint32_t rows, uint32_t columns,
                      struct fetched *fetched)
{
    uint64_t need = DENSE_BYTES(rows, columns);
    return make_room(&fetched->room, &fetched->room_bytes, need) ||
           ZSTD_decompress(fetched->room, need, bytes.at, bytes.bytes) != need;
}

static int keep_lz4(const struct bench_table *table, uint32_t first, uint32_t rows,
                    struct lod_buf *into)
{
    int bytes = (int)DENSE_BYTES(rows, table->columns), most = LZ4_compressBound(bytes);
    int error = lod_buf_reserve(into, (size_t)most), got = 0;

    if (!error) {
        got = LZ4_compress_default((const void *)rows_of(table, first),
                                   (void *)(into->data + into->bytes), bytes, most);
        into->bytes += (size_t)got;
    }
    return error || got <= 0;
}

static int fetch_lz4(struct lod_span bytes, uint32_t rows, uint32_t columns,
                     struct fetched *fetched)
{
    uint64_t need = DENSE_BYTES(rows, columns);
    return make_room(&fetched->room, &fetched->room_bytes, need) ||
           LZ4_decompress_safe((const void *)bytes.at, fetched->room, (int)bytes.bytes,
                               (int)need) != (int)need;
}

static const struct form forms[] = {
    {"dense", BATCH_ROWS, keep_dense, fetch_nothing, dense_batch, true, false},
    {"npy", BATCH_ROWS, keep_dense, fetch_nothing, dense_batch, true, true},
    {"csr", BATCH_ROWS, keep_csr, fetch_nothing, csr_batch, true, false},
    {"toc", SHARD_ROWS, keep_toc, fetch_toc, toc_batch, true, false},
    {"zstd", BATCH_ROWS, keep_zstd, fetch_zstd, dense_batch, false, false},
    {"lz4", BATCH_ROWS, keep_lz4, fetch_lz4, dense_batch, false, false},
    {"shards", BATCH_ROWS, NULL, NULL, NULL, true, false},
};

const struct form *form_find(const char *name)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}
