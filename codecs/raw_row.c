/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of raw items; see raw_row.h. */
#include "raw_row.h"

#include <errno.h>

/* A mount parses the rows of all slots of a record, so for speed this reads whole words where
 * possible. */
static bool has_reserved(const uint8_t row[LOD_ROW_BYTES])
{
    uint64_t wrong = lod_get_le16(row + 2) | lod_get_le32(row + LOD_RAW_AT_STORED + 4);

    for (unsigned at = LOD_RAW_AT_STORED + 8; at < LOD_ROW_BYTES; at += sizeof(wrong)) {
        wrong |= lod_get_le64(row + at);
    }
    return wrong != 0;
}

/* Units save at least a byte, so that no file has two forms of the same length. */
static bool is_possible(const struct lod_raw_row *r)
{
    if (!r->units) {
        return r->stored == 0 && r->bytes <= INT64_MAX;
    }
    return r->bytes <= LOD_RAW_FILE_MAX && r->stored < r->bytes &&
           r->stored > lod_raw_table_bytes(r->bytes);
}

int lod_raw_row_read(const uint8_t row[LOD_ROW_BYTES], struct lod_raw_row *ret_row)
{
    struct lod_raw_row r = {.bytes = lod_get_le64(row + LOD_RAW_AT_LENGTH),
                            .stored = lod_get_le32(row + LOD_RAW_AT_STORED),
                            .units = row[LOD_RAW_AT_STORAGE] == LOD_RAW_ZSTD};

    if (has_reserved(row) || row[LOD_RAW_AT_STORAGE] > LOD_RAW_ZSTD || !is_possible(&r) ||
        (lod_row_flags(row) & ~(LOD_ITEM_HAS_MAGIC | LOD_ITEM_HAS_LABEL))) {
        return -EILSEQ;
    }
    r.stored = r.units ? r.stored : r.bytes;
    *ret_row = r;
    return 0;
}
