/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs set MOUNT auto=F */
#include "cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dial.h"
#include "usage.h"

#define WORD "auto="

static const struct option long_options[] = {{0}};

static int usage(const char *sentence)
{
    fprintf(stderr, "lodfs: %s; see lodfs set --help\n", sentence);
    return LOD_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    int fd = -1;

    opterr = 0;
    optind = 0;
    int option = getopt_long(argc, argv, ":", long_options, NULL);
    if (option != -1) {
        return lod_usage_option("set", option, argv);
    }
    if (argc - optind != 2) {
        return usage("set takes a MOUNT and auto=F");
    }
    const char *mount = argv[optind], *word = argv[optind + 1];
    if (strncmp(word, WORD, strlen(WORD)) != 0) {
        return usage("what can be set is auto=F");
    }
    const char *name = word + strlen(WORD);
    enum lod_fidelity fidelity = lod_fidelity_parse(name, strlen(name));
    if (!lod_control_may_be(fidelity)) {
        return usage("auto takes q1 .. q10 or full");
    }
    int error = lod_dial_open(mount, &fd);
    if (!error) {
        error = lod_dial_set(fd, mount, fidelity);
        close(fd);
    }
    return error ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_set = {
    .name = "set",
    .usage = "MOUNT auto=F",
    .summary = "switch the fidelity of a running mount",
    .help = "Leads MOUNT/auto, and `auto` in the folders of formats, to fidelity F: q1 ..\n"
            "q10 or full. Whoever opens a file through it from then on reads that fidelity;\n"
            "files that are open keep theirs. Only root and the one who mounted may.\n",
    .run = run,
};
