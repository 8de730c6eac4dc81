/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the fidelities of a store: bytes, and the MSSIM measured when it was packed; and the
 * scan script of every quantisation class. The manifest's `scans` is untrusted input: values of an
 * unexpected type are left out.
 */
#ifndef LOD_SCAN_REPORT_H
#define LOD_SCAN_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "compiler.h"
#include "totals/store_totals.h"

/* Prints a line for each fidelity: bytes, share of the source, MSSIM over the sample. `scans` may
 * be NULL. */
LOD_MUST_CHECK int lod_scan_report_fidelities(const struct lod_store_totals *totals,
                                              const cJSON *scans, FILE *out);

/*
 * Prints a line for each class in the sample: its script, the number of measured photographs, and
 * the fidelities that reach two values of MSSIM. All other classes share one line.
 */
LOD_MUST_CHECK int lod_scan_report_classes(const cJSON *scans, FILE *out);

/* Prints q1 .. q10 of every class in the sample, beside the values of the default script. */
LOD_MUST_CHECK int lod_scan_report_tables(const cJSON *scans, FILE *out);

#endif
