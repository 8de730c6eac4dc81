/* SPDX-License-Identifier: Apache-2.0 */
/* Complete reads and writes of local files: they loop over short transfers and EINTR. */
#ifndef LOD_FILE_IO_H
#define LOD_FILE_IO_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/* Reads all of [offset, offset + bytes). Returns -EIO past the end of the file. */
LOD_MUST_CHECK int lod_file_pread(int fd, uint64_t offset, void *into, size_t bytes);

/* Reads from the place of `fd` to the end. Returns -E2BIG if `room` bytes or more are there. */
LOD_MUST_CHECK int lod_file_read_all(int fd, void *into, size_t room, size_t *ret_bytes);

/* Writes all bytes at `offset`. Returns an error such as -ENOSPC. */
LOD_MUST_CHECK int lod_file_pwrite(int fd, uint64_t offset, const void *from, size_t bytes);

/* Compares the file's bytes at `offset`. Returns 0 if they are equal, -ESTALE if they differ or
 * cannot be read. */
LOD_MUST_CHECK int lod_file_same(int fd, uint64_t offset, const void *as, size_t bytes);

LOD_MUST_CHECK int lod_file_sync(int fd);

/* The same of a file or folder by its name in folder `dir_fd`. */
LOD_MUST_CHECK int lod_file_sync_at(int dir_fd, const char *name);

/*
 * Creates or truncates `name` in folder `dir_fd` for writing. Returns -ELOOP for a symbolic link.
 */
LOD_MUST_CHECK int lod_file_create(int dir_fd, const char *name, int *ret_fd);

/* Creates a file so, writes all of it, and waits until it is on disk. */
LOD_MUST_CHECK int lod_file_write(int dir_fd, const char *name, const void *from, size_t bytes);

/* Returns whether `name` in folder `dir_fd` is the file or folder behind `fd`. A lock on a file
 * that another process has replaced or removed excludes nothing. `flags`: those of fstatat. */
bool lod_file_is_named(int fd, int dir_fd, const char *name, int flags);

/* Closes a descriptor; does nothing with -1. */
void lod_file_close(int fd);

/* Opens the names of the folder behind `fd`, from the first one. The caller closes them. Returns
 * NULL with errno. */
DIR *lod_file_names(int fd);

#endif
