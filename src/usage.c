/* SPDX-License-Identifier: Apache-2.0 */
/* See usage.h. */
#include "usage.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "log.h"

int lod_usage_option(const char *command, int option, char **argv)
{
    char letter[3] = {'-', (char)optopt, '\0'}, text[256];
    /* A letter may stand in a cluster, and getopt has perhaps not gone past it. */
    bool is_letter = optopt > 0 && optopt < 0x7f && strncmp(argv[optind - 1], "--", 2) != 0;
    const char *word = is_letter ? letter : argv[optind - 1];

    lod_escape(word, strlen(word), text, sizeof(text));
    fprintf(stderr, "lodfs: %s '%s'; see lodfs %s --help\n",
            option == ':' ? "a value is missing after" : "unknown option", text, command);
    return LOD_EXIT_USAGE;
}
