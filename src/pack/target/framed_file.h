/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small file that pack keeps beside its records: a magic word, the hash of all that follows, and
 * the contents. It gets its name only when it is complete and on disk. The caller defines the
 * contents.
 */
#ifndef LOD_FRAMED_FILE_H
#define LOD_FRAMED_FILE_H

#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "backend/format.h"

#define LOD_FRAMED_FILE_HEAD 16u /* u64 magic, u64 XXH3-64 of the rest */

struct lod_framed_file_kind {
    const char *name, *tmp, *magic; /* the magic has 8 bytes */
    uint64_t bytes_max;             /* a longer file is not one */
};

/* Begins a file in an empty buffer: its head. The caller appends the contents. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_framed_file_begin(const struct lod_framed_file_kind *kind,
                                         struct lod_buf *file);

/* Fills in the hash, and writes the file by a temporary one, fsync, rename, and fsync of the
 * folder. Returns -E2BIG, or an error such as -ENOSPC. */
LOD_MUST_CHECK int lod_framed_file_write(int dir_fd, const struct lod_framed_file_kind *kind,
                                         struct lod_buf *file);

/* Reads a file into an empty buffer, head included. Returns -ENOENT if there is none, -EBADMSG if
 * it is damaged, -ENOMEM, or an error of reading. */
LOD_MUST_CHECK int lod_framed_file_read(int dir_fd, const struct lod_framed_file_kind *kind,
                                        struct lod_buf *ret_file);

/* Reads the hash in the head of such a file, and no more of it. Returns as lod_framed_file_read. */
LOD_MUST_CHECK int lod_framed_file_peek(int dir_fd, const struct lod_framed_file_kind *kind,
                                        uint64_t *ret_hash);

/* Appends a path as u16 bytes shared with the path before, u16 further bytes, and those. Returns
 * -ENOMEM. */
LOD_MUST_CHECK int lod_framed_file_put_path(struct lod_buf *file, const char *before,
                                            const char *path);

/*
 * Reads such a path. `path` has the previous path, which is replaced. Returns whether the bytes are
 * a path, which may contain a NUL. *ret_bytes is its length. *ret_ascends: it sorts after the
 * previous path.
 */
LOD_MUST_CHECK bool lod_framed_file_take_path(struct lod_cursor *c, char path[LOD_PATH_MAX + 1],
                                              size_t *ret_bytes, bool *ret_ascends);

#endif
