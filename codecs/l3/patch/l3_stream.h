/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an L3 stream, group 8 of an image: the head (header, sizes of the patches, tables), then
 * the patches, row by row of the grid (FORMAT.md, L3 stream). A band is the patches of one row of
 * the grid. They are adjacent, so the head and a band's bytes are enough to decode it. Pure and
 * thread-safe; allocates nothing; all input is untrusted.
 *
 *     lod_l3_head_bytes(first LOD_L3_HEADER_BYTES bytes)  returns how many bytes the head has
 *     lod_l3_stream_open(the head)                        checks it
 *     lod_l3_work_init(one thread's working memory)       makes the decoding tables
 *     lod_l3_band(row) and lod_l3_decode_band(its bytes)  as often as needed
 */
#ifndef LOD_L3_STREAM_H
#define LOD_L3_STREAM_H

#include "bytes.h"
#include "compiler.h"
#include "l3/patch/l3_image.h"

#define LOD_L3_HEADER_BYTES  16u
#define LOD_L3_SIDE_LOG2_MIN 5u
#define LOD_L3_SIDE_LOG2_MAX 7u
#define LOD_L3_SIDE_MAX      (1u << LOD_L3_SIDE_LOG2_MAX)

/* The working memory of one thread, aligned to 64 bytes. */
#define LOD_L3_WORK_BYTES (192u << 10)
#define LOD_L3_WORK_ALIGN 64u

struct lod_l3_stream {
    struct lod_l3_image image;
    uint8_t side_log2; /* patches have 2^side_log2 rows and columns; the last ones may have fewer */
    uint32_t columns, rows; /* of the grid of patches */
    struct lod_span sizes;  /* one u32 for each patch; borrowed from the head */
    struct lod_span tables; /* borrowed from the head */
    uint64_t head_bytes;    /* offset of the first patch */
    uint64_t bytes;         /* of the whole stream */
};

/* Returns the size of the whole head, from its first LOD_L3_HEADER_BYTES bytes. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_l3_head_bytes(const uint8_t header[LOD_L3_HEADER_BYTES],
                                     uint64_t *ret_bytes);

/*
 * Checks the head of a stream of `stream_bytes` bytes. `head` has at least the size that
 * lod_l3_head_bytes returned, and is borrowed. Returns -EILSEQ.
 */
LOD_MUST_CHECK int lod_l3_stream_open(struct lod_span head, uint64_t stream_bytes,
                                      struct lod_l3_stream *ret_stream);

/* Returns the pixel rows of band `row`: 2^side_log2, or fewer in the last one. */
uint32_t lod_l3_band_height(const struct lod_l3_stream *stream, uint32_t row);

/* Returns the pixel columns of the patches in grid column `column`; the last may have fewer. */
uint32_t lod_l3_patch_width(const struct lod_l3_stream *stream, uint32_t column);

/* Returns the size of the patch at (row, column) of the grid. */
uint32_t lod_l3_patch_bytes(const struct lod_l3_stream *stream, uint32_t row, uint32_t column);

/* Returns the offset of band `row` in the stream, and its size. */
void lod_l3_band(const struct lod_l3_stream *stream, uint32_t row, uint64_t *ret_offset,
                 uint64_t *ret_bytes);

/*
 * Prepares LOD_L3_WORK_BYTES of memory to decode patches of this stream. Returns -EILSEQ if its
 * tables are malformed.
 */
LOD_MUST_CHECK int lod_l3_work_init(const struct lod_l3_stream *stream, void *work);

/* Decodes all patches of a band. `into` is the first sample of its first row. */
LOD_MUST_CHECK int lod_l3_decode_band(const struct lod_l3_stream *stream, uint32_t row,
                                      struct lod_span band, uint8_t *into, size_t stride,
                                      void *work);

#endif
