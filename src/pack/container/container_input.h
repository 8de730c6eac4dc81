/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a container, read a header at a time through a small window. Contents are skipped.
 */
#ifndef LOD_CONTAINER_INPUT_H
#define LOD_CONTAINER_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_CONTAINER_WINDOW ((size_t)8 << 10) /* limit of the bytes that are read at once */

struct lod_container_input {
    int fd;                 /* -1: the bytes are in `memory` */
    struct lod_span memory; /* borrowed */
    uint64_t bytes;
    size_t ahead; /* lower limit of the bytes that are read at once, unless the file ends earlier */
    uint64_t window_at;
    size_t window_bytes;
    uint8_t window[LOD_CONTAINER_WINDOW];
};

/*
 * Returns `bytes` bytes at `offset`, which must be inside of the container, borrowed until the next
 * call. At most LOD_CONTAINER_WINDOW. Returns -ESTALE if the file has become shorter, or -EIO.
 */
LOD_MUST_CHECK int lod_container_input_at(struct lod_container_input *input, uint64_t offset,
                                          size_t bytes, const uint8_t **ret_at);

#endif
