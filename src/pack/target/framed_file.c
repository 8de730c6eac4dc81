/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a magic word and a hash; see framed_file.h. Little endian. */
#include "pack/target/framed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "hash.h"

#define MAGIC_BYTES 8u
#define HEAD_BYTES  LOD_FRAMED_FILE_HEAD

static uint64_t hash_of(const struct lod_buf *file)
{
    return lod_hash64(file->data + HEAD_BYTES, file->bytes - HEAD_BYTES, 0);
}

int lod_framed_file_begin(const struct lod_framed_file_kind *kind, struct lod_buf *file)
{
    int error = lod_buf_append(file, kind->magic, MAGIC_BYTES);

    return error ? error : lod_buf_append_le(file, 8, 0);
}

int lod_framed_file_write(int dir_fd, const struct lod_framed_file_kind *kind, struct lod_buf *file)
{
    if (file->bytes > kind->bytes_max) {
        return -E2BIG;
    }
    lod_put_le64(file->data + MAGIC_BYTES, hash_of(file));
    int error = lod_file_write(dir_fd, kind->tmp, file->data, file->bytes);
    if (!error && renameat(dir_fd, kind->tmp, dir_fd, kind->name) < 0) {
        error = -errno;
    }
    return error ? error : lod_file_sync(dir_fd);
}

static int read_file(int fd, const struct lod_framed_file_kind *kind, struct lod_buf *file)
{
    struct stat st;

    if (fstat(fd, &st) < 0) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)HEAD_BYTES ||
        (uint64_t)st.st_size > kind->bytes_max) {
        return -EBADMSG;
    }
    int error = lod_buf_reserve(file, (size_t)st.st_size);
    error = error ? error : lod_file_pread(fd, 0, file->data, (size_t)st.st_size);
    if (error) {
        return error;
    }
    file->bytes = (size_t)st.st_size;
    return memcmp(file->data, kind->magic, MAGIC_BYTES) == 0 &&
                   hash_of(file) == lod_get_le64(file->data + MAGIC_BYTES)
               ? 0
               : -EBADMSG;
}

static int open_file(int dir_fd, const struct lod_framed_file_kind *kind, int *ret_fd)
{
    *ret_fd = openat(dir_fd, kind->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return *ret_fd >= 0 ? 0 : errno == ELOOP ? -EBADMSG : -errno;
}

int lod_framed_file_peek(int dir_fd, const struct lod_framed_file_kind *kind, uint64_t *ret_hash)
{
    uint8_t head[HEAD_BYTES];
    int fd = -1;
    int error = open_file(dir_fd, kind, &fd);

    if (error) {
        return error;
    }
    error = lod_file_pread(fd, 0, head, sizeof(head));
    close(fd);
    if (error || memcmp(head, kind->magic, MAGIC_BYTES) != 0) {
        return -EBADMSG;
    }
    *ret_hash = lod_get_le64(head + MAGIC_BYTES);
    return 0;
}

int lod_framed_file_read(int dir_fd, const struct lod_framed_file_kind *kind,
                         struct lod_buf *ret_file)
{
    struct lod_buf file = {0};
    int fd = -1;
    int error = open_file(dir_fd, kind, &fd);

    if (error) {
        return error;
    }
    error = read_file(fd, kind, &file);
    close(fd);
    if (error) {
        lod_buf_finish(&file);
    } else {
        *ret_file = file;
    }
    return error;
}

static size_t shared_bytes(const char *a, const char *b)
{
    size_t bytes = 0;

    while (a[bytes] && a[bytes] == b[bytes]) {
        bytes++;
    }
    return bytes;
}

int lod_framed_file_put_path(struct lod_buf *file, const char *before, const char *path)
{
    const size_t shared = shared_bytes(before, path), rest = strlen(path) - shared;
    int error = lod_buf_append_le(file, 2, shared);

    error = error ? error : lod_buf_append_le(file, 2, rest);
    return error ? error : lod_buf_append(file, path + shared, rest);
}

bool lod_framed_file_take_path(struct lod_cursor *c, char path[LOD_PATH_MAX + 1], size_t *ret_bytes,
                               bool *ret_ascends)
{
    const size_t shared = lod_take_le16(c), rest = lod_take_le16(c);
    const uint8_t *at = lod_take(c, rest);

    if (!at || shared > strlen(path) || shared + rest > LOD_PATH_MAX) {
        return false;
    }
    *ret_ascends = rest && (uint8_t)path[shared] < at[0];
    memcpy(path + shared, at, rest);
    path[shared + rest] = '\0';
    *ret_bytes = shared + rest;
    return true;
}
