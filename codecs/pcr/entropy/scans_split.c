/* SPDX-License-Identifier: Apache-2.0 */
/* See scans_split.h. */
#include "pcr/entropy/scans_split.h"

#include <assert.h>

#include "pcr/jpeg/jpeg_marker.h"
#include "pcr/jpeg/jpeg_scan.h"

#define SOI_BYTES 2u
#define EOI_BYTES 2u

/* Returns the offset of the next SOS from `at`, stepping from segment to segment. */
static size_t find_sos(struct lod_span file, size_t at)
{
    struct lod_cursor c = lod_cursor(file.at + at, file.bytes - at);

    while (c.left >= 4 && c.at[0] == 0xff && c.at[1] != LOD_MARKER_SOS) {
        lod_take(&c, 2);
        struct lod_cursor length = c;
        lod_take(&c, lod_take_be16(&length));
    }
    return c.left >= 4 && c.at[0] == 0xff ? file.bytes - c.left : file.bytes;
}

int lod_scans_split(struct lod_span file, const struct lod_script *script, struct lod_buf *groups)
{
    size_t at = SOI_BYTES;

    for (unsigned i = 0; i < script->count; i++) {
        size_t sos = find_sos(file, at);
        size_t end = sos < file.bytes ? lod_jpeg_entropy_end(file, sos + 2) : file.bytes;
        assert(end < file.bytes); /* the caller wrote the file */
        int error = lod_buf_append(&groups[script->scans[i].group - 1], file.at + at, end - at);
        if (error) {
            return error;
        }
        at = end;
    }
    assert(at + EOI_BYTES == file.bytes);
    return 0;
}
