/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms in which the batches of a table are kept while it is trained on. A
 * unit is what is fetched at once: a batch, or a shard of many. Rows of a
 * batch: BATCH_ROWS, the last fewer.
 */
#ifndef BATCH_FORMS_H
#define BATCH_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench_table.h"
#include "buf.h"
#include "lodfs.h"
#include "toc/matrix.h"

#define BATCH_ROWS 250u

/* A batch that can be multiplied: dense rows, sparse rows, one of a TOC matrix,
 * or of a table that liblodfs opened. */
struct ready {
    uint32_t rows, columns;
    const double *dense;
    const uint32_t *start, *column;
    const double *value;
    struct lod_toc_range toc; /* matrix NULL: it is none */
    const struct lodfs_table *table;
    uint64_t batch;
    void *scratch;
};

/* A unit that was fetched, and the room for what it becomes. */
struct fetched {
    void *room; /* aligned to 64 bytes */
    uint64_t room_bytes;
    struct lod_toc_matrix matrix;
    void *scratch;
    uint64_t scratch_bytes;
};
void fetched_finish(struct fetched *fetched);

struct form {
    const char *name;
    uint32_t unit_rows;

    /* Rows first .. first + rows - 1 as bytes. NULL: what lodfs shows is opened instead. */
    int (*keep)(const struct bench_table *table, uint32_t first, uint32_t rows,
                struct lod_buf *into);

    /* Bytes, 8-aligned, to what can be multiplied; they stay while it is used. */
    int (*fetch)(struct lod_span bytes, uint32_t rows, uint32_t columns, struct fetched *fetched);

    /* Batch `number` of the unit. */
    struct ready (*batch)(struct lod_span bytes, uint32_t rows, uint32_t columns, uint32_t number,
                          const struct fetched *fetched);

    bool stays; /* fetched once is enough where memory is: else it is dense again
                   after fetch */
    bool npy;   /* units follow the head of a .npy */
};

/* By name: dense, npy, csr, toc, zstd, lz4, shards; NULL if there is none. */
const struct form *form_find(const char *name);

/* A v, v A, A M and M A of a batch, M with k columns or rows. */
void ready_times(const struct ready *a, const double *v, double *into);
void ready_back(const struct ready *a, const double *v, double *into);
void ready_times_matrix(const struct ready *a, const double *m, uint32_t k, double *into);
void ready_matrix_times(const struct ready *a, const double *m, uint32_t k, double *into);

#endif
