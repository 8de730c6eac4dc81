/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses a file unit by unit, as raw_units.c reads it. The bytes depend on the file and on the
 * version of libzstd.
 */
#ifndef LOD_RAW_UNITS_WRITE_H
#define LOD_RAW_UNITS_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "raw_row.h"

/* A file in progress. Initialise with lod_raw_units_begin; lod_raw_units_finish frees it. */
struct lod_raw_units {
    struct ZSTD_CCtx_s *encoder;
    struct lod_buf *into; /* table and units; borrowed */
    size_t first;         /* offset in `into` where the table begins */
    uint64_t bytes, done; /* of the file */
    bool pays;            /* compression has saved enough so far */
};

/* Begins a file of `bytes` bytes, 1 to LOD_RAW_FILE_MAX, at the end of `into`. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_raw_units_begin(struct lod_raw_units *units, uint64_t bytes,
                                       struct lod_buf *into);

/*
 * Appends the next bytes of the file: whole units, or all that is left. Once `pays` is false the
 * caller stops, and drops what was appended to `into`. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_raw_units_add(struct lod_raw_units *units, struct lod_span bytes);

/* Makes the row of a file that was added completely, and pays. */
void lod_raw_units_row(const struct lod_raw_units *units, uint8_t ret_row[LOD_ROW_BYTES]);

/* Returns the version of libzstd, which decides the bytes. */
const char *lod_raw_units_version(void);

void lod_raw_units_finish(struct lod_raw_units *units);

#endif
