/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fidelities cost and are worth: bytes of a store by fidelity beside the MSSIM measured when
 * it was packed, and the scan script of every quantisation class. Reads the manifest's `scans` as
 * a stranger's: what has another shape is left out, never trusted.
 */
#ifndef LOD_SCAN_REPORT_H
#define LOD_SCAN_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "compiler.h"
#include "tally.h"

/* A line a fidelity: bytes, share of the source, MSSIM over the sample (`scans` may be NULL). */
LOD_MUST_CHECK int lod_scan_report_fidelities(const struct lod_tally *tally, const cJSON *scans,
                                              FILE *out);

/*
 * A line a class met in the sample: its script, how many photographs were measured, what it
 * reaches; one line for all other classes.
 */
LOD_MUST_CHECK int lod_scan_report_classes(const cJSON *scans, FILE *out);

/* q1 .. q10 of every class met, beside what the default script gives. */
LOD_MUST_CHECK int lod_scan_report_tables(const cJSON *scans, FILE *out);

#endif
