/* SPDX-License-Identifier: Apache-2.0 */
/* Parses rebuild data and rebuilds the source file. FORMAT.md, Rebuild data. */
#include "pcr/exact/rebuild.h"

#include <errno.h>
#include <stdlib.h>

#include "pcr/exact/rebuild_run.h"
#include "pcr/exact/scans_read.h"
#include "pcr/exact/varint.h"

int lod_rebuild_split(struct lod_span data, struct lod_rebuild *ret_exact)
{
    struct lod_cursor c = lod_cursor(data.at, data.bytes);
    struct lod_rebuild exact = {0};
    uint8_t place = lod_take_u8(&c);

    if (place == LOD_REBUILD_SHARED) {
        exact.shared = true;
        exact.slot = lod_take_le16(&c);
    } else if (place == LOD_REBUILD_OWN) {
        exact.header.bytes = lod_take_varint(&c);
        exact.header.at = lod_take(&c, exact.header.bytes);
    }
    if (place > LOD_REBUILD_SHARED || c.short_of_bytes ||
        exact.header.bytes > LOD_REBUILD_HEADER_MAX) {
        return -EILSEQ;
    }
    exact.tail = (struct lod_span){.at = c.at, .bytes = c.left};
    *ret_exact = exact;
    return 0;
}

static int rebuild(const struct lod_rebuild_parts *parts, struct lod_span header,
                   struct lod_span tail, uint8_t *out, size_t bytes)
{
    struct lod_rebuild_trace trace;
    struct lod_jpeg *jpeg = NULL;
    size_t made = 0;

    uint64_t taken = (uint64_t)parts->full.bytes + bytes;
    if (taken >= LOD_REBUILD_MEMORY_MAX) {
        return -E2BIG;
    }
    int error = lod_scans_read(parts->full, LOD_REBUILD_MEMORY_MAX - taken, &jpeg);
    if (!error) {
        error = lod_rebuild_run(parts, jpeg, header, tail, out, bytes, &made, &trace);
    }
    lod_jpeg_destroy(jpeg);
    if (error) {
        return error;
    }
    return made == bytes ? 0 : -EILSEQ;
}

int lod_rebuild_file(struct lod_span full, struct lod_span header, struct lod_span tail,
                     uint8_t *out, size_t bytes)
{
    struct lod_rebuild_parts *parts = malloc(sizeof(*parts));
    if (!parts) {
        return -ENOMEM;
    }
    int error = lod_rebuild_parts_read(full, parts);
    if (!error) {
        error = rebuild(parts, header, tail, out, bytes);
    }
    free(parts);
    return error;
}
