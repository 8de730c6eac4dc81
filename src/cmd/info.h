/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that `lodfs info` collects from a store (cmd_info.c), and their output. */
#ifndef LOD_INFO_H
#define LOD_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "list.h"
#include "option.h"
#include "terminal/store_totals.h"

struct lod_info {
    const char *store;
    struct lod_option_list words; /* of -o */
    struct lod_dataset *dataset;
    struct lod_index *index;
    const struct lod_manifest *manifest;
    bool json, verbose;
    struct lod_store_totals totals;
    uint64_t folders, symlinks, aliases;
    uint64_t record_bytes;
    uint32_t *names;          /* of every item: files that share it */
    LOD_LIST(uint32_t) whole; /* own nodes of items stored whole */
};

/* Print the facts on stdout, as text and as a JSON document. Return -ENOMEM, or an error of reading
 * the index. */
LOD_MUST_CHECK int lod_info_print(const struct lod_info *info);
LOD_MUST_CHECK int lod_info_print_json(const struct lod_info *info);

#endif
