/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentence that explains an error to people. Functions that open a store, or work on a whole
 * one, take the place for it as their last parameter. It does not replace the errno.
 */
#ifndef LOD_WHY_H
#define LOD_WHY_H

#include "backend/format.h"
#include "compiler.h"

/* Room for two sentences, one with a path in it. */
#define LOD_WHY_BYTES (LOD_PATH_MAX + 512)

/* One line without its end; "" before there is an error, or if its errno says enough. */
struct lod_why {
    char text[LOD_WHY_BYTES];
};

/* Formats the sentence like printf(3), truncated. Returns `error`. */
int lod_refuse(struct lod_why *why, int error, const char *format, ...) LOD_PRINTF(3, 4);

/* Returns the sentence, or if there is none, the description of `error`. */
const char *lod_why_text(const struct lod_why *why, int error);

#endif
