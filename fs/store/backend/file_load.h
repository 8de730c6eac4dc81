/* SPDX-License-Identifier: Apache-2.0 */
/* Large reads of a local file, through the page cache or past it. It knows nothing of stores. */
#ifndef LOD_FILE_LOAD_H
#define LOD_FILE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/*
 * Both functions read [offset, offset + bytes) of the file `fd` in as few requests as the kernel
 * allows. `offset` and `into` are multiples of LOD_LOAD_ALIGN, and `into` holds
 * lod_load_whole(bytes). They return -EIO if the file ends earlier.
 */

/* Leaves the bytes in the page cache and reads nothing beyond them. */
LOD_MUST_CHECK int lod_file_load_shared(int fd, uint64_t offset, void *into, size_t bytes);

/* Leaves no copy in the page cache, unless most of it is there already. */
LOD_MUST_CHECK int lod_file_load_private(int fd, uint64_t offset, void *into, size_t bytes);

/* Returns in *ret_is whether all of [offset, offset + bytes) is in the page cache, or being read
 * into it. Causes no I/O. Returns -ENOTSUP before Linux 6.5. */
LOD_MUST_CHECK int lod_file_in_memory(int fd, uint64_t offset, size_t bytes, bool *ret_is);

#endif
