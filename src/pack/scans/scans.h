/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--scans`: chooses the scan script of each quantisation class by measuring a sample, before the
 * first item is encoded, and makes the table of measurements for the manifest. The same sample
 * gives the same choice on any number of threads.
 */
#ifndef LOD_SCANS_H
#define LOD_SCANS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "backend/why.h"
#include "compiler.h"
#include "pack/scans/likeness.h"
#include "pack/scans/sample.h"
#include "pcr/jpeg/script.h"

/* The choices that --scans and --full made. */
struct lod_scans_options {
    const struct lod_script *fixed; /* NULL: choose among the built-in ones */
    unsigned top;                   /* of struct lod_encode_options */
    bool light;                     /* decoding time counts too */
};

/* Returns the number of scripts that are compared, for struct lod_sample_limits. */
unsigned lod_scans_compared(const struct lod_scans_options *options);

/* All zero before lod_scans_choose. Do not copy the struct: `choice` points into it. */
struct lod_scans {
    struct lod_scan_choice choice; /* for struct lod_encode_options */

    /*
     * The manifest's `scans`, owned; a caller that takes it sets it to NULL. NULL if no photograph
     * was measured, as in a source without JPEGs. Numbers have 4 decimals.
     *
     * Members:
     *
     * - "scripts": {NAME: TEXT, ..}, the scripts that a class names.
     * - "classes": [..], a row for each class, 0 .. 5; see below.
     * - "store": {"photographs": 120, "mssim": [10], "within": [10]}, of the whole store.
     * - "scans_share": .95, with --full=source: the size with --full=scans.
     *
     * Members of a class:
     *
     * - "class": 0, "script": NAME.
     * - "seen": 80, photographs of this class in the files read.
     * - "samples": 12, those of them that were measured to choose.
     * - "measured": "class" or "all"; with too few samples the tables are of all classes.
     * - "bytes": [10], q1 .. q10 / source bytes.
     * - "mssim": [10], the means.
     * - "decode": [10], the estimated time to decode / that of the source.
     * - "default": {"bytes": [10], "mssim": [10], "decode": [10]}, the same of the default script.
     */
    cJSON *table;

    struct lod_script fixed; /* the script of --scans=FILE or NAME, if any */
    struct lod_likeness likeness;
};

/*
 * Resolves --scans=WANTED, other than auto and light: a built-in name, or a file. Returns -EILSEQ
 * or the error of the file. `why` then says it without the name.
 */
LOD_MUST_CHECK int lod_scans_load(const char *wanted, struct lod_script *ret_script,
                                  struct lod_why *why);

/*
 * Chooses among the built-in scripts. If the options name a script, copies it and only measures it.
 * Initialises ret_scans, which belongs to lod_scans_finish. Returns -ENOMEM or -EINTR.
 */
LOD_MUST_CHECK int lod_scans_choose(const struct lod_measure_run *run,
                                    const struct lod_sample *sample,
                                    const struct lod_scans_options *options,
                                    struct lod_scans *ret_scans);

/* Adds "store" to the table; `sums` are those of all packed photographs. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_scans_add_store(struct lod_scans *scans,
                                       const struct lod_likeness_sums *sums);
void lod_scans_finish(struct lod_scans *scans);

#endif
