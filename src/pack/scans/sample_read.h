/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files on which scan scripts are measured; sample.h chooses them. */
#ifndef LOD_SAMPLE_READ_H
#define LOD_SAMPLE_READ_H

#include "compiler.h"
#include "pack/source/probe.h"
#include "pack/scans/sample.h"

/* Fills a sample from the FILEs that are encoded.
 * An unreadable source is handled by first_error.h. */
LOD_MUST_CHECK int lod_sample_read(const struct lod_probe *probe, struct lod_sample *sample);

/* Returns the bytes of the files that get scan groups, for struct lod_sample_limits. */
uint64_t lod_sample_jpeg_bytes(const struct lod_source_list *list);

#endif
