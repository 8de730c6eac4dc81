/* SPDX-License-Identifier: Apache-2.0 */
/* The one function that every back end shares; see device.h. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>

int lod_device_why(int error, char *why, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why, LOD_GPU_LABEL, format, args);
    va_end(args);
    return error;
}
