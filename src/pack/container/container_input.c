/* SPDX-License-Identifier: Apache-2.0 */
/* See container_input.h. */
#include "pack/container/container_input.h"

#include <assert.h>

#include "pack/source/place.h"

int lod_container_input_at(struct lod_container_input *input, uint64_t offset, size_t bytes,
                           const uint8_t **ret_at)
{
    assert(bytes <= LOD_CONTAINER_WINDOW && offset <= input->bytes &&
           bytes <= input->bytes - offset);
    if (input->fd < 0) {
        *ret_at = input->memory.at + offset;
        return 0;
    }
    if (offset < input->window_at || offset + bytes > input->window_at + input->window_bytes) {
        size_t wanted = bytes > input->ahead ? bytes : input->ahead;
        wanted = wanted > input->bytes - offset ? (size_t)(input->bytes - offset) : wanted;
        input->window_bytes = 0;
        int error = lod_member_place_pread_file(input->fd, input->window, wanted, offset);
        if (error) {
            return error;
        }
        input->window_at = offset;
        input->window_bytes = wanted;
    }
    *ret_at = input->window + (offset - input->window_at);
    return 0;
}
