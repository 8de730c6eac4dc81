/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of a source inside of a container, such as a member of a tar. Its bytes are a few bytes
 * in memory, then runs of the container's bytes. It is read where it lies.
 */
#ifndef LOD_PLACE_H
#define LOD_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define LOD_PLACE_HEAD_MAX 11u

struct lod_source;

struct lod_run {
    uint64_t offset, bytes;
};

/* Immutable, and borrowed by its source. */
struct lod_member_place {
    const struct lod_source *container; /* the file, with its path, size and identity */
    uint64_t at;                        /* byte of the container where the record begins */
    uint64_t sum_at, sum_bytes;         /* summed: the bytes that `sum` is the CRC-32C of */
    uint32_t sum;
    int32_t label;   /* see struct lod_member */
    uint32_t record; /* number of the record in the container, from 0 */
    uint32_t runs;
    bool summed;
    bool ended; /* see struct lod_member */
    uint8_t head_bytes;
    uint8_t head[LOD_PLACE_HEAD_MAX];
    struct lod_run run[];
};

/* Reads all of [offset, offset + bytes) of the file `fd`. Returns -ESTALE if it is shorter. */
LOD_MUST_CHECK int lod_member_place_pread_file(int fd, void *into, size_t bytes, uint64_t offset);

/* Reads [offset, offset + bytes) of `head` and `runs` that follow it. -ESTALE: the file has become
 * shorter, or there are fewer bytes. */
LOD_MUST_CHECK int lod_member_place_pread(int fd, const struct lod_member_place *place, void *into,
                                          size_t bytes, uint64_t offset);

/* Returns the sum of head and runs. */
uint64_t lod_member_place_bytes(const struct lod_member_place *place);

/* Reads the summed bytes. Returns -EBADMSG if their CRC differs; 0 if there is none. */
LOD_MUST_CHECK int lod_member_place_check_sum(int fd, const struct lod_member_place *place);

#endif
