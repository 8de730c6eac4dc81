/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes rebuild data, and proves it by rebuilding. FORMAT.md, Rebuild data; exact.h reads it.
 */
#ifndef LOD_EXACT_WRITE_H
#define LOD_EXACT_WRITE_H

#include "buf.h"
#include "pcr/exact.h"
#include "pcr/jpeg_planes.h"

/*
 * Rebuild data of more than a tenth of the file and 1 KiB, bytes behind EOI aside, is not worth the
 * time it takes to use: KEPT.
 */
#define LOD_EXACT_DIVISOR 10
#define LOD_EXACT_BYTES   1024

struct lod_exact_made {
    struct lod_buf header; /* the same for all files of one encoder and setting */
    struct lod_buf tail;   /* this file's own */
    bool patched;          /* nearly exact: some bytes are in the tail as they were */
};

void lod_exact_made_finish(struct lod_exact_made *made);

/*
 * `jpeg`: the coefficients of `source`; `again`: those read back from `full`, padded here and good
 * for nothing else afterwards. The file rebuilt from `again` was compared with the source byte by
 * byte. -ENOTSUP: it is to be KEPT, *ret_why a static text; -ENOMEM.
 */
LOD_MUST_CHECK int lod_exact_make(struct lod_span source, struct lod_jpeg *jpeg,
                                  struct lod_span full, struct lod_jpeg *again,
                                  struct lod_exact_made *ret_made, const char **ret_why);

/* Rebuild data with a header part of its own, or with that of an earlier slot. */
LOD_MUST_CHECK int lod_exact_join(const struct lod_exact_made *made, struct lod_buf *out);
LOD_MUST_CHECK int lod_exact_join_shared(uint16_t slot, struct lod_span tail, struct lod_buf *out);

#endif
