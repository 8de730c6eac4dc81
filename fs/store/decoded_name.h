/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of decoded forms (FORMAT.md, Decoded forms): which endings pixels take the place of, and
 * when two names of a folder would become one. Names alone decide, so that pack, repair and verify
 * agree without looking into files.
 */
#ifndef LOD_DECODED_NAME_H
#define LOD_DECODED_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

/* The index-th ending of a picture's name, with its dot; NULL past the last. */
const char *lod_picture_ending(unsigned index);

/* Bytes of `name` without its picture's ending; 0: it has none, or nothing before it. */
size_t lod_picture_stem(const char *name);

/* The names of a folder around one of them, sorted by bytes. */
struct lod_siblings {
    /* The one `distance` places on, back if negative; NULL: past the folder's ends, or unknown. */
    const char *(*at)(void *ctx, long distance);
    void *ctx;
};

/*
 * APPEND: does `name` end like a picture, and another name of its folder is the same stem with such
 * an ending, or ".npy"?
 */
bool lod_picture_shares_stem(const char *name, const struct lod_siblings *siblings);

#endif
