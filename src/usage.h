/* SPDX-License-Identifier: Apache-2.0 */
/* What every command says of an option that it does not take. */
#ifndef LOD_USAGE_H
#define LOD_USAGE_H

/*
 * getopt_long, with opterr 0 and a ':' before its letters, returned `option`: '?' or ':'. Says
 * which one of argv it was, and where `command` explains itself. LOD_EXIT_USAGE.
 */
int lod_usage_option(const char *command, int option, char **argv);

#endif
