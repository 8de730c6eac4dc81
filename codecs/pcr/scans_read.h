/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coefficients of a full file as pack writes it: progressive, 8 bits, complete, no restarts. A
 * third of the time that libjpeg takes, and memory that is known; jpeg_io.h reads any JPEG.
 */
#ifndef LOD_SCANS_READ_H
#define LOD_SCANS_READ_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg_planes.h"

/* -EILSEQ: not such a file, or coefficients of more than `bytes_max` bytes; -ENOMEM. */
LOD_MUST_CHECK int lod_scans_read(struct lod_span file, uint64_t bytes_max,
                                  struct lod_jpeg **ret_jpeg);

#endif
