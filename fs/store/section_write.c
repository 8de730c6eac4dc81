/* SPDX-License-Identifier: Apache-2.0 */
/* Filling one section of an index file; see section_write.h. */
#include "store/section_write.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "store/blocks.h"
#include "store/file_io.h"

static int flush(struct lod_section_writer *writer, uint32_t count)
{
    uint64_t block = writer->first + writer->blocks - count;

    return count ? lod_file_pwrite(writer->fd, block * LOD_BLOCK_BYTES, writer->batch,
                                   (size_t)count * LOD_BLOCK_BYTES)
                 : 0;
}

/* Seals the block in progress; writes the batch when it is full. */
static int next_block(struct lod_section_writer *writer)
{
    uint8_t *block = writer->batch[writer->blocks % LOD_SECTION_BATCH];

    if (writer->blocks > UINT32_MAX) {
        return -E2BIG;
    }
    memset(block + writer->used, 0, LOD_BLOCK_PAYLOAD - writer->used);
    lod_block_seal(block, writer->seed, writer->section, (uint32_t)writer->blocks);
    writer->used = 0;
    writer->blocks++;
    return writer->blocks % LOD_SECTION_BATCH == 0 ? flush(writer, LOD_SECTION_BATCH) : 0;
}

int lod_section_append(struct lod_section_writer *writer, const void *data, uint32_t bytes,
                       uint64_t *ret_at)
{
    assert(bytes >= 1 && bytes <= LOD_BLOCK_PAYLOAD);
    if (bytes > LOD_BLOCK_PAYLOAD - writer->used) {
        int error = next_block(writer);
        if (error) {
            return error;
        }
    }
    memcpy(writer->batch[writer->blocks % LOD_SECTION_BATCH] + writer->used, data, bytes);
    if (ret_at) {
        *ret_at = writer->blocks * LOD_BLOCK_BYTES + writer->used;
    }
    writer->used += bytes;
    return 0;
}

int lod_section_finish(struct lod_section_writer *writer)
{
    int error = writer->used ? next_block(writer) : 0;

    return error ? error : flush(writer, (uint32_t)(writer->blocks % LOD_SECTION_BATCH));
}
