/* SPDX-License-Identifier: Apache-2.0 */
/* A row of a shard's batch table, and how the batch's body is divided; FORMAT.md, TOC shard. */
#ifndef LOD_BATCH_ROW_H
#define LOD_BATCH_ROW_H

#include <stdint.h>

#include "compiler.h"
#include "toc/toc.h"

struct lod_batch_row {
    uint32_t rows;
    uint32_t codes; /* RAW: elements; CSR: entries */
    uint32_t nodes;
    uint32_t empty; /* rows without a code */
    uint32_t flags; /* codes that are not a row's last */
    uint16_t size_min;
    uint8_t size_bits, code_bits;
    uint64_t size_bytes, code_bytes, flag_bytes; /* CSR: sizes, columns, values; RAW: codes only */
    uint64_t bytes;
};

/* Of batch `batch`, below shard->batches. -EILSEQ: numbers that cannot be. */
LOD_MUST_CHECK int lod_batch_row_read(const struct lod_toc_shard *shard, uint32_t batch,
                                      struct lod_batch_row *ret_row);

/* Bytes of `count` values of the shard: indexes, or values themselves. */
uint64_t lod_values_bytes_of(const struct lod_toc_shard *shard, uint64_t count);

#endif
