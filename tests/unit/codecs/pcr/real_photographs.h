/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Photographs of the folder LODFS_SAMPLE_DATA, by default shared/data beside the source tree. A
 * test takes those for which share_has() their number.
 */
#ifndef LOD_REAL_PHOTOGRAPHS_H
#define LOD_REAL_PHOTOGRAPHS_H

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "../../../hostile/damage/share.h"

/* Skips the test if there are none. For globfree(). */
static inline void find_photographs(glob_t *ret_found)
{
    const char *folder = getenv("LODFS_SAMPLE_DATA");
    char pattern[4096];

    snprintf(pattern, sizeof(pattern), "%s/clothing/*/*/*.jpg", folder ? folder : "../shared/data");
    if (glob(pattern, 0, NULL, ret_found) != 0) {
        cr_skip("no photographs match %s", pattern);
    }
}

static inline struct lod_buf read_photograph(const char *path)
{
    static uint8_t chunk[65536];
    struct lod_buf file = {0};
    FILE *in = fopen(path, "rb");

    cr_assert_not_null(in);
    for (size_t bytes; (bytes = fread(chunk, 1, sizeof(chunk), in));) {
        cr_assert_eq(lod_buf_append(&file, chunk, bytes), 0);
    }
    fclose(in);
    return file;
}

#endif
