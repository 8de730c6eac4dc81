/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in scan scripts, as data; script.h describes the form.
 *
 * default is that of jpegtran; lean, best and spectral are known improvements and an alternative.
 * The others were found by a search. The bytes of a scan hardly depend on the scans before it, and
 * the quality of a prefix depends only on the bits of each band that it has sent. So both were
 * measured once for every state, and the cheapest path of ten groups was computed for several
 * qualities of the source. Common properties of these paths:
 *  - All luminance AC is sent in one scan from bit 3 or 4 on, and refined in one. Separate bands
 * cost more than they give, except for the first step of finely quantised photographs.
 *  - Chrominance is cheap, so it comes early; its last bit comes before the last two of luminance.
 *  - DC is refined late.
 *
 * The script fine is for quality 93 and up, medium for about 85 to 92, coarse for less. tidy has
 * the scans of default, so the total size is the same, but sends the last bit of chrominance before
 * luminance's.
 */
#include "pcr/jpeg/script.h"

static const struct lod_script builtin[] = {
    {.name = "default",
     .count = 10,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
               {2, 1, {0}, 1, 5, 0, 2},
               {3, 1, {2}, 1, 63, 0, 1},
               {4, 1, {1}, 1, 63, 0, 1},
               {5, 1, {0}, 6, 63, 0, 2},
               {6, 1, {0}, 1, 63, 2, 1},
               {7, 3, {0, 1, 2}, 0, 0, 1, 0},
               {8, 1, {2}, 1, 63, 1, 0},
               {9, 1, {1}, 1, 63, 1, 0},
               {10, 1, {0}, 1, 63, 1, 0}}},
    {.name = "lean",
     .count = 15,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
               {2, 1, {0}, 1, 5, 0, 3},
               {3, 1, {0}, 6, 63, 0, 3},
               {4, 1, {1}, 1, 63, 0, 3},
               {4, 1, {2}, 1, 63, 0, 3},
               {5, 1, {0}, 1, 63, 3, 2},
               {6, 1, {1}, 1, 63, 3, 2},
               {6, 1, {2}, 1, 63, 3, 2},
               {7, 1, {0}, 1, 63, 2, 1},
               {8, 1, {1}, 1, 63, 2, 1},
               {8, 1, {2}, 1, 63, 2, 1},
               {8, 3, {0, 1, 2}, 0, 0, 1, 0},
               {9, 1, {0}, 1, 63, 1, 0},
               {10, 1, {1}, 1, 63, 1, 0},
               {10, 1, {2}, 1, 63, 1, 0}}},
    {.name = "best",
     .count = 23,
     .scans =
         {{1, 3, {0, 1, 2}, 0, 0, 0, 2}, {2, 1, {0}, 1, 5, 0, 4},       {3, 1, {0}, 6, 63, 0, 4},
          {4, 1, {1}, 1, 5, 0, 4},       {4, 1, {2}, 1, 5, 0, 4},       {4, 1, {0}, 1, 5, 4, 3},
          {5, 1, {0}, 1, 5, 3, 2},       {5, 1, {0}, 6, 63, 4, 3},      {5, 1, {1}, 6, 63, 0, 4},
          {5, 1, {2}, 6, 63, 0, 4},      {6, 1, {0}, 6, 63, 3, 2},      {6, 1, {1}, 1, 63, 4, 3},
          {6, 1, {2}, 1, 63, 4, 3},      {7, 3, {0, 1, 2}, 0, 0, 2, 1}, {7, 1, {1}, 1, 63, 3, 2},
          {7, 1, {2}, 1, 63, 3, 2},      {7, 1, {0}, 1, 63, 2, 1},      {8, 1, {1}, 1, 63, 2, 1},
          {8, 1, {2}, 1, 63, 2, 1},      {9, 3, {0, 1, 2}, 0, 0, 1, 0}, {9, 1, {0}, 1, 63, 1, 0},
          {10, 1, {1}, 1, 63, 1, 0},     {10, 1, {2}, 1, 63, 1, 0}}},
    {.name = "spectral",
     .count = 11,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 0},
               {2, 1, {0}, 1, 2, 0, 0},
               {3, 1, {0}, 3, 5, 0, 0},
               {4, 1, {0}, 6, 9, 0, 0},
               {5, 1, {0}, 10, 14, 0, 0},
               {6, 1, {1}, 1, 63, 0, 0},
               {6, 1, {2}, 1, 63, 0, 0},
               {7, 1, {0}, 15, 20, 0, 0},
               {8, 1, {0}, 21, 27, 0, 0},
               {9, 1, {0}, 28, 41, 0, 0},
               {10, 1, {0}, 42, 63, 0, 0}}},
    {.name = "fine",
     .count = 17,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 2},
               {2, 1, {0}, 1, 5, 0, 4},
               {3, 1, {0}, 6, 63, 0, 4},
               {4, 1, {1}, 1, 63, 0, 3},
               {4, 1, {2}, 1, 63, 0, 3},
               {5, 1, {0}, 1, 63, 4, 3},
               {6, 1, {1}, 1, 63, 3, 2},
               {6, 1, {2}, 1, 63, 3, 2},
               {6, 1, {1}, 1, 63, 2, 1},
               {6, 1, {2}, 1, 63, 2, 1},
               {7, 1, {0}, 1, 63, 3, 2},
               {8, 3, {0, 1, 2}, 0, 0, 2, 1},
               {8, 1, {1}, 1, 63, 1, 0},
               {8, 1, {2}, 1, 63, 1, 0},
               {9, 3, {0, 1, 2}, 0, 0, 1, 0},
               {9, 1, {0}, 1, 63, 2, 1},
               {10, 1, {0}, 1, 63, 1, 0}}},
    {.name = "medium",
     .count = 11,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
               {2, 1, {0}, 1, 63, 0, 4},
               {3, 1, {1}, 1, 63, 0, 1},
               {3, 1, {2}, 1, 63, 0, 1},
               {4, 1, {0}, 1, 63, 4, 3},
               {5, 1, {0}, 1, 63, 3, 2},
               {6, 1, {2}, 1, 63, 1, 0},
               {7, 1, {1}, 1, 63, 1, 0},
               {8, 1, {0}, 1, 63, 2, 1},
               {9, 3, {0, 1, 2}, 0, 0, 1, 0},
               {10, 1, {0}, 1, 63, 1, 0}}},
    {.name = "coarse",
     .count = 10,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
               {2, 1, {0}, 1, 63, 0, 3},
               {3, 1, {2}, 1, 63, 0, 1},
               {4, 1, {1}, 1, 63, 0, 1},
               {5, 1, {0}, 1, 63, 3, 2},
               {6, 1, {2}, 1, 63, 1, 0},
               {7, 1, {1}, 1, 63, 1, 0},
               {8, 1, {0}, 1, 63, 2, 1},
               {9, 3, {0, 1, 2}, 0, 0, 1, 0},
               {10, 1, {0}, 1, 63, 1, 0}}},
    {.name = "tidy",
     .count = 10,
     .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
               {2, 1, {0}, 1, 5, 0, 2},
               {3, 1, {2}, 1, 63, 0, 1},
               {4, 1, {1}, 1, 63, 0, 1},
               {5, 1, {0}, 6, 63, 0, 2},
               {6, 1, {2}, 1, 63, 1, 0},
               {7, 1, {1}, 1, 63, 1, 0},
               {8, 1, {0}, 1, 63, 2, 1},
               {9, 3, {0, 1, 2}, 0, 0, 1, 0},
               {10, 1, {0}, 1, 63, 1, 0}}},
};

const struct lod_script *lod_script_builtin(unsigned index)
{
    return index < sizeof(builtin) / sizeof(builtin[0]) ? &builtin[index] : NULL;
}

const struct lod_script *lod_script_named(const char *name)
{
    for (unsigned i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++) {
        if (strcmp(builtin[i].name, name) == 0) {
            return &builtin[i];
        }
    }
    return NULL;
}
