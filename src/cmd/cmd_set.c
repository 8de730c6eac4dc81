/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs set MOUNT auto=F: switches the fidelity of a running mount. */
#include <string.h>
#include <unistd.h>

#include "terminal/arguments.h"
#include "terminal/mount_client.h"

struct set {
    const char *mount, *word;
    enum lod_fidelity fidelity;
};

/* The settings. */
static const struct lod_option settings[] = {
    LOD_ROW_FIDELITY(LOD_FIELD(struct set, fidelity), "auto", LOD_FULL, NULL),
    LOD_ROW_END,
};

static const struct lod_option set_options[] = {
    LOD_ROW_OPERAND(LOD_FIELD(struct set, mount), "MOUNT", 1, LOD_NAMES_MOUNTS),
    {.kind = LOD_OPTION_OPERAND,
     .field = LOD_FIELD(struct set, word),
     .min = 1,
     .name = "auto=F",
     .settings = settings},
    LOD_ROW_END,
};

static int run(int argc, char **argv)
{
    struct set set = {.mount = NULL};
    char takes[LOD_OPTION_TEXT_BYTES];
    int fd = -1, code = lod_arguments_parse(&lod_cmd_set, argc, argv, &set);

    if (code) {
        return code;
    }
    const struct lod_option *setting = lod_option_find(settings, set.word);
    const char *value = strchr(set.word, '=');
    if (!setting || !value) {
        return lod_arguments_refuse(&lod_cmd_set, "the setting is auto=F");
    }
    if (lod_option_set(setting, value + 1, &set)) {
        return lod_arguments_refuse(&lod_cmd_set, "%s %s", setting->name,
                                    lod_option_takes(setting, takes));
    }
    int error = lod_mount_client_open(set.mount, "control", &fd);
    if (!error) {
        error = lod_mount_client_set(fd, set.mount, set.fidelity);
        close(fd);
    }
    return error ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

const struct lod_cmd lod_cmd_set = {
    .name = "set",
    .summary = "switch the fidelity of a running mount",
    .about = "Points the link MOUNT/auto, and those in decoded/, native/, recordio/, tar/ and "
             "tfrecord/, to fidelity F: q1 .. q10 or full. Files opened through the links from "
             "then on have that fidelity; open files keep theirs. Only root and the user who "
             "mounted the store may do this.",
    .options = set_options,
    .run = run,
};
