/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store for a command that reads it: the error printed, the exit code chosen. */
#ifndef LOD_OPEN_STORE_H
#define LOD_OPEN_STORE_H

#include <stdint.h>

#include "dataset.h"

/* LOD_EXIT_OK, LOD_EXIT_NO_STORE or LOD_EXIT_FAILED; a sentence is on stderr unless OK. */
int lod_open_store(const char *location, struct lod_dataset **ret_dataset);

/* Prints what went wrong while reading an open store. Returns LOD_EXIT_FAILED. */
int lod_store_failed(const char *location, int error);

/* The two halves of a stored time. */
static inline int64_t lod_mtime_seconds(int64_t mtime)
{
    return mtime >> 30;
}

static inline uint32_t lod_mtime_nanoseconds(int64_t mtime)
{
    return (uint32_t)(mtime & (((int64_t)1 << 30) - 1));
}

#endif
