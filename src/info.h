/* SPDX-License-Identifier: Apache-2.0 */
/* What `lodfs info` found in a store (cmd_info.c), and its two ways to say it. */
#ifndef LOD_INFO_H
#define LOD_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"
#include "list.h"
#include "tally.h"

struct lod_info {
    const char *store;
    struct lod_dataset *dataset;
    struct lod_index *index;
    const struct lod_manifest *manifest;
    bool json, verbose;
    struct lod_tally tally;
    uint64_t folders, symlinks, aliases;
    uint64_t record_bytes;
    uint32_t *names;          /* of every item: files that share it */
    LOD_LIST(uint32_t) whole; /* own nodes of items stored whole */
};

/* For people, and as one JSON document, on stdout. -ENOMEM; what reading the index gives. */
LOD_MUST_CHECK int lod_info_print(const struct lod_info *info);
LOD_MUST_CHECK int lod_info_print_json(const struct lod_info *info);

#endif
