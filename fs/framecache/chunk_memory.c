/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages come from mmap. Huge pages are not used: a first touch of one took longer than 512 first
 * touches of small pages. Small chunks come from malloc, since whole pages would waste much of
 * them. See chunk_memory.h.
 */
#include "framecache/chunk_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "framecache/frame_arena.h"

void *lod_chunk_memory(size_t bytes)
{
    void *memory = MAP_FAILED;

    if (bytes < LOD_CHUNK_BYTES_MIN) {
        return malloc(bytes);
    }
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void lod_chunk_memory_free(void *memory, size_t bytes)
{
    if (bytes < LOD_CHUNK_BYTES_MIN) {
        free(memory);
    } else {
        munmap(memory, bytes);
    }
}
