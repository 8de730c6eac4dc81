/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the coefficients of a file at full as pack writes it: progressive, 8 bits, complete,
 * without restarts. It takes a third of libjpeg's time, and a known amount of memory. jpeg_io.h
 * reads any JPEG.
 */
#ifndef LOD_SCANS_READ_H
#define LOD_SCANS_READ_H

#include <stdbool.h>

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/jpeg_planes.h"

/*
 * `file` is such a file or the beginning of one. Checks that a decoder gets from it the
 * coefficients and tables of `jpeg`. Compares each bit that its scans send, except padding. With
 * `complete` all bits must be sent. Returns -EBADMSG if they differ, -EILSEQ if it is not such a
 * file, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_scans_check(struct lod_span file, const struct lod_jpeg *jpeg,
                                   bool complete);

/* Returns -EILSEQ if it is not such a file, or its coefficients need more than `bytes_max` bytes,
 * or -ENOMEM. */
LOD_MUST_CHECK int lod_scans_read(struct lod_span file, uint64_t bytes_max,
                                  struct lod_jpeg **ret_jpeg);

#endif
