/* SPDX-License-Identifier: Apache-2.0 */
/* The errors and messages of liblodfs. */
#ifndef LOD_LODFS_ERROR_H
#define LOD_LODFS_ERROR_H

#include <stdarg.h>

#include "compiler.h"
#include "text.h"
#include "api/lodfs.h"

/* Writes the sentence if `into` is not NULL. Returns `error`. */
static inline int lod_say(struct lodfs_error *into, int error, const char *format, ...)
    LOD_PRINTF(3, 4);
static inline int lod_say(struct lodfs_error *into, int error, const char *format, ...)
{
    va_list arguments;

    if (into) {
        va_start(arguments, format);
        lod_vformat(into->message, sizeof(into->message), format, arguments);
        va_end(arguments);
    }
    return error;
}

/* Returns a static text that explains an `error` of stored bytes. */
const char *lod_why(int error);
/* The same for an error of opening or reading a file; -ELOOP: the path names a symbolic link. */
const char *lod_why_file(int error);

/*
 * Writes "BEFORE'PATH': WHY". If PATH is too long to leave room for WHY, only its end is written.
 * Returns `error`.
 */
int lod_say_named(struct lodfs_error *into, int error, const char *before, const char *path,
                  const char *why);

/*
 * Writes the sentence "'PATH': why", by lod_why_file, and returns the errno of lodfs.h for `error`.
 */
LOD_MUST_CHECK int lod_say_path(struct lodfs_error *into, int error, const char *path);

#endif
