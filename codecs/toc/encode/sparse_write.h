/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse encoding, the first stage of the paper (section 3): each row becomes pairs of a column and
 * a word that is not 0. The order of rows and columns is kept. For encoders.
 */
#ifndef LOD_SPARSE_WRITE_H
#define LOD_SPARSE_WRITE_H

#include <stdint.h>

#include "compiler.h"
#include "toc/encode/toc_write.h"

struct lod_sparse {
    uint32_t rows;
    uint32_t *start; /* rows + 1 */
    uint32_t *column;
    uint64_t *word;
    uint64_t room;
};

/* Allocates for `rows` rows; the result is empty. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_sparse_init(struct lod_sparse *sparse, uint32_t rows);
void lod_sparse_finish(struct lod_sparse *sparse);

/*
 * Appends rows first .. first + count - 1 of a table with a legal dtype. Returns -EINVAL if columns
 * of sparse rows do not ascend or are out of range, -E2BIG for too many pairs, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_sparse_append(struct lod_sparse *sparse, const struct lod_toc_rows *rows,
                                     uint32_t first, uint32_t count);

static inline uint32_t lod_sparse_pairs(const struct lod_sparse *sparse)
{
    return sparse->start[sparse->rows];
}

#endif
