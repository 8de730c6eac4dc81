/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text tables, the same on every machine and in every locale. */
#ifndef LOD_TEXT_NUMBER_H
#define LOD_TEXT_NUMBER_H

#include "bytes.h"

#define LOD_NUMBER_TEXT_MAX 512u /* more digits than any double needs; longer is no number */

enum lod_number {
    LOD_NUMBER,
    LOD_NUMBER_MISSING, /* "", NA, N/A, NaN, null, None, ?, in any case: a quiet NaN */
    LOD_NUMBER_NONE,    /* other text */
};

/*
 * A decimal number with sign, fraction and exponent, or inf, or infinity; spaces around it are
 * fine. Rounds to the nearest double, as strtod does. *ret_number is set unless it is NONE.
 */
enum lod_number lod_text_number(struct lod_span text, double *ret_number);

#endif
