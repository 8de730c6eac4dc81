/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that the walkers of all containers share; see containers.h. */
#include <errno.h>
#include <stdarg.h>

#include "pack/container/containers.h"
#include "text.h"

int lod_container_refuse(struct lod_container_walk *walk, uint64_t at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    lod_vformat(walk->why, sizeof(walk->why), format, arguments);
    va_end(arguments);
    walk->why_at = at;
    return -EILSEQ;
}

int lod_container_take(struct lod_container_walk *walk, uint64_t offset, size_t bytes,
                       const uint8_t **ret_at)
{
    const struct lod_container_input *input = walk->input;

    if (offset > input->bytes || bytes > input->bytes - offset) {
        return lod_container_refuse(walk, walk->at, "the file ends inside of it, and is cut");
    }
    return lod_container_input_at(walk->input, offset, bytes, ret_at);
}
