/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of checked RECD rows, by number, because every read needs the row of its record. A row
 * that is kept stays until the end and never changes. So finding it takes neither a lock nor a
 * reference. index.c decides which rows are kept, within a limit of bytes.
 */
#ifndef LOD_RECORD_DESC_TABLE_H
#define LOD_RECORD_DESC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "index/index.h"

struct lod_record_desc_table {
    uint32_t count; /* rows below this number may be kept */
    _Atomic(struct lod_record_desc *) *rows;
};

/*
 * For an index of `records` records. All kept rows take at most `bytes_max` bytes. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_record_desc_table_init(struct lod_record_desc_table *recds, uint32_t records,
                                              size_t bytes_max);
/* Returns the bytes of the table once all rows are kept. */
size_t lod_record_desc_table_bytes(const struct lod_record_desc_table *recds);
/* Accepts a table that is all zero. */
void lod_record_desc_table_finish(struct lod_record_desc_table *recds);

/* Returns NULL if the row is not kept. Any thread. */
const struct lod_record_desc *lod_record_desc_table_find(const struct lod_record_desc_table *recds,
                                                         uint32_t number);

/* Keeps a copy if the limit and memory allow it. */
void lod_record_desc_table_keep(struct lod_record_desc_table *recds,
                                const struct lod_record_desc *recd);

#endif
