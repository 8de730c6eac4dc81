/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a source inside of a container; see place.h. */
#include "pack/source/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "castagnoli.h"

#define CHUNK_BYTES ((size_t)256 << 10)

int lod_member_place_pread_file(int fd, void *into, size_t bytes, uint64_t offset)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t got = pread(fd, (char *)into + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got ? -errno : -ESTALE;
        }
        done += (size_t)got;
    }
    return 0;
}

int lod_member_place_pread(int fd, const struct lod_member_place *place, void *into, size_t bytes,
                           uint64_t offset)
{
    uint8_t *at = into;
    int error = 0;

    if (offset < place->head_bytes) {
        const size_t part = lod_least(place->head_bytes - offset, bytes);
        memcpy(at, place->head + offset, part);
        at += part;
        bytes -= part;
        offset = 0;
    } else {
        offset -= place->head_bytes;
    }
    for (uint32_t i = 0; !error && bytes && i < place->runs; i++) {
        const struct lod_run *run = &place->run[i];
        if (offset >= run->bytes) {
            offset -= run->bytes;
            continue;
        }
        const size_t part = lod_least(run->bytes - offset, bytes);
        error = lod_member_place_pread_file(fd, at, part, run->offset + offset);
        at += part;
        bytes -= part;
        offset = 0;
    }
    return error ? error : bytes ? -ESTALE : 0;
}

uint64_t lod_member_place_bytes(const struct lod_member_place *place)
{
    uint64_t bytes = place->head_bytes;

    for (uint32_t i = 0; i < place->runs; i++) {
        bytes += place->run[i].bytes;
    }
    return bytes;
}

int lod_member_place_check_sum(int fd, const struct lod_member_place *place)
{
    uint8_t *chunk = place->summed ? malloc(CHUNK_BYTES) : NULL;
    uint32_t sum = 0;
    int error = place->summed && !chunk ? -ENOMEM : 0;

    for (uint64_t done = 0; !error && place->summed && done < place->sum_bytes;
         done += CHUNK_BYTES) {
        const size_t bytes = lod_least(place->sum_bytes - done, CHUNK_BYTES);
        error = lod_member_place_pread_file(fd, chunk, bytes, place->sum_at + done);
        sum = error ? 0 : lod_crc32c(sum, chunk, bytes);
    }
    free(chunk);
    return error ? error : place->summed && sum != place->sum ? -EBADMSG : 0;
}
