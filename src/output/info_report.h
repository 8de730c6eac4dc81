/* SPDX-License-Identifier: Apache-2.0 */
/* The options and the result of `lodfs info` (cmd_info.c), and its output. */
#ifndef LOD_INFO_REPORT_H
#define LOD_INFO_REPORT_H

#include <stdbool.h>

#include "compiler.h"
#include "option.h"
#include "totals/sample_totals.h"
#include "totals/store_facts.h"

struct lod_info {
    const char *store;
    struct lod_option_list words; /* of -o */
    struct lod_dataset *dataset;
    bool json, verbose;
    struct lod_store_facts facts;
    struct lod_sample_totals samples;
};

/* Print the facts on stdout, as text and as a JSON document. Return -ENOMEM, or an error of reading
 * the index. */
LOD_MUST_CHECK int lod_info_print(const struct lod_info *info);
LOD_MUST_CHECK int lod_info_print_json(const struct lod_info *info);

#endif
