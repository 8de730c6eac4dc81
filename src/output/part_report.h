/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of pack --plan and pack --part, as text and as JSON. */
#ifndef LOD_PART_REPORT_H
#define LOD_PART_REPORT_H

#include <stdio.h>

#include "pack/pack.h"

void lod_part_report_print(const struct lod_pack_options *options,
                           const struct lod_pack_result *result, double seconds, FILE *out);
void lod_part_report_json(const struct lod_pack_options *options,
                          const struct lod_pack_result *result, double seconds, FILE *out);

#endif
