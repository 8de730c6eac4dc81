/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms in which the batches of a table are kept during training. A unit is the part that is
 * fetched at once: a batch, or a shard of many. A batch has BATCH_ROWS rows, the last one fewer.
 */
#ifndef BATCH_FORMS_H
#define BATCH_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench_table.h"
#include "buf.h"
#include "api/lodfs.h"
#include "toc/product/matrix.h"

#define BATCH_ROWS 250u

/*
 * A batch ready for products: dense rows, sparse rows, a batch of a TOC matrix, or of a table that
 * liblodfs opened.
 */
struct ready {
    uint32_t rows, columns;
    const double *dense;
    const uint32_t *start, *column;
    const double *value;
    struct lod_toc_range toc; /* matrix NULL: not TOC */
    const struct lodfs_table *table;
    uint64_t batch;
    void *scratch;
};

/* A fetched unit, and the memory it is expanded into. */
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

    /* Writes rows first .. first + rows - 1 in this form. NULL: the shards of a mount are opened
     * instead. */
    int (*keep)(const struct bench_table *table, uint32_t first, uint32_t rows,
                struct lod_buf *into);

    /* Expands 8-aligned bytes for products; they must stay valid while it is used. */
    int (*fetch)(struct lod_span bytes, uint32_t rows, uint32_t columns, struct fetched *fetched);

    /* Returns batch `number` of the unit. */
    struct ready (*batch)(struct lod_span bytes, uint32_t rows, uint32_t columns, uint32_t number,
                          const struct fetched *fetched);

    bool stays; /* after fetch the bytes are not needed: it is dense again */
    bool npy;   /* units follow the header of a .npy */
};

/* Returns the form of that name: dense, npy, csr, toc, zstd, lz4, shards; NULL if there is none. */
const struct form *form_find(const char *name);

/* Compute A v, v A, A M and M A of a batch; M has k columns or rows. */
void ready_times(const struct ready *a, const double *v, double *into);
void ready_back(const struct ready *a, const double *v, double *into);
void ready_times_matrix(const struct ready *a, const double *m, uint32_t k, double *into);
void ready_matrix_times(const struct ready *a, const double *m, uint32_t k, double *into);

#endif
