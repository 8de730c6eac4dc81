/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for pack's summary and for info: how a store holds its JPEGs, and for which use that is
 * best. */
#ifndef LOD_PHOTO_REPORT_H
#define LOD_PHOTO_REPORT_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "totals/store_totals.h"

/*
 * Prints nothing if there are no JPEGs in scan groups. `full` is the value of --full, "source" or
 * "scans"; NULL if that is not known, and then the majority of the items decides.
 */
void lod_photo_report_kind(const struct lod_store_totals *totals, const char *full, FILE *out);

/*
 * Prints the size that the store would have with the other value of --full; `store_bytes` is its
 * size. `scans` is the manifest's table, or NULL. Prints nothing if the size is not known.
 */
void lod_photo_report_other(const struct lod_store_totals *totals, const cJSON *scans,
                            uint64_t store_bytes, FILE *out);

#endif
