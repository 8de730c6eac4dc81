/* SPDX-License-Identifier: Apache-2.0 */
/* The records that have the files below a path. */
#ifndef LOD_WARM_RECORDS_H
#define LOD_WARM_RECORDS_H

#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "list.h"

/* All zero: none. */
struct lod_warm_records {
    uint8_t *wanted;    /* a byte for each record of the store */
    LOD_LIST(uint32_t); /* their numbers, ascending */
};

/* Adds those of a file or of all files below a folder; "": of the whole store. -ENOENT, -ENOTDIR;
 * -EIO: the index is damaged. */
LOD_MUST_CHECK int lod_warm_records_add(struct lod_warm_records *records,
                                        struct lod_dataset *dataset, const char *path);
void lod_warm_records_finish(struct lod_warm_records *records);

#endif
