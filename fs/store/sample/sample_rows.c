/* SPDX-License-Identifier: Apache-2.0 */
/* See sample_rows.h. */
#include "sample/sample_rows.h"

#include <errno.h>

#include "bytes.h"

void lod_sample_row_put(const struct lod_sample_row *row, uint8_t into[LOD_SAMPLE_ROW_BYTES])
{
    lod_put_le32(into, (uint32_t)row->label);
    into[4] = (uint8_t)row->form;
    into[5] = row->before;
    into[6] = row->after;
    into[7] = 0;
}

int lod_sample_row_take(const uint8_t bytes[LOD_SAMPLE_ROW_BYTES], struct lod_sample_row *ret_row)
{
    struct lod_sample_row row = {.label = (int32_t)lod_get_le32(bytes),
                                 .form = (enum lod_sample_form)bytes[4],
                                 .before = bytes[5],
                                 .after = bytes[6]};
    const bool none = row.form == LOD_SAMPLE_NONE;

    if (bytes[4] >= LOD_SAMPLE_FORMS || bytes[7] || row.label < LOD_NO_LABEL ||
        row.before + row.after >= (int)LOD_FRAMED_FILES_MAX ||
        (none && (row.before || row.after || row.label != LOD_NO_LABEL))) {
        return -EILSEQ;
    }
    *ret_row = row;
    return 0;
}

void lod_sums_row_put(const struct lod_sums_row *row, uint8_t into[LOD_SUMS_ROW_BYTES])
{
    lod_put_le32(into, row->record);
    lod_put_le32(into + 4, row->split);
    lod_put_le32(into + 8, row->longest_path);
    lod_put_le32(into + 12, row->class_bytes);
    lod_put_le64(into + 16, row->key);
    into += 24;
    for (unsigned i = 0; i < LOD_FRAMINGS; i++, into += 4) {
        lod_put_le32(into, row->leads[i]);
    }
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        for (unsigned k = 0; k < LOD_FULL; k++, into += 8) {
            lod_put_le64(into, row->bytes[i][k]);
        }
    }
}

void lod_sums_row_take(const uint8_t bytes[LOD_SUMS_ROW_BYTES], struct lod_sums_row *ret_row)
{
    struct lod_cursor c = lod_cursor(bytes, LOD_SUMS_ROW_BYTES);

    ret_row->record = lod_take_le32(&c);
    ret_row->split = lod_take_le32(&c);
    ret_row->longest_path = lod_take_le32(&c);
    ret_row->class_bytes = lod_take_le32(&c);
    ret_row->key = lod_take_le64(&c);
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        ret_row->leads[i] = lod_take_le32(&c);
    }
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        for (unsigned k = 0; k < LOD_FULL; k++) {
            ret_row->bytes[i][k] = lod_take_le64(&c);
        }
    }
}
