/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huge pages, where there are some: a request is a list of pieces of memory, and a disk that takes
 * 128 of them takes 512 KiB in pages of 4 KiB. The memory is taken once, so what its first touch
 * costs does not matter.
 */
#include "store/stage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "clock.h"

#define HUGE_PAGE  (2u << 20)
#define HUGE_BYTES ((LOD_STAGE_BYTES + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE)

static uint64_t down(uint64_t offset)
{
    return offset - offset % LOD_LOAD_ALIGN;
}

static bool take_memory(struct lod_stage *stage)
{
    if (!stage->memory) {
        stage->memory = aligned_alloc(HUGE_PAGE, HUGE_BYTES);
        if (stage->memory) {
            (void)madvise(stage->memory, HUGE_BYTES, MADV_HUGEPAGE); /* small ones do as well */
        }
    }
    return stage->memory;
}

void lod_stage_finish(struct lod_stage *stage)
{
    free(stage->memory);
    *stage = (struct lod_stage){0};
}

void lod_stage_clear(struct lod_stage *stage)
{
    stage->from = stage->to = 0;
}

uint64_t lod_stage_reach(uint64_t from)
{
    return down(from) + LOD_STAGE_BYTES;
}

int lod_stage_load(struct lod_stage *stage, struct lod_object *object, uint64_t from, uint64_t to)
{
    const uint64_t start = down(from), reach = lod_stage_reach(from);
    const uint64_t end = to < reach ? down(to + LOD_LOAD_ALIGN - 1) : reach;

    lod_stage_clear(stage);
    if (!take_memory(stage)) {
        return -ENOMEM;
    }
    uint64_t began = lod_clock_ns();
    int error = lod_object_load(object, start, stage->memory, (size_t)(end - start));
    if (error) {
        return error;
    }
    uint64_t object_end = lod_object_bytes(object);
    stage->from = start;
    stage->to = end < object_end ? end : object_end;
    stage->loads++;
    stage->bytes += stage->to - stage->from;
    stage->ns += lod_clock_ns() - began;
    return 0;
}

const uint8_t *lod_stage_at(const struct lod_stage *stage, uint64_t offset, uint64_t bytes)
{
    bool here = offset >= stage->from && offset <= stage->to && bytes <= stage->to - offset;

    return here && bytes ? stage->memory + (offset - stage->from) : NULL;
}
