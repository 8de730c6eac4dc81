/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One image as a .l3 file (FORMAT.md, Native forms), which native/ of a mount shows and programs
 * can decode. It is a head made from the row, then the groups as stored.
 */
#ifndef LOD_L3_FILE_H
#define LOD_L3_FILE_H

#include "bytes.h"
#include "compiler.h"
#include "l3/container/l3_row.h"

#define LOD_L3_FILE_HEAD_BYTES (8 + LOD_ROW_BYTES)

/* Writes the head of the file of a valid row that is not WHOLE. */
void lod_l3_file_head(const uint8_t row[LOD_ROW_BYTES], uint8_t head[LOD_L3_FILE_HEAD_BYTES]);

struct lod_l3_file {
    uint8_t row[LOD_ROW_BYTES];
    struct lod_l3_row parsed;
    struct lod_span stream; /* an L3 stream; its image is the row's */
    struct lod_span chunks;
};

/* Parses a whole file and borrows its bytes. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_l3_file_open(struct lod_span bytes, struct lod_l3_file *ret_file);

#endif
