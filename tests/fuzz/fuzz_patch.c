/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: any bytes as an L3 stream. All decoders that this processor supports return
 * the same error or the same samples, and write only to the rows of the image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "l3/simd/patch_dispatch.h"
#include "l3/patch/l3_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Larger images would only be slower. */
#define PIXELS_MAX 65536u

static int decode(const struct lod_l3_patch_dispatch *kernels, const struct lod_l3_stream *stream,
                  const uint8_t *data, uint8_t *into, void *work)
{
    size_t stride = lod_l3_row_bytes(&stream->image);
    int r = lod_l3_work_init_with(stream, kernels, work);

    for (uint32_t row = 0; r == 0 && row < stream->rows; row++) {
        uint64_t offset, count;
        lod_l3_band(stream, row, &offset, &count);
        struct lod_span band = {.at = data + offset, .bytes = count};
        r = lod_l3_decode_band(stream, row, band,
                               into + ((size_t)row << stream->side_log2) * stride, stride, work);
    }
    return r;
}

static void expect(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void compare(const struct lod_l3_stream *stream, const uint8_t *data)
{
    size_t size = lod_l3_row_bytes(&stream->image) * stream->image.height;
    uint8_t *reference = malloc(size), *into = malloc(size);
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);

    expect(reference && into && work, "out of memory");
    int expected = decode(&lod_l3_patch_dispatch_scalar, stream, data, reference, work);
    for (unsigned k = 0; lod_l3_patch_dispatch[k]; k++) {
        if (lod_l3_patch_dispatch[k]->supported()) {
            int r = decode(lod_l3_patch_dispatch[k], stream, data, into, work);
            expect(r == expected, lod_l3_patch_dispatch[k]->name);
            expect(r || memcmp(into, reference, size) == 0, lod_l3_patch_dispatch[k]->name);
        }
    }
    free(work);
    free(into);
    free(reference);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lod_l3_stream stream;
    uint64_t head = 0;

    if (bytes < LOD_L3_HEADER_BYTES || lod_l3_head_bytes(data, &head) ||
        lod_l3_stream_open((struct lod_span){.at = data, .bytes = bytes}, bytes, &stream)) {
        return 0;
    }
    expect(head == stream.head_bytes && head <= bytes, "the head is longer than the stream");
    if ((uint64_t)stream.image.width * stream.image.height <= PIXELS_MAX) {
        compare(&stream, data);
    }
    return 0;
}
