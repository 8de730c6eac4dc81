/* SPDX-License-Identifier: Apache-2.0 */
/* See decoded_name.h. */
#include "index/decoded_name.h"

#include <string.h>

static const char *const endings[] = {
    ".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".jpe", ".jfif", ".bmp",
    ".BMP", ".ppm",  ".pgm", ".pbm", ".pnm",  ".PPM", ".PGM", ".PBM",  ".PNM",
};

#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

const char *lod_picture_ending(unsigned index)
{
    return index < ENDINGS ? endings[index] : NULL;
}

static bool is_picture_ending(const char *text)
{
    for (unsigned i = 0; i < ENDINGS; i++) {
        if (strcmp(text, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

size_t lod_picture_stem(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && is_picture_ending(dot) ? (size_t)(dot - name) : 0;
}

/* Searches the names next to `name` in one direction. Names that begin with the stem and a dot are
 * adjacent. */
static bool shares(const char *name, size_t stem, const struct lod_siblings *siblings, long step)
{
    const char *other;

    for (long i = step; (other = siblings->at(siblings->ctx, i)); i += step) {
        if (strncmp(name, other, stem + 1) != 0) {
            return false;
        }
        if (is_picture_ending(other + stem) || strcmp(other + stem, ".npy") == 0) {
            return true;
        }
    }
    return false;
}

bool lod_picture_shares_stem(const char *name, const struct lod_siblings *siblings)
{
    size_t stem = lod_picture_stem(name);

    return stem && (shares(name, stem, siblings, 1) || shares(name, stem, siblings, -1));
}
