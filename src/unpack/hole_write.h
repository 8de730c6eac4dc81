/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the bytes of a new file; long runs of zeros become holes, as in unsquashfs. */
#ifndef LOD_HOLE_WRITE_H
#define LOD_HOLE_WRITE_H

#include <stdbool.h>

#include "compiler.h"
#include "read/reader.h"

/* Zeros of the source that are shorter are written, so that a file has few extents. */
#define LOD_HOLE_BYTES 65536u

/*
 * Appends the spans of one read, which are modified, to a new file that is open at its end. Sets
 * *hole if the last bytes became a hole: the file then gets its size from lod_hole_end.
 */
LOD_MUST_CHECK int lod_hole_write(int fd, struct lod_read *read, bool *hole);
LOD_MUST_CHECK int lod_hole_end(int fd, uint64_t bytes, bool hole);

#endif
