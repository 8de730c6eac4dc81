/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An L3 stream, the bytes of group 1 of an image, read: head {header, sizes of the patches,
 * tables}, then the patches, row by row of the grid (FORMAT.md, L3 stream). The patches of one row
 * of the grid are a band; they lie side by side, so whoever has the head and a band's bytes can
 * decode it. Pure and thread-safe; nothing is allocated, all input is untrusted.
 *
 *     lod_l3_head_bytes(first LOD_L3_HEADER_BYTES bytes)  how many bytes the head has
 *     lod_l3_stream_open(the head)                        checks it
 *     lod_l3_work_init(work of one thread)                decoding tables
 *     lod_l3_band(row) and lod_l3_decode_band(its bytes)  as often as wanted
 */
#ifndef LOD_L3_STREAM_H
#define LOD_L3_STREAM_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_image.h"

#define LOD_L3_HEADER_BYTES  16u
#define LOD_L3_SIDE_LOG2_MIN 5u
#define LOD_L3_SIDE_LOG2_MAX 7u
#define LOD_L3_SIDE_MAX      (1u << LOD_L3_SIDE_LOG2_MAX)

/* Memory one thread works in, aligned to 64 bytes. */
#define LOD_L3_WORK_BYTES (192u << 10)
#define LOD_L3_WORK_ALIGN 64u

struct lod_l3_stream {
    struct lod_l3_image image;
    uint8_t side_log2;      /* patches have 2^side_log2 rows and columns, but for the last ones */
    uint32_t columns, rows; /* of the grid of patches */
    struct lod_span sizes;  /* u32 a patch; borrowed from the head */
    struct lod_span tables; /* borrowed from the head */
    uint64_t head_bytes;    /* the first patch begins here */
    uint64_t bytes;         /* of the whole stream */
};

/* From the first LOD_L3_HEADER_BYTES bytes, the bytes of the whole head. -EILSEQ. */
LOD_MUST_CHECK int lod_l3_head_bytes(const uint8_t header[LOD_L3_HEADER_BYTES],
                                     uint64_t *ret_bytes);

/*
 * Checks a head, of as many bytes as lod_l3_head_bytes says or more, of a stream of `stream_bytes`
 * bytes. What is opened borrows the head. -EILSEQ.
 */
LOD_MUST_CHECK int lod_l3_stream_open(struct lod_span head, uint64_t stream_bytes,
                                      struct lod_l3_stream *ret_stream);

/* Pixel rows of band `row`: 2^side_log2, or fewer in the last one. */
uint32_t lod_l3_band_height(const struct lod_l3_stream *stream, uint32_t row);

/* Pixel columns of a patch in column `column` of the grid: as many, or fewer in the last one. */
uint32_t lod_l3_patch_width(const struct lod_l3_stream *stream, uint32_t column);

/* Bytes of the patch at (row, column) of the grid. */
uint32_t lod_l3_patch_bytes(const struct lod_l3_stream *stream, uint32_t row, uint32_t column);

/* Where in the stream band `row` lies. */
void lod_l3_band(const struct lod_l3_stream *stream, uint32_t row, uint64_t *ret_offset,
                 uint64_t *ret_bytes);

/* Readies LOD_L3_WORK_BYTES of memory to decode patches of this stream. -EILSEQ: its tables. */
LOD_MUST_CHECK int lod_l3_work_init(const struct lod_l3_stream *stream, void *work);

/*
 * Decodes the patch at (row, column) of the grid from its bytes: to `into` the sample at its top
 * left, further rows `stride` bytes apart. -EILSEQ; the patch's place in `into` is then undefined.
 */
LOD_MUST_CHECK int lod_l3_decode_patch(const struct lod_l3_stream *stream, uint32_t row,
                                       uint32_t column, struct lod_span patch, uint8_t *into,
                                       size_t stride, void *work);

/* The same for all patches of a band; `into` is the first sample of its first row. */
LOD_MUST_CHECK int lod_l3_decode_band(const struct lod_l3_stream *stream, uint32_t row,
                                      struct lod_span band, uint8_t *into, size_t stride,
                                      void *work);

#endif
