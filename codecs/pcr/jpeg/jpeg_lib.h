/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjpeg, for the sources that call it: its errors, and the beginning of a file. Only this header
 * includes jpeglib.h.
 */
#ifndef LOD_JPEG_LIB_H
#define LOD_JPEG_LIB_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "bytes.h"
#include "compiler.h"

/*
 * libjpeg reports errors by longjmp. A warning that coefficients of the file were lost is
 * remembered. Nothing is printed.
 */
struct lod_jpeg_failure {
    struct jpeg_error_mgr base;
    jmp_buf escape;   /* set by the caller before libjpeg runs */
    const char *lost; /* why data was lost although libjpeg continued */
};

/* Returns the error manager of libjpeg, for `info.err`. */
struct jpeg_error_mgr *lod_jpeg_failure_init(struct lod_jpeg_failure *failure);

/*
 * Returns the errno for the error that ended libjpeg's call: -ENOMEM, or -ENOTSUP with a static
 * text in *ret_why.
 */
LOD_MUST_CHECK int lod_jpeg_failure_errno(const struct lod_jpeg_failure *failure,
                                          const char **ret_why);

/* Creates `info` and reads the file's header; the caller has called setjmp, and destroys `info`.
 * `bytes_max` limits libjpeg's memory. */
void lod_jpeg_start(struct jpeg_decompress_struct *info, struct lod_span file, uint64_t bytes_max);

#endif
