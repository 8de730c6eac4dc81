/* SPDX-License-Identifier: Apache-2.0 */
/* See raw_units_write.h. Decision 806 has the measurements behind zstd's level
 * and the unit size. */
#include "raw_units_write.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 3

/* Compression of a file of one unit must save an eighth. In a larger file a read of few bytes
 * decodes a whole unit, so there it must save a half. */
#define SAVING_DIVISOR_ONE_UNIT 8
#define SAVING_DIVISOR          2

int lod_raw_units_begin(struct lod_raw_units *units, uint64_t bytes, struct lod_buf *into)
{
    const size_t table = (size_t)lod_raw_table_bytes(bytes);

    assert(bytes && bytes <= LOD_RAW_FILE_MAX);
    *units =
        (struct lod_raw_units){.into = into, .first = into->bytes, .bytes = bytes, .pays = true};
    int error = lod_buf_reserve(into, table + 1);
    if (error) {
        return error;
    }
    memset(into->data + into->bytes, 0, table);
    into->bytes += table;
    units->encoder = ZSTD_createCCtx();
    return units->encoder ? 0 : -ENOMEM;
}

/* Appends a frame, or the unit itself if the frame would be no shorter. */
static int add_unit(struct lod_raw_units *units, struct lod_span unit)
{
    struct lod_buf *into = units->into;
    int error = lod_buf_reserve(into, ZSTD_compressBound(unit.bytes));

    if (error) {
        return error;
    }
    uint8_t *at = into->data + into->bytes;
    const size_t frame = ZSTD_compressCCtx(units->encoder, at, ZSTD_compressBound(unit.bytes),
                                           unit.at, unit.bytes, LEVEL);
    if (ZSTD_isError(frame)) {
        /* the input is complete, and the output buffer is large enough for any input */
        return -ENOMEM;
    }
    if (frame >= unit.bytes) {
        memcpy(at, unit.at, unit.bytes);
    }
    into->bytes += frame < unit.bytes ? frame : unit.bytes;
    return 0;
}

static void note_end(const struct lod_raw_units *units, uint64_t unit)
{
    if (lod_raw_table_bytes(units->bytes)) {
        lod_put_le32(units->into->data + units->first + unit * LOD_RAW_END_BYTES,
                     (uint32_t)(units->into->bytes - units->first));
    }
}

/* Decides whether the bytes added so far save enough. At the end the table counts, too. */
static bool pays(const struct lod_raw_units *units)
{
    const uint64_t table = lod_raw_table_bytes(units->bytes);
    const uint64_t part = table ? SAVING_DIVISOR : SAVING_DIVISOR_ONE_UNIT;
    const uint64_t stored = units->into->bytes - units->first;

    return stored - (units->done < units->bytes ? table : 0) <=
           units->done - (units->done + part - 1) / part;
}

int lod_raw_units_add(struct lod_raw_units *units, struct lod_span bytes)
{
    int error = 0;

    for (size_t at = 0; !error && units->pays && at < bytes.bytes; at += LOD_RAW_UNIT_BYTES) {
        const size_t left = bytes.bytes - at;
        const size_t count = left < LOD_RAW_UNIT_BYTES ? left : LOD_RAW_UNIT_BYTES;
        error = add_unit(units, (struct lod_span){.at = bytes.at + at, .bytes = count});
        if (!error) {
            note_end(units, units->done / LOD_RAW_UNIT_BYTES);
            units->done += count;
            units->pays = pays(units);
        }
    }
    return error;
}

void lod_raw_units_row(const struct lod_raw_units *units, uint8_t ret_row[LOD_ROW_BYTES])
{
    assert(units->pays && units->done == units->bytes);
    memset(ret_row, 0, LOD_ROW_BYTES);
    ret_row[LOD_RAW_AT_STORAGE] = LOD_RAW_ZSTD;
    lod_put_le64(ret_row + LOD_RAW_AT_LENGTH, units->bytes);
    lod_put_le32(ret_row + LOD_RAW_AT_STORED, (uint32_t)(units->into->bytes - units->first));
}

const char *lod_raw_units_version(void)
{
    return ZSTD_versionString();
}

void lod_raw_units_finish(struct lod_raw_units *units)
{
    ZSTD_freeCCtx(units->encoder);
    *units = (struct lod_raw_units){0};
}
