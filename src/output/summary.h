/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of pack, as text and as JSON. */
#ifndef LOD_SUMMARY_H
#define LOD_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"
#include "pack/pack.h"

LOD_MUST_CHECK int lod_summary_print(const struct lod_pack_options *options,
                                     const struct lod_pack_result *result, double seconds,
                                     bool verbose, FILE *out);
void lod_summary_json(const struct lod_pack_options *options, const struct lod_pack_result *result,
                      double seconds, FILE *out);

#endif
