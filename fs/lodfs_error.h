/* SPDX-License-Identifier: Apache-2.0 */
/* How liblodfs says what went wrong. */
#ifndef LOD_LODFS_ERROR_H
#define LOD_LODFS_ERROR_H

#include <stdarg.h>
#include <stdio.h>

#include "compiler.h"
#include "lodfs.h"

/* The sentence, if somebody wants it. Returns `error`. */
static inline int lod_say(struct lodfs_error *into, int error, const char *format, ...)
    LOD_PRINTF(3, 4);
static inline int lod_say(struct lodfs_error *into, int error, const char *format, ...)
{
    va_list arguments;

    if (into) {
        va_start(arguments, format);
        vsnprintf(into->message, sizeof(into->message), format, arguments);
        va_end(arguments);
    }
    return error;
}

#endif
