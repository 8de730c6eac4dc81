/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a store for a command: prints the error and chooses the exit code. */
#ifndef LOD_OPEN_STORE_H
#define LOD_OPEN_STORE_H

#include "dataset/dataset.h"
#include "terminal/store_options.h"

/* Opens the store `given`, or the one behind the mount point `given`, with the options of -o.
 * Returns LOD_EXIT_OK, or LOD_EXIT_NO_STORE, LOD_EXIT_USAGE or LOD_EXIT_FAILED after a message on
 * stderr. */
int lod_open_store(const char *given, const struct lod_option_list *words,
                   struct lod_dataset **ret_dataset);

/*
 * Sets *ret_location to the store behind the mount point `given`, for free(); to NULL if `given` is
 * none. Returns LOD_EXIT_OK, or LOD_EXIT_FAILED after a message on stderr.
 */
int lod_store_behind(const char *given, char **ret_location);

/* Prints an error of reading an open store. Returns LOD_EXIT_FAILED. */
int lod_store_failed(const char *location, int error);

#endif
