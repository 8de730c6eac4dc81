/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of a shard in the form that products run on: codes and the pruned prefix tree at whole
 * bytes, not bits, and never the dense rows (but for RAW, which has nothing else). A matrix is
 * immutable after init and may be used by any number of threads; all products are re-entrant,
 * allocate nothing and touch the caller's scratch only.
 *
 * A zero element is left out of every sum, as in sparse libraries: 0 times infinity is 0 here.
 */
#ifndef LOD_MATRIX_H
#define LOD_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "toc/toc.h"

struct lod_toc_batch; /* batch_read.h */

struct lod_toc_matrix {
    uint32_t rows, columns;
    uint32_t batches, batch_rows;

    /* Private: */
    uint8_t kind;                /* enum lod_toc_kind */
    uint32_t numbers_max;        /* nodes and leaves of one batch */
    struct lod_toc_batch *batch; /* in the memory of init */
    void *owned;                 /* of create */
    uint64_t bytes;              /* of that memory */
};

/*
 * Expands batches first .. first + count - 1 into the caller's memory, aligned to 64 bytes, which
 * the matrix borrows; the shard's bytes are not needed afterwards. -ENOBUFS: memory_bytes is less
 * than lod_toc_matrix_bytes; -EINVAL: batches the shard lacks; -EILSEQ: malformed.
 */
LOD_MUST_CHECK int lod_toc_matrix_init(const struct lod_toc_shard *shard, uint32_t first,
                                       uint32_t count, void *memory, uint64_t memory_bytes,
                                       struct lod_toc_matrix *ret_matrix);

/* Memory for init, known from the header and batch table alone. */
uint64_t lod_toc_matrix_bytes(const struct lod_toc_shard *shard, uint32_t first, uint32_t count);

/* The whole shard in memory of its own, at most bytes_max of it (-E2BIG); destroy accepts NULL. */
LOD_MUST_CHECK int lod_toc_matrix_create(const struct lod_toc_shard *shard, uint64_t bytes_max,
                                         struct lod_toc_matrix **ret_matrix);
void lod_toc_matrix_destroy(struct lod_toc_matrix *matrix);

/* A * c: every value times `c`, in place of the matrix's own; not while others use it. */
void lod_toc_matrix_scale(struct lod_toc_matrix *matrix, double c);

/*
 * Products of batches first .. first + count - 1, which have R = lod_toc_matrix_rows rows. Vectors
 * and matrices are C order without gaps: A is R x C, k is the other side of the dense matrix.
 * Results are overwritten, but for `adds`. `scratch` has lod_toc_scratch_bytes, aligned to 64
 * bytes.
 */
uint32_t lod_toc_matrix_rows(const struct lod_toc_matrix *matrix, uint32_t first, uint32_t count);
uint64_t lod_toc_scratch_bytes(const struct lod_toc_matrix *matrix);

struct lod_toc_range {
    const struct lod_toc_matrix *matrix;
    uint32_t first, count; /* batches */
    void *scratch;
    bool adds; /* v A and M A are added to what `into` has, which costs no more for many columns */
};

/* A v: C in, R out. */
void lod_toc_times_vector_f8(const struct lod_toc_range *a, const double *v, double *into);
void lod_toc_times_vector_f4(const struct lod_toc_range *a, const float *v, float *into);

/* v A: R in, C out. */
void lod_toc_vector_times_f8(const struct lod_toc_range *a, const double *v, double *into);
void lod_toc_vector_times_f4(const struct lod_toc_range *a, const float *v, float *into);

/* A M: M is C x k, result R x k. */
void lod_toc_times_matrix_f8(const struct lod_toc_range *a, const double *m, uint32_t k,
                             double *into);
void lod_toc_times_matrix_f4(const struct lod_toc_range *a, const float *m, uint32_t k,
                             float *into);

/* M A: M is k x R, result k x C. */
void lod_toc_matrix_times_f8(const struct lod_toc_range *a, const double *m, uint32_t k,
                             double *into);
void lod_toc_matrix_times_f4(const struct lod_toc_range *a, const float *m, uint32_t k,
                             float *into);

#endif
