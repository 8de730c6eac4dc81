/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of stored bytes that cannot be served, one line each, and what becomes of the error.
 * Says nothing of errors that are not the store's.
 */
#ifndef LOD_FAILURE_H
#define LOD_FAILURE_H

#include <stdint.h>

#include "compiler.h"
#include "store/index.h"

struct lod_item;

/* Where a read went wrong; group 0: the record itself could not be opened. */
struct lod_failure {
    const struct lod_item *item;
    unsigned group;
    uint64_t frame, offset;
};

/*
 * Logs trouble with a row of the index or with a frame of the store at `location`: `what` is a node
 * or an item. -EIO; 0, -ENOMEM and -EINTR pass as they are, unlogged. Any thread.
 */
LOD_MUST_CHECK int lod_failure_of_row(const char *location, const char *what, uint32_t number,
                                      int error);
LOD_MUST_CHECK int lod_failure_of_frame(struct lod_index *index, const char *location,
                                        const struct lod_failure *failure, int error);

#endif
