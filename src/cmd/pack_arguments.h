/* SPDX-License-Identifier: Apache-2.0 */
/* The parsed command line of lodfs pack, which cmd_pack.c executes. */
#ifndef LOD_PACK_ARGUMENTS_H
#define LOD_PACK_ARGUMENTS_H

#include <stdbool.h>

#include "compiler.h"
#include "option.h"
#include "pack/pack.h"
#include "pcr/jpeg/script.h"

/* It may point into itself, so it must not be moved after parsing. It borrows from argv. */
struct lod_pack_arguments {
    const struct lod_cmd *cmd; /* whose arguments they are */
    struct lod_pack_options pack;
    struct lod_script script;             /* of --scans, if that is not auto or light */
    bool scans_alone;                     /* --full=scans */
    char splits[LOD_SPLITS_TEXT_MAX + 1]; /* of --splits, as words */
    struct lod_option_list exclude_from;
    const char *part; /* --part, or NULL */
    uint8_t from;     /* --from: 0 a folder, else 1 + the index of a container's row */
    bool json, quiet, verbose;
    int progress; /* 1: on, 0: off, -1: on if stderr is a terminal */
};

extern const struct lod_option lod_pack_rows[];

/* Returns 0, or an exit code after a message on stderr, which names the command. */
LOD_MUST_CHECK int lod_pack_arguments_parse(const struct lod_cmd *cmd,
                                            struct lod_pack_arguments *arguments, int argc,
                                            char **argv);

#endif
