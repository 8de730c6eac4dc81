/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes rebuild data, and checks it by rebuilding. FORMAT.md, Rebuild data; rebuild.h reads it.
 */
#ifndef LOD_REBUILD_WRITE_H
#define LOD_REBUILD_WRITE_H

#include "buf.h"
#include "pcr/exact/rebuild.h"
#include "pcr/jpeg/jpeg_planes.h"

/*
 * If rebuild data is larger than a tenth of the file and 1 KiB, without the bytes after EOI, it is
 * not worth the time of rebuilding, and the item is KEPT.
 */
#define LOD_REBUILD_DIVISOR 10
#define LOD_REBUILD_BYTES   1024

struct lod_rebuild_made {
    struct lod_buf header; /* the same for all files of one encoder and setting */
    struct lod_buf tail;   /* this file's own */
    bool patched;          /* some bytes of scans are copied in the tail */
};

void lod_rebuild_made_finish(struct lod_rebuild_made *made);

/*
 * `jpeg` has the coefficients of `source` and of `full`; its padding blocks are overwritten. On
 * success the file was rebuilt and compared with the source byte by byte. Returns -ENOTSUP with a
 * static text in *ret_why if the item must be KEPT, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_rebuild_make(struct lod_span source, struct lod_jpeg *jpeg,
                                    struct lod_span full, struct lod_rebuild_made *ret_made,
                                    const char **ret_why);

/* Append rebuild data with a header part of its own, or with that of an earlier slot. */
LOD_MUST_CHECK int lod_rebuild_join(const struct lod_rebuild_made *made, struct lod_buf *out);
LOD_MUST_CHECK int lod_rebuild_join_shared(uint16_t slot, struct lod_span tail,
                                           struct lod_buf *out);

#endif
