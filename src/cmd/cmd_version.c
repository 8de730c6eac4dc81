/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs version */
#include <stdio.h>

#include "terminal/arguments.h"

static const struct lod_option version_options[] = {LOD_ROW_END};

static int run(int argc, char **argv)
{
    int code = lod_arguments_parse(&lod_cmd_version, argc, argv, NULL);

    if (code == LOD_EXIT_OK) {
        puts("lodfs " LODFS_VERSION);
        if (*LODFS_LEFT_OUT) {
            puts("without " LODFS_LEFT_OUT);
        }
    }
    return code;
}

const struct lod_cmd lod_cmd_version = {
    .name = "version", .summary = "print the version", .options = version_options, .run = run};
