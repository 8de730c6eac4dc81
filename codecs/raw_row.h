/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row of a raw item, and the sizes that follow from it. The file is stored as it is, or in
 * units that are compressed one by one, so that a read decodes only the units that it needs.
 * FORMAT.md, Compressed files.
 */
#ifndef LOD_RAW_ROW_H
#define LOD_RAW_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "codec.h"

#define LOD_RAW_UNIT_BYTES ((uint64_t)128 << 10) /* of the file; the last unit may be shorter */
#define LOD_RAW_FILE_MAX   ((uint64_t)1 << 30)   /* larger files are stored as they are */
#define LOD_RAW_END_BYTES  4u                    /* in the table of ends, for each unit */

#define LOD_RAW_AT_STORAGE 1  /* u8: LOD_RAW_PLAIN or LOD_RAW_ZSTD */
#define LOD_RAW_AT_LENGTH  8  /* u64 */
#define LOD_RAW_AT_STORED  16 /* u32; 0 if the file is stored as it is */

enum lod_raw_storage { LOD_RAW_PLAIN, LOD_RAW_ZSTD };

struct lod_raw_row {
    uint64_t bytes;  /* of the file */
    uint64_t stored; /* of its segment */
    bool units;      /* stored in units */
};

/* Reads a row of codec raw. Returns -EILSEQ if it is malformed. */
LOD_MUST_CHECK int lod_raw_row_read(const uint8_t row[LOD_ROW_BYTES], struct lod_raw_row *ret_row);

/* Returns the bytes of the table in front of the units. A single unit has no table. */
static inline uint64_t lod_raw_table_bytes(uint64_t file_bytes)
{
    const uint64_t units = lod_round_up(file_bytes, LOD_RAW_UNIT_BYTES) / LOD_RAW_UNIT_BYTES;

    return units > 1 ? units * LOD_RAW_END_BYTES : 0;
}

extern const struct lod_maker lod_raw_maker; /* raw_units.c */

#endif
