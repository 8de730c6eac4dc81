/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that becomes several items: its own, part 0, and those that pack adds to the source list,
 * parts 1 and up. Decided before the order, so that records and numbers do not depend on encoding.
 */
#ifndef LOD_PARTS_H
#define LOD_PARTS_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pack/source.h"

/* One item, and where its bytes come from. */
struct lod_part {
    const struct lod_encoder *encoder;
    uint64_t weight; /* bytes that it takes in a record at most */

    /* `runs` runs of run_bytes each in the file, at offset, offset + stride, .. */
    uint64_t offset, run_bytes, stride;
    uint32_t runs;

    struct lod_span memory; /* runs 0: these */
};

/* Borrowed by the sources of the list; immutable once they point to it. */
struct lod_parts {
    struct lod_part *at;
    uint32_t count;                     /* part 0 included */
    const struct lod_data_table *table; /* what the encoder knows of the file */
};

/* The bytes of a part into `into` (replaced), the file checked before and after. */
LOD_MUST_CHECK int lod_parts_read(int root_fd, const struct lod_source *file,
                                  const struct lod_part *part, bool follow, struct lod_buf *into);

/* Bytes that a file's item takes in a record, as far as that is known before it is encoded. */
uint64_t lod_parts_weight(const struct lod_source *source);

#endif
