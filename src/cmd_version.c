/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs version */
#include "cmd.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("lodfs " LODFS_VERSION);
    return LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_version = {
    .name = "version", .usage = "", .summary = "print the version", .run = run};
