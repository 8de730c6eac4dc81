/* SPDX-License-Identifier: Apache-2.0 */
/* libjpeg's error manager as jpeg_io.c uses it; nobody else includes this. */
#ifndef LOD_JPEG_FAILURE_H
#define LOD_JPEG_FAILURE_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct lod_jpeg_failure {
    struct jpeg_error_mgr base;
    jmp_buf escape;   /* set by the caller before libjpeg runs */
    const char *lost; /* why data was lost although libjpeg went on */
};

struct jpeg_error_mgr *lod_jpeg_failure_init(struct lod_jpeg_failure *failure);

/* The errno for the error libjpeg left with. */
int lod_jpeg_failure_errno(const struct lod_jpeg_failure *failure, const char **ret_why);

#endif
