/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reads and writes of local files: loops over short transfers and EINTR, nothing else. */
#ifndef LOD_FILE_IO_H
#define LOD_FILE_IO_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/* All of [offset, offset + bytes), or an error; -EIO past the end of the file. */
LOD_MUST_CHECK int lod_file_pread(int fd, uint64_t offset, void *into, size_t bytes);

/* All bytes at `offset`, or an error such as -ENOSPC. */
LOD_MUST_CHECK int lod_file_pwrite(int fd, uint64_t offset, const void *from, size_t bytes);

/* Has the file these bytes at `offset`? 0: it has; -ESTALE: others, or none that can be read. */
LOD_MUST_CHECK int lod_file_same(int fd, uint64_t offset, const void *as, size_t bytes);

LOD_MUST_CHECK int lod_file_sync(int fd);

/* Creates (or empties) `name` in folder `dir_fd` for writing; a symbolic link is -ELOOP. */
LOD_MUST_CHECK int lod_file_create(int dir_fd, const char *name, int *ret_fd);

#endif
