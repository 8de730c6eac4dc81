/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan scripts list the coefficients of each scan group (FORMAT.md, pcr). A script is made for a
 * colour image of three components; lod_script_fit adapts it to others. The text form has one scan
 * group a line, with scans in jpegtran's -scans syntax, separated by ';'.
 */
#ifndef LOD_SCRIPT_H
#define LOD_SCRIPT_H

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
 * Parses a script. On -EILSEQ, *ret_why is a static text and *ret_line the line, from 1. Checks the
 * same rules as libjpeg: every coefficient of all three components is sent down to bit 0, DC before
 * AC, refinements in order and by one bit. Also, the first group has the DC of all three, so that
 * q1 is an image. Skips blank lines and '#' comments.
 */
LOD_MUST_CHECK int lod_script_parse(const char *name, struct lod_span text,
                                    struct lod_script *ret_script, unsigned *ret_line,
                                    const char **ret_why);

/* Prints the text form into `text` (NUL-terminated, cut at `room`); returns its full length. */
size_t lod_script_print(const struct lod_script *script, char *text, size_t room);

/*
 * Adapts a script to an image of `components` components, 1 .. 4:
 * - Components that the image lacks are dropped. A scan without components is removed; its group
 * may become empty.
 * - The second of two components is scanned like 1, and the fourth like 0.
 * - `blocks[c]` is the number of blocks of component c in an MCU. An interleaved scan of more than
 * 10 blocks is split into one scan for each component.
 */
void lod_script_fit(const struct lod_script *script, unsigned components, const uint8_t *blocks,
                    struct lod_script *ret_fitted);

/* Removes the groups after `last`. */
void lod_script_cut(struct lod_script *script, unsigned last);

/* Returns a built-in script, such as default, lean, best or spectral; NULL after the last. */
const struct lod_script *lod_script_builtin(unsigned index);
const struct lod_script *lod_script_named(const char *name);

/*
 * Quantisation classes depend only on the luminance table, so they are the same for all threads,
 * parts and restarts. Class 0 has the finest quantisation.
 */
#define LOD_QUANT_CLASSES 6
/* Returns the class. The order of the table's entries does not matter. */
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
