/* SPDX-License-Identifier: Apache-2.0 */
/* argv[1] -> a row of the command table. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

static const struct lod_cmd *const commands[] = {
    &lod_cmd_version,
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i]->name) == 0) {
            return commands[i]->run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "usage: lodfs COMMAND\n");
    return LOD_EXIT_USAGE;
}
