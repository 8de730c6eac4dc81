/* SPDX-License-Identifier: Apache-2.0 */
/* The scan scripts that need no file: data only. What they mean is in script.h. */
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
