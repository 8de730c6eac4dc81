/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs version */
#include <stdio.h>

#include "terminal/arguments.h"

struct arguments {
    bool json;
};

static const struct lod_option version_options[] = {
    LOD_ROW_JSON(LOD_FIELD(struct arguments, json)),
    LOD_ROW_END,
};

static void print_json(void)
{
    struct lod_json json = {.out = {.file = stdout}};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "version", LODFS_VERSION);
    lod_json_text(&json, "without", LODFS_LEFT_OUT);
    lod_json_end(&json);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.json = false};
    int code = lod_arguments_parse(&lod_cmd_version, argc, argv, &arguments);

    if (code == LOD_EXIT_OK && arguments.json) {
        print_json();
    } else if (code == LOD_EXIT_OK) {
        puts("lodfs " LODFS_VERSION);
        if (*LODFS_LEFT_OUT) {
            puts("without " LODFS_LEFT_OUT);
        }
    }
    return code;
}

const struct lod_cmd lod_cmd_version = {
    .name = "version", .summary = "print the version", .options = version_options, .run = run};
