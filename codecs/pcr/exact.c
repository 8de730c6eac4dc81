/* SPDX-License-Identifier: Apache-2.0 */
/* Rebuild data taken apart, and the whole way back to the source file. FORMAT.md, Rebuild data. */
#include "pcr/exact.h"

#include <errno.h>
#include <stdlib.h>

#include "pcr/exact_run.h"
#include "pcr/scans_read.h"
#include "pcr/varint.h"

int lod_exact_split(struct lod_span data, struct lod_exact *ret_exact)
{
    struct lod_cursor c = lod_cursor(data.at, data.bytes);
    struct lod_exact exact = {0};
    uint8_t place = lod_take_u8(&c);

    if (place == LOD_EXACT_SHARED) {
        exact.shared = true;
        exact.slot = lod_take_le16(&c);
    } else if (place == LOD_EXACT_OWN) {
        exact.header.bytes = lod_take_varint(&c);
        exact.header.at = lod_take(&c, exact.header.bytes);
    }
    if (place > LOD_EXACT_SHARED || c.short_of_bytes || exact.header.bytes > LOD_EXACT_HEADER_MAX) {
        return -EILSEQ;
    }
    exact.tail = (struct lod_span){.at = c.at, .bytes = c.left};
    *ret_exact = exact;
    return 0;
}

static int rebuild(const struct lod_exact_parts *parts, struct lod_span header,
                   struct lod_span tail, uint8_t *out, size_t bytes)
{
    struct lod_exact_trace trace;
    struct lod_jpeg *jpeg = NULL;
    size_t made = 0;

    uint64_t taken = (uint64_t)parts->full.bytes + bytes;
    if (taken >= LOD_EXACT_MEMORY_MAX) {
        return -E2BIG;
    }
    int error = lod_scans_read(parts->full, LOD_EXACT_MEMORY_MAX - taken, &jpeg);
    if (!error) {
        error = lod_exact_run(parts, jpeg, header, tail, out, bytes, &made, &trace);
    }
    lod_jpeg_destroy(jpeg);
    if (error) {
        return error;
    }
    return made == bytes ? 0 : -EILSEQ;
}

int lod_exact_rebuild(struct lod_span full, struct lod_span header, struct lod_span tail,
                      uint8_t *out, size_t bytes)
{
    struct lod_exact_parts *parts = malloc(sizeof(*parts));
    if (!parts) {
        return -ENOMEM;
    }
    int error = lod_exact_parts_read(full, parts);
    if (!error) {
        error = rebuild(parts, header, tail, out, bytes);
    }
    free(parts);
    return error;
}
