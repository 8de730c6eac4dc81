/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single values of the manifest's `scans`, which is untrusted input: a value of an unexpected type
 * counts as absent.
 */
#ifndef LOD_SCAN_FACTS_H
#define LOD_SCAN_FACTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "terminal/report.h"

#define LOD_SCAN_GROUPS     10
#define LOD_SCAN_NAME_BYTES 64

/* Returns the number object[key]; 0 if there is none. */
double lod_scan_number(const cJSON *object, const char *key);

/* Reads element `index` of ten numbers object[key]. Returns false if there is none. */
bool lod_scan_number_at(const cJSON *object, const char *key, int index, double *ret_number);

/* Writes the name of a class's script, escaped for a terminal. Returns `text`. */
const char *lod_scan_name(const cJSON *class, char text[LOD_SCAN_NAME_BYTES]);

/* Writes the lowest q whose MSSIM is at least `wanted`, and its bytes; "-" if there is none or it
 * was not measured. */
void lod_scan_reach(const cJSON *class, double wanted, char text[LOD_REPORT_TEXT]);

#endif
