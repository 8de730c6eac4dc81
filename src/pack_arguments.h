/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of lodfs pack asks for; pack_help.c explains it, cmd_pack.c does it. */
#ifndef LOD_PACK_ARGUMENTS_H
#define LOD_PACK_ARGUMENTS_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/pack.h"
#include "pcr/script.h"

/* It may point into itself, so it stays where it was parsed; and it borrows from argv. */
struct lod_pack_arguments {
    struct lod_pack_options pack;
    struct lod_script script; /* of --scans, not auto */
    bool json, quiet, verbose;
    int progress; /* 1 on, 0 off, -1: if stderr is a terminal */
};

/* 0, or the exit code of a mistake that stderr was told. */
LOD_MUST_CHECK int lod_pack_arguments_parse(struct lod_pack_arguments *arguments, int argc,
                                            char **argv);

#endif
