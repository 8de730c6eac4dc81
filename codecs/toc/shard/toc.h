/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shard: consecutive rows of one table as self-describing bytes. It is cut into mini-batches,
 * which share one first layer and one table of values. FORMAT.md, TOC shard; Li et al.,
 * "Tuple-oriented Compression for Large-scale Mini-batch Stochastic Gradient Descent", 2019. This
 * header opens and decodes; toc_write.h encodes; matrix.h multiplies. Knows no files.
 */
#ifndef LOD_TOC_H
#define LOD_TOC_H

#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "toc/shard/dtype.h"

/* Limits of a shard (FORMAT.md). Beyond them encoding returns -E2BIG, and opening -EILSEQ. */
#define LOD_TOC_ROWS_MAX    (1u << 24)
#define LOD_TOC_COLUMNS_MAX (1u << 28)
#define LOD_TOC_BYTES_MAX   (1u << 30)
#define LOD_TOC_BATCHES_MAX (1u << 16) /* needed because batches of RAW may take no bytes */
#define LOD_TOC_PAIRS_MAX   (1u << 28) /* of elements that are not zero; of all elements of RAW */

#define LOD_TOC_HEADER_BYTES 128u

enum lod_toc_kind {
    LOD_TOC_RAW = 0,  /* all elements */
    LOD_TOC_CSR = 1,  /* column and value of each element that is not zero */
    LOD_TOC_TREE = 2, /* the paper's prefix tree */
};

/* How values are stored. Converting an element to its form and back preserves its bits. */
enum lod_toc_value {
    LOD_TOC_VALUE_OWN = 0, /* as in the table, but little endian */
    LOD_TOC_VALUE_U1 = 1,
    LOD_TOC_VALUE_U2 = 2,
    LOD_TOC_VALUE_U4 = 3,
    LOD_TOC_VALUE_I1 = 4,
    LOD_TOC_VALUE_I2 = 5,
    LOD_TOC_VALUE_I4 = 6,
    LOD_TOC_VALUE_F4 = 7,
};

/* An opened shard, which borrows its bytes. Any number of threads may use copies of it. */
struct lod_toc_shard {
    uint8_t kind, dtype;
    uint32_t rows, columns;
    uint32_t batch_rows; /* in every batch but the last; at least 1 */
    uint32_t batches;    /* ceil(rows / batch_rows) */

    /* Private: */
    uint8_t value;       /* enum lod_toc_value */
    uint8_t index_bits;  /* of an index into the table of values */
    uint8_t column_bits; /* CSR: of a column; TREE: of a column, or a number of leaves */
    uint8_t column_form;
    uint32_t leaves; /* entries of the first layer */
    uint32_t values; /* entries of the table of values; 0: values are stored directly */
    uint32_t codes_max, nodes_max; /* the most in one batch */
    struct lod_span table, leaf_values, leaf_columns, batch, body;
};

/*
 * Opens a shard: checks header, hashes, sections and sizes; allocates nothing. The batches are
 * checked when they are decoded or expanded. Returns -EBADMSG if a hash differs, -ENOTSUP for
 * another version, -EILSEQ if malformed.
 */
LOD_MUST_CHECK int lod_toc_open(struct lod_span bytes, struct lod_toc_shard *ret_shard);

/*
 * Decodes rows first .. first + rows - 1 bit for bit: rows x columns elements of the shard's dtype
 * in C order. `into` has exactly lod_toc_source_bytes bytes. Returns -EINVAL for rows that the
 * shard lacks or another size, -EILSEQ if malformed, -ENOMEM (it allocates lod_toc_work_bytes).
 */
LOD_MUST_CHECK int lod_toc_decode(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows,
                                  void *into, uint64_t into_bytes);

/* Decode the same rows as numbers, rows x columns doubles or floats. */
LOD_MUST_CHECK int lod_toc_decode_f8(const struct lod_toc_shard *shard, uint32_t first,
                                     uint32_t rows, double *into);
LOD_MUST_CHECK int lod_toc_decode_f4(const struct lod_toc_shard *shard, uint32_t first,
                                     uint32_t rows, float *into);

/* Returns the size of `rows` rows in the source. */
static inline uint64_t lod_toc_source_bytes(const struct lod_toc_shard *shard, uint32_t rows)
{
    return (uint64_t)rows * shard->columns * lod_dtype_bytes(shard->dtype);
}

/* Returns the most memory that decoding takes besides the shard's bytes and the result. */
uint64_t lod_toc_work_bytes(const struct lod_toc_shard *shard);

/* Returns the rows of a batch, which is below `batches`. */
static inline uint32_t lod_toc_batch_rows(const struct lod_toc_shard *shard, uint32_t batch)
{
    uint32_t before = batch * shard->batch_rows;
    return shard->rows - before < shard->batch_rows ? shard->rows - before : shard->batch_rows;
}

#endif
