/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys by which files are ordered: files that are read together have one key, so that they are
 * in one cut. It is no part of the format; the parts of a mount use only keys of names
 * (sample/part.h).
 */
#ifndef LOD_FILE_KEYS_H
#define LOD_FILE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/source/source.h"

/* A stem that more files have is not the name of a sample. */
#define LOD_KEY_FILES_MAX 64u
/* A sample is a lead and at most 32 members (FORMAT.md, Samples): 33 names. */
#define LOD_KEY_ROLES_MAX 33u

/*
 * Makes a key for each FILE of a sorted list, at its index; the keys of other sources are not set.
 * An added file has the key of its owner. With `names_only`, keys never come from folders' names.
 * The caller frees the keys. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_file_keys_make(const struct lod_source_list *list, uint64_t seed,
                                      bool names_only, uint64_t **ret_keys);

#endif
