/* SPDX-License-Identifier: Apache-2.0 */
/* Fills one section of an index file; see section_write.h. */
#include "index/section_write.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "index/blocks.h"
#include "backend/file_io.h"

static int flush(struct lod_section_writer *writer, uint32_t count)
{
    const uint64_t at = (writer->first + writer->blocks - count) * LOD_BLOCK_BYTES;
    const size_t bytes = (size_t)count * LOD_BLOCK_BYTES;

    return !count            ? 0
           : writer->compare ? lod_file_same(writer->fd, at, writer->batch, bytes)
                             : lod_file_pwrite(writer->fd, at, writer->batch, bytes);
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

/* Checks that blocks [at, end) of the file are 0. */
static int compare_gap(int fd, uint64_t at, uint64_t end)
{
    static const uint8_t zeros[LOD_BLOCK_BYTES];
    int error = 0;

    for (; !error && at < end; at++) {
        error = lod_file_same(fd, at * LOD_BLOCK_BYTES, zeros, sizeof(zeros));
    }
    return error;
}

int lod_section_compare_rest(const struct lod_section_writer *sections, unsigned count,
                             const uint8_t first_block[LOD_BLOCK_BYTES])
{
    const int fd = sections[0].fd;
    uint64_t at = 1;
    struct stat st;

    int error = lod_file_same(fd, 0, first_block, LOD_BLOCK_BYTES);
    for (unsigned i = 0; !error && i < count; i++) {
        error = compare_gap(fd, at, sections[i].first);
        at = sections[i].first + sections[i].blocks;
    }
    if (!error && (fstat(fd, &st) < 0 || (uint64_t)st.st_size != at * LOD_BLOCK_BYTES)) {
        error = -ESTALE;
    }
    return error;
}
