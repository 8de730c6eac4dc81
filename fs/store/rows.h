/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NODE and RECD rows of the index: bytes <-> structs, every field checked on the way in (FORMAT.md,
 * NODE and RECD). Knows no blocks and no files.
 */
#ifndef LOD_ROWS_H
#define LOD_ROWS_H

#include <stdint.h>

#include "compiler.h"
#include "store/format.h"
#include "store/index.h"

/* What the numbers of a row are checked against. */
struct lod_totals {
    uint32_t nodes, items, records;
    uint64_t name_blocks; /* of section NAME */
};

void lod_node_put(const struct lod_node *node, uint8_t row[LOD_NODE_ROW_BYTES]);

/* -EILSEQ: a field outside its legal range. The name itself is not looked at. */
LOD_MUST_CHECK int lod_node_take(const uint8_t row[LOD_NODE_ROW_BYTES], uint32_t number,
                                 const struct lod_totals *totals, struct lod_node *ret_node);

/* The path stands in section NAME: its position and length. */
struct lod_recd_path {
    uint64_t at;
    uint16_t bytes;
};

void lod_recd_put(const struct lod_recd *recd, uint64_t path_at, uint8_t row[LOD_RECD_ROW_BYTES]);

/*
 * All but the path, which is left empty. -EILSEQ: a field outside its legal range; -ENOTSUP: a
 * codec this build does not have.
 */
LOD_MUST_CHECK int lod_recd_take(const uint8_t row[LOD_RECD_ROW_BYTES], uint32_t number,
                                 const struct lod_totals *totals, struct lod_recd *ret_recd,
                                 struct lod_recd_path *ret_path);

/* The sizes of a record against each other and the limits. -EILSEQ, -ENOTSUP as above. */
LOD_MUST_CHECK int lod_recd_check(const struct lod_recd *recd);

/* Has the path the form of a record's, "NAME.x" or "P/NAME.x" with the codec's suffix? -EILSEQ. */
LOD_MUST_CHECK int lod_recd_check_path(const struct lod_recd *recd);

#endif
