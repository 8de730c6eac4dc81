/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs version */
#include "cmd.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "lodfs: %s takes no arguments\n", argv[0]);
        return LOD_EXIT_USAGE;
    }
    puts("lodfs " LODFS_VERSION);
    return LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_version = {
    .name = "version", .usage = "", .summary = "print the version", .run = run};
