/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses huge pages where possible. A request is a list of memory segments. A disk that accepts 128
 * segments reads only 512 KiB at a time into pages of 4 KiB. The memory is allocated once, so the
 * cost of its first touch does not matter.
 */
#include "backend/io_buffer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE  (2u << 20)
#define HUGE_BYTES ((LOD_IO_BUFFER_BYTES_MAX + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE)

static uint64_t round_down(uint64_t offset)
{
    return offset - offset % LOD_LOAD_ALIGN;
}

static bool take_memory(struct lod_io_buffer *buffer)
{
    if (!buffer->memory) {
        buffer->memory = aligned_alloc(HUGE_PAGE, HUGE_BYTES);
        if (buffer->memory) {
            (void)madvise(buffer->memory, HUGE_BYTES, MADV_HUGEPAGE); /* small pages work too */
        }
    }
    return buffer->memory;
}

void lod_io_buffer_finish(struct lod_io_buffer *buffer)
{
    free(buffer->memory);
    *buffer = (struct lod_io_buffer){0};
}

void lod_io_buffer_clear(struct lod_io_buffer *buffer)
{
    buffer->from = buffer->to = buffer->fresh = 0;
}

uint64_t lod_io_buffer_reach(uint64_t from)
{
    return round_down(from) + LOD_IO_BUFFER_BYTES;
}

int lod_io_buffer_load(struct lod_io_buffer *buffer, struct lod_object *object, uint64_t from,
                       uint64_t to)
{
    const uint64_t start = round_down(from), reach = start + LOD_IO_BUFFER_BYTES_MAX;
    const uint64_t end = to < reach ? round_down(to + LOD_LOAD_ALIGN - 1) : reach;

    lod_io_buffer_clear(buffer);
    if (!take_memory(buffer)) {
        return -ENOMEM;
    }
    struct lod_read_time time = {0};
    int error = lod_object_load(object, start, buffer->memory, (size_t)(end - start), buffer->class,
                                buffer->parts ? buffer->parts : 1, &time);
    buffer->slowed += time.slowed || error == -ETIMEDOUT;
    if (error) {
        return error;
    }
    uint64_t object_end = lod_object_bytes(object);
    buffer->from = start;
    buffer->to = end < object_end ? end : object_end;
    buffer->fresh = start + time.copied_bytes;
    buffer->copied_bytes += time.copied_bytes;
    buffer->loads++;
    buffer->bytes += buffer->to - buffer->from;
    buffer->ns += time.ns;
    buffer->first_byte_ns += time.first_byte_ns;
    return 0;
}

void lod_io_buffer_offer(struct lod_io_buffer *buffer, struct lod_object *object)
{
    if (buffer->fresh < buffer->to) {
        lod_object_offer(object, buffer->fresh, buffer->memory + (buffer->fresh - buffer->from),
                         (size_t)(buffer->to - buffer->fresh));
        buffer->fresh = buffer->to;
    }
}

const uint8_t *lod_io_buffer_at(const struct lod_io_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    bool here = offset >= buffer->from && offset <= buffer->to && bytes <= buffer->to - offset;

    return here && bytes ? buffer->memory + (offset - buffer->from) : NULL;
}
