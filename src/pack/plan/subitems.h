/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that becomes several items: part 0 is its own, and pack adds parts 1 and up to the source
 * list. They are decided before the order, so that records and numbers do not depend on encoding.
 */
#ifndef LOD_SUBITEMS_H
#define LOD_SUBITEMS_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pack/source/source.h"

/* One item, and the origin of its bytes. */
struct lod_part {
    const struct lod_encoder *encoder;
    uint64_t weight; /* upper bound of its bytes in a record */

    /* The bytes are `runs` runs of run_bytes each in the file, at offset, offset + stride, .. */
    uint64_t offset, run_bytes, stride;
    uint32_t runs;

    struct lod_span memory; /* the bytes if runs is 0 */
};

/* Borrowed by the sources of the list; immutable once they point to it. */
struct lod_subitems {
    struct lod_part *at;
    uint32_t count;                     /* part 0 included */
    const struct lod_data_table *table; /* for the encoder */
};

/* Reads the bytes of a part into `into`, replacing its contents.
 * Checks the file before and after. */
LOD_MUST_CHECK int lod_subitems_read(int root_fd, const struct lod_source *file,
                                     const struct lod_part *part, bool follow,
                                     struct lod_buf *into);

/* Returns the bytes of a file's item in a record, as known before it is encoded. */
uint64_t lod_subitems_weight(const struct lod_source *source);

#endif
