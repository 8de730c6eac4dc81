/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of raw items that are stored as they are. It makes the row from the file's length;
 * `pack` copies the bytes. raw_units_write.c makes the other raw items.
 */
#include "encoder.h"
#include "raw_row.h"

static bool probe(struct lod_span head)
{
    (void)head;
    return true;
}

static void row(uint64_t source_bytes, uint8_t ret_row[LOD_ROW_BYTES])
{
    memset(ret_row, 0, LOD_ROW_BYTES);
    lod_put_le64(ret_row + LOD_RAW_AT_LENGTH, source_bytes);
}

const struct lod_encoder lod_encoder_raw = {
    .codec = &lod_codec_raw,
    .source_bytes_max = INT64_MAX,
    .probe = probe,
    .row = row,
};
