/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a field that is no number, told from how it looks; for sentences alone. */
#ifndef LOD_TEXT_ADVICE_H
#define LOD_TEXT_ADVICE_H

#include "bytes.h"

/* "write ..", a static text; NULL: nothing is known about such text. */
const char *lod_text_advice(struct lod_span field);

#endif
