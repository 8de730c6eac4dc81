/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion of a typed word for shells, computed from the tables of the commands. The scripts in
 * src/completion/ call it as `lodfs __complete WORDS`.
 */
#ifndef LOD_COMPLETE_H
#define LOD_COMPLETE_H

#include <stddef.h>

#include "terminal/cmd.h"

/*
 * Prints completions of the last of `words`, the words after `lodfs`, on stdout. The first line is
 * the kind: "words", "names", "files" or "folders". Then comes a line for each possible word, with
 * a tab and its meaning. "names" are file names, which the shell must quote. For "files" and
 * "folders" the shell adds those that it finds.
 */
void lod_complete(const struct lod_cmd *const *commands, size_t commands_count,
                  const char *const *words, int words_count);

#endif
