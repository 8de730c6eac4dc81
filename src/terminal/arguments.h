/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a command line, and prints the help of a command, by the command's table. */
#ifndef LOD_ARGUMENTS_H
#define LOD_ARGUMENTS_H

#include "compiler.h"
#include "terminal/cmd.h"
#include "pool.h"

/* Rows that several commands have. `field` is LOD_FIELD(type, member). */
#define LOD_ROW_JOBS(field)                                                                        \
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, field, 'j', "jobs", "N", 1, LOD_POOL_THREADS_MAX,            \
                   "use N threads (default: one a processor)")
#define LOD_ROW_JSON(field)          LOD_ROW_FLAG(field, 0, "json", "print one JSON document")
#define LOD_ROW_QUIET(field, help)   LOD_ROW_FLAG(field, 'q', "quiet", help)
#define LOD_ROW_VERBOSE(field, help) LOD_ROW_FLAG(field, 'v', "verbose", help)
/* The field is an int, initially -1: then progress is shown if stderr is a terminal. */
#define LOD_ROW_PROGRESS(field_)                                                                   \
    LOD_ROW_FLAG(                                                                                  \
        field_, 0, "progress",                                                                     \
        "print a progress line; the default is on for a terminal, else a line every 30 seconds"),  \
    {                                                                                              \
        .kind = LOD_OPTION_FLAG, .field = field_, .name = "no-progress",                           \
        .help = "print no progress line"                                                           \
    }

/*
 * Sets the fields of `into` that the command line `argv` or variables name; `argv` goes before
 * variables. Other fields stay as they are. Strings are borrowed from both. Returns 0, or
 * LOD_EXIT_USAGE after a message on stderr.
 */
LOD_MUST_CHECK int lod_arguments_parse(const struct lod_cmd *cmd, int argc, char **argv,
                                       void *into);

/* Prints "lodfs: error: SENTENCE; see lodfs NAME --help" on stderr. Returns LOD_EXIT_USAGE. */
int lod_arguments_refuse(const struct lod_cmd *cmd, const char *format, ...) LOD_PRINTF(2, 3);

/* Parses "K/N" with K < N <= `most`, the value of --rank. Returns 0, or LOD_EXIT_USAGE after a
 * message on stderr. */
LOD_MUST_CHECK int lod_arguments_rank(const struct lod_cmd *cmd, const char *text, uint32_t most,
                                      uint32_t *ret_rank, uint32_t *ret_count);

/* The same for "K/N" with 1 <= K <= N <= `most`, the value of --part. */
LOD_MUST_CHECK int lod_arguments_part(const struct lod_cmd *cmd, const char *text, uint32_t most,
                                      uint32_t *ret_part, uint32_t *ret_count);

/* Prints `lodfs help NAME` on stdout. */
void lod_arguments_help(const struct lod_cmd *cmd);

#endif
