/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about a field that is no number, derived from its text. For messages only. */
#ifndef LOD_TEXT_ADVICE_H
#define LOD_TEXT_ADVICE_H

#include "bytes.h"

/* Returns "write ..", static text, or NULL if the text is not recognised. */
const char *lod_text_advice(struct lod_span field);

#endif
