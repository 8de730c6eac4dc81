/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names under decoded/ (FORMAT.md, Decoded forms): which endings are replaced, and when two names
 * of a folder would become equal. Only names decide, so that pack, repair and verify agree without
 * reading files.
 */
#ifndef LOD_DECODED_NAME_H
#define LOD_DECODED_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the index-th ending of picture files, with its dot; NULL past the last. */
const char *lod_picture_ending(unsigned index);

/* Returns the bytes of `name` before the ending of a picture file; 0 if it has no such ending or no
 * stem. */
size_t lod_picture_stem(const char *name);

/* The names of a folder around one of them, sorted by bytes. */
struct lod_siblings {
    /*
     * Returns the name `distance` places after it, or before it if negative; NULL if there is none.
     */
    const char *(*at)(void *ctx, long distance);
    void *ctx;
};

/*
 * Returns whether the flag APPEND must be set: `name` has the ending of a picture file, and another
 * name of its folder has the same stem and such an ending or ".npy".
 */
bool lod_picture_shares_stem(const char *name, const struct lod_siblings *siblings);

#endif
