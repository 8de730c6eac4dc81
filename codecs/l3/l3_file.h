/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One image as a file of its own, a .l3 (FORMAT.md, Native forms): what native/ of a mount shows
 * and what readers with a decoder take. A head made from the row, then the groups as they are
 * stored.
 */
#ifndef LOD_L3_FILE_H
#define LOD_L3_FILE_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_row.h"

#define LOD_L3_FILE_HEAD_BYTES (8 + LOD_ROW_BYTES)

/* The head of the file of a sound row that is not WHOLE. */
void lod_l3_file_head(const uint8_t row[LOD_ROW_BYTES], uint8_t head[LOD_L3_FILE_HEAD_BYTES]);

struct lod_l3_file {
    uint8_t row[LOD_ROW_BYTES];
    struct lod_l3_row parsed;
    struct lod_span stream; /* an L3 stream, whose image is the row's */
    struct lod_span chunks;
};

/* Opens a whole file; what is opened borrows its bytes. -EILSEQ. */
LOD_MUST_CHECK int lod_l3_file_open(struct lod_span bytes, struct lod_l3_file *ret_file);

#endif
