/* SPDX-License-Identifier: Apache-2.0 */
/* See hole_write.h. Most reads have no hole, and are written by one call. */
#include "unpack/hole_write.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns whether the first LOD_HOLE_BYTES are zeros. */
static bool is_hole(const struct iovec *span)
{
    const uint8_t *bytes = span->iov_base;

    return span->iov_len >= LOD_HOLE_BYTES && bytes[0] == 0 &&
           memcmp(bytes, bytes + 1, LOD_HOLE_BYTES - 1) == 0;
}

static void skip(struct iovec *span, size_t bytes)
{
    span->iov_base = (char *)span->iov_base + bytes;
    span->iov_len -= bytes;
}

/* Returns how many bytes come before the next hole of the span. */
static size_t data_bytes(struct iovec span)
{
    const size_t all = span.iov_len;

    while (span.iov_len && !is_hole(&span)) {
        skip(&span, span.iov_len < LOD_HOLE_BYTES ? span.iov_len : LOD_HOLE_BYTES);
    }
    return all - span.iov_len;
}

/* Writes spans [*at, end), which have no hole. */
static int write_data(int fd, struct iovec *spans, unsigned *at, unsigned end)
{
    while (*at < end) {
        ssize_t wrote = writev(fd, spans + *at, (int)(end - *at));
        if (wrote < 0 && errno != EINTR) {
            return -errno;
        }
        size_t left = wrote < 0 ? 0 : (size_t)wrote;
        while (*at < end && left >= spans[*at].iov_len) {
            left -= spans[(*at)++].iov_len;
        }
        if (*at < end) {
            skip(spans + *at, left);
        }
    }
    return 0;
}

/* Writes a span that has zeros to be stored as holes, or consists of them. */
static int write_sparse(int fd, struct iovec span, bool *hole)
{
    int error = 0;

    for (size_t bytes; !error && span.iov_len; skip(&span, bytes)) {
        unsigned at = 0;
        *hole = is_hole(&span);
        bytes = *hole ? LOD_HOLE_BYTES : data_bytes(span);
        struct iovec data = {span.iov_base, bytes};
        error = !*hole                                  ? write_data(fd, &data, &at, 1)
                : lseek(fd, (off_t)bytes, SEEK_CUR) < 0 ? -errno
                                                        : 0;
    }
    return error;
}

int lod_hole_write(int fd, struct lod_read *read, bool *hole)
{
    unsigned at = 0;
    int error = 0;

    while (!error && at < read->count) {
        unsigned end = at;
        while (end < read->count && data_bytes(read->iov[end]) == read->iov[end].iov_len) {
            end++;
        }
        *hole = *hole && end == at;
        error = write_data(fd, read->iov, &at, end);
        if (!error && at < read->count) {
            error = write_sparse(fd, read->iov[at++], hole);
        }
    }
    return error;
}

int lod_hole_end(int fd, uint64_t bytes, bool hole)
{
    return hole && ftruncate(fd, (off_t)bytes) ? -errno : 0;
}
