/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts NODE and RECD rows of the index to structs and back. Every field is checked when it is
 * read (FORMAT.md, NODE and RECD). It knows no blocks and no files.
 */
#ifndef LOD_ROWS_H
#define LOD_ROWS_H

#include <stdint.h>

#include "compiler.h"
#include "backend/format.h"
#include "index/index.h"

/* The limits of numbers in rows. */
struct lod_totals {
    uint32_t nodes, items, records;
    uint32_t sums;        /* rows of section SUMS */
    uint64_t name_blocks; /* of section NAME */
};

void lod_node_put(const struct lod_node *node, uint8_t row[LOD_NODE_ROW_BYTES]);

/* Returns -EILSEQ for a field outside its legal range. The name itself is not checked. */
LOD_MUST_CHECK int lod_node_take(const uint8_t row[LOD_NODE_ROW_BYTES], uint32_t number,
                                 const struct lod_totals *totals, struct lod_node *ret_node);

/* Position and length of the path in section NAME. */
struct lod_record_desc_path {
    uint64_t at;
    uint16_t bytes;
};

void lod_record_desc_put(const struct lod_record_desc *recd, uint64_t path_at,
                         uint8_t row[LOD_RECORD_DESC_ROW_BYTES]);

/*
 * Reads all but the path, which stays empty. Returns -EILSEQ for a field outside its legal range,
 * -ENOTSUP for a codec that this build does not have.
 */
LOD_MUST_CHECK int lod_record_desc_take(const uint8_t row[LOD_RECORD_DESC_ROW_BYTES],
                                        uint32_t number, const struct lod_totals *totals,
                                        struct lod_record_desc *ret_recd,
                                        struct lod_record_desc_path *ret_path);

/* Checks the sizes of a record against each other and the limits. Returns -EILSEQ or -ENOTSUP as
 * above. */
LOD_MUST_CHECK int lod_record_desc_check(const struct lod_record_desc *recd);

/* Checks that a path is that of a record: "NAME.x" or "P/NAME.x" with the codec's suffix. Returns
 * -EILSEQ. */
LOD_MUST_CHECK int lod_record_desc_check_path(const struct lod_record_desc *recd);

#endif
