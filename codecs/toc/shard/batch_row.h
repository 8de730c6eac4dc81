/* SPDX-License-Identifier: Apache-2.0 */
/* A batch row of a shard, and the layout of the batch's body. FORMAT.md, TOC shard. */
#ifndef LOD_BATCH_ROW_H
#define LOD_BATCH_ROW_H

#include <stdint.h>

#include "compiler.h"
#include "toc/shard/toc.h"

struct lod_batch_row {
    uint32_t rows;
    uint32_t codes; /* RAW: elements; CSR: pairs */
    uint32_t nodes;
    uint32_t empty; /* rows without a code */
    uint32_t flags; /* codes that are not the last of their row */
    uint16_t size_min;
    uint8_t size_bits, code_bits;
    /* CSR: sizes, columns, values; RAW: code_bytes only. */
    uint64_t size_bytes, code_bytes, flag_bytes;
    uint64_t bytes;
};

/* Reads the batch row of `batch`, below shard->batches. Returns -EILSEQ if it is malformed. */
LOD_MUST_CHECK int lod_batch_row_read(const struct lod_toc_shard *shard, uint32_t batch,
                                      struct lod_batch_row *ret_row);

/* Returns the size of `count` values of the shard, as indexes or directly. */
uint64_t lod_values_bytes_of(const struct lod_toc_shard *shard, uint64_t count);

#endif
