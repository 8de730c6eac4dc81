/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of a shard, expanded for products: codes and the pruned prefix tree at whole bytes
 * instead of bits, but never as dense rows (except RAW, which is dense). A matrix is immutable
 * after init and may be used by any number of threads. Products are re-entrant, allocate nothing
 * and write only to the caller's scratch memory and result.
 *
 * Zero elements are left out of every sum, as in sparse libraries: 0 times infinity is 0 here.
 */
#ifndef LOD_MATRIX_H
#define LOD_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "toc/shard/toc.h"

struct lod_toc_batch; /* batch_read.h */

struct lod_toc_matrix {
    uint32_t rows, columns;
    uint32_t batches, batch_rows;

    /* Private: */
    uint8_t kind;                /* enum lod_toc_kind */
    uint32_t numbers_max;        /* nodes and leaves of one batch */
    struct lod_toc_batch *batch; /* in the memory passed to init */
    void *owned;                 /* allocated by create */
    uint64_t bytes;              /* of that memory */
};

/*
 * Expands batches first .. first + count - 1 into the caller's memory, which is aligned to 64 bytes
 * and borrowed by the matrix. The shard's bytes are not needed afterwards. Returns -ENOBUFS if
 * memory_bytes is less than lod_toc_matrix_bytes, -EINVAL for batches that the shard lacks, -EILSEQ
 * if malformed.
 */
LOD_MUST_CHECK int lod_toc_matrix_init(const struct lod_toc_shard *shard, uint32_t first,
                                       uint32_t count, void *memory, uint64_t memory_bytes,
                                       struct lod_toc_matrix *ret_matrix);

/* Returns the memory that init needs; it follows from the header and the batch rows. */
uint64_t lod_toc_matrix_bytes(const struct lod_toc_shard *shard, uint32_t first, uint32_t count);

/*
 * Expands the whole shard into memory of its own. Returns -E2BIG if that takes more than bytes_max.
 * lod_toc_matrix_destroy accepts NULL.
 */
LOD_MUST_CHECK int lod_toc_matrix_create(const struct lod_toc_shard *shard, uint64_t bytes_max,
                                         struct lod_toc_matrix **ret_matrix);
void lod_toc_matrix_destroy(struct lod_toc_matrix *matrix);

/*
 * Products of batches first .. first + count - 1, which have R = lod_toc_matrix_rows rows. Vectors
 * and matrices are in C order without gaps. A is R x C; k is the other side of the dense matrix.
 * Results are overwritten unless `adds`. `scratch` has lod_toc_scratch_bytes bytes, aligned to 64.
 */
uint32_t lod_toc_matrix_rows(const struct lod_toc_matrix *matrix, uint32_t first, uint32_t count);
uint64_t lod_toc_scratch_bytes(const struct lod_toc_matrix *matrix);

struct lod_toc_range {
    const struct lod_toc_matrix *matrix;
    uint32_t first, count; /* of batches */
    void *scratch;
    /* v A and M A add to the contents of `into`; this is not slower, even for many columns */
    bool adds;
};

/* A v: `v` has C elements, the result R. */
void lod_toc_times_vector_f8(const struct lod_toc_range *a, const double *v, double *into);
void lod_toc_times_vector_f4(const struct lod_toc_range *a, const float *v, float *into);

/* v A: `v` has R elements, the result C. */
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
