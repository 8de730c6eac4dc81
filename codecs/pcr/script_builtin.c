/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scan scripts that need no file: data only. What they mean is in script.h.
 *
 * default is jpegtran's; lean, best and spectral are known improvements and an alternative. The
 * others came out of a search: the bytes of a scan hardly depend on the scans before it and the
 * quality of a prefix depends only on how many bits of each band it has sent, so both were measured
 * once for every state and the cheapest path of ten groups was found exactly, per quality of the
 * source. What the paths have in common:
 *  - all luminance AC in one scan from bit 3 or 4 on, and refined in one: bands of their own cost
 *    more than they give, but for the first step of finely quantised photographs
 *  - chrominance is cheap and soon worth its bytes; its last bit comes before the last two of
 *    luminance
 *  - DC is refined late
 * fine: quality 93 and up; medium: about 85 to 92; coarse: below; tidy: the very scans of default,
 * so no photograph is larger in sum, but the last bit of chrominance before that of luminance.
 */
#include "pcr/script.h"

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
