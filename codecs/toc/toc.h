/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shard: consecutive rows of one table as self-describing bytes, cut into mini-batches that share
 * one first layer and value table (FORMAT.md, TOC shard; Li et al., "Tuple-oriented Compression for
 * Large-scale Mini-batch Stochastic Gradient Descent", 2019). This header opens and decodes;
 * toc_write.h encodes, matrix.h multiplies. No files: bytes in, bytes out.
 */
#ifndef LOD_TOC_H
#define LOD_TOC_H

#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "toc/dtype.h"

/* Limits of a shard (FORMAT.md); more is -E2BIG when encoding and malformed when opening. */
#define LOD_TOC_ROWS_MAX    (1u << 24)
#define LOD_TOC_COLUMNS_MAX (1u << 28)
#define LOD_TOC_BYTES_MAX   (1u << 30)
#define LOD_TOC_BATCHES_MAX (1u << 16) /* batches of RAW may take no bytes at all */
#define LOD_TOC_PAIRS_MAX   (1u << 28) /* values other than zero, and elements of RAW */

#define LOD_TOC_HEADER_BYTES 128u

enum lod_toc_kind {
    LOD_TOC_RAW = 0,  /* all elements */
    LOD_TOC_CSR = 1,  /* column and value of each element that is not zero */
    LOD_TOC_TREE = 2, /* the paper's prefix tree */
};

/* How values lie in a shard; an element converted there and back has the same bits. */
enum lod_toc_value {
    LOD_TOC_VALUE_OWN = 0, /* as in the table, little endian */
    LOD_TOC_VALUE_U1 = 1,
    LOD_TOC_VALUE_U2 = 2,
    LOD_TOC_VALUE_U4 = 3,
    LOD_TOC_VALUE_I1 = 4,
    LOD_TOC_VALUE_I2 = 5,
    LOD_TOC_VALUE_I4 = 6,
    LOD_TOC_VALUE_F4 = 7,
};

/* An opened shard. It borrows the bytes; copies of it may be used by any number of threads. */
struct lod_toc_shard {
    uint8_t kind, dtype;
    uint32_t rows, columns;
    uint32_t batch_rows; /* of all batches but the last; at least 1 */
    uint32_t batches;    /* ceil(rows / batch_rows) */

    /* Private: */
    uint8_t value;       /* enum lod_toc_value */
    uint8_t index_bits;  /* of an index into the table of values */
    uint8_t column_bits; /* CSR: of a column; TREE: of a leaf's column, or of a column's leaves */
    uint8_t column_form;
    uint32_t leaves;               /* entries of the first layer */
    uint32_t values;               /* entries of the table of values; 0: values stand direct */
    uint32_t codes_max, nodes_max; /* of one batch */
    struct lod_span table, leaf_values, leaf_columns, batch, body;
};

/*
 * Checks header, hashes, sections and sizes, and allocates nothing. The batches' own contents are
 * checked when they are decoded or expanded. -EBADMSG: a hash differs; -ENOTSUP: another version;
 * -EILSEQ: malformed.
 */
LOD_MUST_CHECK int lod_toc_open(struct lod_span bytes, struct lod_toc_shard *ret_shard);

/*
 * Rows first .. first + rows - 1 as the source had them, bit for bit: rows x columns elements of
 * the shard's dtype, C order. `into` has exactly the bytes of lod_toc_source_bytes. -EINVAL: rows
 * that the shard lacks, or another size; -EILSEQ: malformed; -ENOMEM: of lod_toc_work_bytes.
 */
LOD_MUST_CHECK int lod_toc_decode(const struct lod_toc_shard *shard, uint32_t first, uint32_t rows,
                                  void *into, uint64_t into_bytes);

/* The same rows as numbers; rows x columns doubles or floats. */
LOD_MUST_CHECK int lod_toc_decode_f8(const struct lod_toc_shard *shard, uint32_t first,
                                     uint32_t rows, double *into);
LOD_MUST_CHECK int lod_toc_decode_f4(const struct lod_toc_shard *shard, uint32_t first,
                                     uint32_t rows, float *into);

/* Bytes of `rows` rows in the source. */
static inline uint64_t lod_toc_source_bytes(const struct lod_toc_shard *shard, uint32_t rows)
{
    return (uint64_t)rows * shard->columns * lod_dtype_bytes(shard->dtype);
}

/* Memory that decoding takes besides the shard's bytes and the result, at most. */
uint64_t lod_toc_work_bytes(const struct lod_toc_shard *shard);

/* Rows of a batch below `batches`. */
static inline uint32_t lod_toc_batch_rows(const struct lod_toc_shard *shard, uint32_t batch)
{
    uint32_t before = batch * shard->batch_rows;
    return shard->rows - before < shard->batch_rows ? shard->rows - before : shard->batch_rows;
}

#endif
