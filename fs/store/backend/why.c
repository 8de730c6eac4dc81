/* SPDX-License-Identifier: Apache-2.0 */
/* See why.h. */
#include "backend/why.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lod_refuse(struct lod_why *why, int error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
    return error;
}

const char *lod_why_text(const struct lod_why *why, int error)
{
    return why->text[0] ? why->text : strerrordesc_np(-error);
}
