/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to numbers, with the same result on every machine and in every locale. */
#ifndef LOD_TEXT_NUMBER_H
#define LOD_TEXT_NUMBER_H

#include "bytes.h"

#define LOD_NUMBER_TEXT_MAX 512u /* more digits than any double needs; longer text is no number */

enum lod_number {
    LOD_NUMBER,
    LOD_NUMBER_ROUNDED, /* an integer that no double equals, beyond 2^53 */
    LOD_NUMBER_MISSING, /* "", NA, N/A, NaN, null, None, ?, in any case: becomes a quiet NaN */
    LOD_NUMBER_NONE,    /* other text */
};

/*
 * Converts a decimal number with sign, fraction and exponent, or inf, or infinity, with or without
 * spaces around it. Rounds to the nearest double, as strtod does. Sets *ret_number unless it
 * returns NONE.
 */
enum lod_number lod_text_number(struct lod_span text, double *ret_number);

#endif
