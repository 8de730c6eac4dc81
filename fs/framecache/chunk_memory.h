/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for chunks of frame_arena.h: pages of its own from LOD_CHUNK_BYTES_MIN on, else malloc. */
#ifndef LOD_CHUNK_MEMORY_H
#define LOD_CHUNK_MEMORY_H

#include <stddef.h>

/* Returns NULL if memory is exhausted. */
void *lod_chunk_memory(size_t bytes);

/* `bytes` is the size with which the memory was allocated. */
void lod_chunk_memory_free(void *memory, size_t bytes);

#endif
