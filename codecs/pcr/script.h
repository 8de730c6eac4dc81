/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan scripts: which coefficients each scan group carries (FORMAT.md, pcr; pcr.md of the paper's
 * scheme). A script is written for a colour image of three components; lod_script_fit adapts it.
 * The text form is one scan group a line, scans in jpegtran's -scans syntax separated by ';'.
 */
#ifndef LOD_SCRIPT_H
#define LOD_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_SCRIPT_GROUPS     10 /* q1 .. q10 */
#define LOD_SCRIPT_SCANS_MAX  64 /* in all groups together */
#define LOD_SCRIPT_TEXT_MAX   8192
#define LOD_SCRIPT_COMPONENTS 4

/* One progressive scan: spectral band first..last, successive approximation high -> low. */
struct lod_scan {
    uint8_t group; /* 1 .. 10 */
    uint8_t count; /* components, 1 .. 4; more than one only for first == last == 0 */
    uint8_t component[LOD_SCRIPT_COMPONENTS];
    uint8_t first, last;
    uint8_t high, low;
};

struct lod_script {
    char name[32];
    unsigned count;
    struct lod_scan scans[LOD_SCRIPT_SCANS_MAX]; /* groups never decrease */
};

/*
 * Parses a script. On -EILSEQ, *ret_why is a static text and *ret_line the line (from 1). Checked
 * like libjpeg does: every coefficient of every one of three components is carried down to bit 0,
 * DC before AC, refinements in order and by one bit; and the first group carries the DC of all
 * three, so that q1 is an image. Blank lines and '#' comments are skipped.
 */
LOD_MUST_CHECK int lod_script_parse(const char *name, struct lod_span text,
                                    struct lod_script *ret_script, unsigned *ret_line,
                                    const char **ret_why);

/* Prints the text form into `text` (NUL-terminated, cut at `room`); returns its full length. */
size_t lod_script_print(const struct lod_script *script, char *text, size_t room);

/*
 * Adapts a script to an image: components it lacks are dropped from each scan, an emptied scan
 * vanishes (its group may become empty); the second of two components is scanned like 1 and the
 * fourth like 0. `blocks[c]` = blocks of component c in an MCU: an interleaved scan of more than
 * 10 blocks is split into one scan a component. `components` 1 .. 4.
 */
void lod_script_fit(const struct lod_script *script, unsigned components, const uint8_t *blocks,
                    struct lod_script *ret_fitted);

/* Built-in scripts: default, lean, best, spectral and those found since. NULL past the last. */
const struct lod_script *lod_script_builtin(unsigned index);
const struct lod_script *lod_script_named(const char *name);

/*
 * Quantisation classes: a function of the luminance table alone, so that threads, parts and
 * restarts agree. Class 0 is the finest quantisation.
 */
#define LOD_QUANT_CLASSES 6
/* The order of the table's entries does not matter. */
unsigned lod_quant_class(const uint16_t table[64]);

/*
 * The scripts of a store. For each class: the chosen script first, then those to try when an item
 * grows by more than 3 % + 512 bytes. Scripts are borrowed.
 */
#define LOD_SCRIPTS_MAX 8
struct lod_scan_choice {
    struct {
        unsigned count; /* 1 .. LOD_SCRIPTS_MAX */
        const struct lod_script *scripts[LOD_SCRIPTS_MAX];
    } classes[LOD_QUANT_CLASSES];
};

#endif
