/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--scans`: which scan script each quantisation class of a source gets, decided by measurement on
 * a sample before the first item is encoded, and the table of what was measured, as the manifest
 * keeps it. The same sample gives the same answer on any number of threads.
 */
#ifndef LOD_SCANS_H
#define LOD_SCANS_H

#include <cjson/cJSON.h>

#include "compiler.h"
#include "pack/sample.h"
#include "pcr/script.h"
#include "pool.h"

/* All zero before choose; do not copy the struct: `choice` points into it. */
struct lod_scans {
    struct lod_scan_choice choice; /* for struct lod_encode_options */

    /*
     * The manifest's `scans`; owned, set to NULL where handed on. NULL: no photograph was measured
     * (a source without JPEGs). Numbers are rounded to 4 decimals.
     *  { "scripts": { NAME: TEXT, ... },             those that a class below names
     *    "classes": [ one a class, 0 .. 5:
     *      { "class": 0, "script": NAME,
     *        "samples": 12,                          of this class; too few: tables are of all
     *        "measured": "class" | "all",
     *        "bytes": [10 numbers],                  q1 .. q10 / source bytes, mean
     *        "mssim": [10 numbers],
     *        "default": { "bytes": [10], "mssim": [10] } }, ... ] }
     */
    cJSON *table;

    struct lod_script fixed; /* the script given by hand, if any */
};

/*
 * Resolves --scans=WANTED, not "auto": a built-in name, else a file to read. -EILSEQ, or the error
 * of the file; then `why` (of `room` bytes) says what is wrong and where, without the name.
 */
LOD_MUST_CHECK int lod_scans_load(const char *wanted, struct lod_script *ret_script, char *why,
                                  size_t room);

/*
 * Chooses among the built-in scripts (`fixed` NULL), or takes `fixed`, a copy of which is kept, and
 * only measures it. ret_scans is initialised here and belongs to lod_scans_finish. -ENOMEM.
 */
LOD_MUST_CHECK int lod_scans_choose(struct lod_pool *pool, const struct lod_sample *sample,
                                    const struct lod_script *fixed, struct lod_scans *ret_scans);
void lod_scans_finish(struct lod_scans *scans);

#endif
