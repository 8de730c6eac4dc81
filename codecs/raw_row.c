/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of raw items; see raw_row.h. */
#include "raw_row.h"

#include <errno.h>

static bool is_reserved(unsigned at)
{
    return at == 2 || at == 3 || at >= LOD_RAW_AT_STORED + 4;
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
    uint8_t wrong = 0;

    for (unsigned i = 0; i < LOD_ROW_BYTES; i++) {
        wrong |= is_reserved(i) ? row[i] : 0;
    }
    if (wrong || row[LOD_RAW_AT_STORAGE] > LOD_RAW_ZSTD || !is_possible(&r) ||
        (lod_row_flags(row) & ~(LOD_ITEM_HAS_MAGIC | LOD_ITEM_HAS_LABEL))) {
        return -EILSEQ;
    }
    r.stored = r.units ? r.stored : r.bytes;
    *ret_row = r;
    return 0;
}
