/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares every patch decoder of the dispatch table with the reference: the same samples from
 * valid streams, the same verdict on damaged ones, and no write outside the patch. Streams end
 * where their memory ends, so that a sanitizer sees a read past it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "l3/simd/patch_dispatch.h"
#include "l3_samples.h"

#define GUARD 64u

/* Decodes all bands; returns the first error. */
static int decode_all(const struct lod_l3_patch_dispatch *kernels,
                      const struct lod_l3_stream *stream, struct lod_span bytes, uint8_t *into,
                      size_t stride, void *work)
{
    int r = lod_l3_work_init_with(stream, kernels, work);

    for (uint32_t row = 0; r == 0 && row < stream->rows; row++) {
        uint64_t offset, count;
        lod_l3_band(stream, row, &offset, &count);
        struct lod_span band = {.at = bytes.at + offset, .bytes = count};
        r = lod_l3_decode_band(stream, row, band,
                               into + ((size_t)row << stream->side_log2) * stride, stride, work);
    }
    return r;
}

/* Checks that only rows of the image were written. */
static void expect_guards(const struct l3_picture *picture, const uint8_t *into, size_t stride,
                          const char *name)
{
    for (uint32_t y = 0; y < picture->image.height; y++) {
        for (unsigned i = 0; i < GUARD; i++) {
            cr_assert_eq(into[y * stride + picture->stride + i], 0xa5, "%s, row %u", name, y);
        }
    }
}

/* Runs all decoders on one stream; `sound`: it must decode to the picture. */
static void compare(const struct l3_picture *picture, struct lod_span bytes, bool sound)
{
    size_t stride = picture->stride + GUARD, size = stride * picture->image.height;
    uint8_t *into = malloc(size);
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    struct lod_l3_stream stream;

    memset(work, 0x5a, LOD_L3_WORK_BYTES);
    cr_assert_eq(lod_l3_stream_open(bytes, bytes.bytes, &stream), 0);
    memset(into, 0xa5, size);
    int expected = decode_all(&lod_l3_patch_dispatch_scalar, &stream, bytes, into, stride, work);
    cr_assert(expected == 0 || (!sound && expected == -EILSEQ));
    uint8_t *reference = into;
    for (unsigned k = 0; lod_l3_patch_dispatch[k]; k++) {
        const struct lod_l3_patch_dispatch *kernels = lod_l3_patch_dispatch[k];
        if (!kernels->supported()) {
            continue;
        }
        into = malloc(size);
        memset(into, 0xa5, size);
        cr_assert_eq(decode_all(kernels, &stream, bytes, into, stride, work), expected,
                     "%s: another verdict", kernels->name);
        expect_guards(picture, into, stride, kernels->name);
        if (expected == 0) {
            cr_assert_eq(memcmp(into, reference, size), 0, "%s: %u x %u, %u samples of %u bits",
                         kernels->name, picture->image.width, picture->image.height,
                         picture->image.samples, picture->image.bits);
        }
        free(into);
    }
    for (uint32_t y = 0; sound && y < picture->image.height; y++) {
        cr_assert_eq(
            memcmp(reference + y * stride, picture->at + y * picture->stride, picture->stride), 0);
    }
    free(reference);
    free(work);
}

static const uint8_t depths[] = {1, 2, 4, 8, 16};

/* Returns a stream in memory of exactly its size; the caller frees it. */
static struct lod_span encoded(const struct l3_picture *picture, unsigned mode, unsigned side_log2)
{
    struct lod_l3_options options = {.mode = mode, .side_log2 = (uint8_t)side_log2};
    struct lod_buf buf = {0};

    cr_assert_eq(lod_l3_encode(&picture->image, picture->at, picture->stride, &options, &buf), 0);
    struct lod_span span = {.at = malloc(buf.bytes), .bytes = buf.bytes};
    memcpy((void *)(uintptr_t)span.at, buf.data, buf.bytes);
    lod_buf_finish(&buf);
    return span;
}

static void try_one(uint32_t *chance, uint32_t width, uint32_t height, unsigned damages)
{
    struct lod_l3_image image = {.width = width,
                                 .height = height,
                                 .samples = (uint8_t)(1 + l3_random(chance) % 4),
                                 .bits = depths[l3_random(chance) % 5]};
    struct l3_picture picture = l3_picture(image, l3_random(chance) % L3_CONTENTS, *chance);
    struct lod_span bytes =
        encoded(&picture, l3_random(chance) % LOD_L3_MODES, 5 + l3_random(chance) % 3);
    uint8_t *at = (uint8_t *)(uintptr_t)bytes.at;
    uint64_t head;

    compare(&picture, bytes, true);
    cr_assert_eq(lod_l3_head_bytes(at, &head), 0);
    for (unsigned i = 0; i < damages; i++) {
        size_t first = head - lod_get_le32(at + 12);
        size_t where = first + l3_random(chance) % (bytes.bytes - first);
        uint8_t kept = at[where];
        at[where] = (uint8_t)(l3_random(chance) % 2 ? kept ^ 1u << l3_random(chance) % 8
                                                    : l3_random(chance));
        compare(&picture, bytes, false);
        at[where] = kept;
    }
    free(at);
    free(picture.at);
}

Test(patch_dispatch, every_width_and_height_of_a_patch)
{
    uint32_t chance = 1;

    for (unsigned side = 1; side <= LOD_L3_SIDE_MAX; side++) {
        for (unsigned i = 0; i < 6; i++) {
            try_one(&chance, side, 1 + l3_random(&chance) % 9, 2);
        }
        try_one(&chance, 1 + l3_random(&chance) % 9, side, 2);
    }
}

Test(patch_dispatch, patches_side_by_side)
{
    uint32_t chance = 2;

    for (unsigned i = 0; i < 60; i++) {
        try_one(&chance, 1 + l3_random(&chance) % 700, 1 + l3_random(&chance) % 200, 20);
    }
}

Test(patch_dispatch, damage_is_judged_alike)
{
    uint32_t chance = 3;

    for (unsigned i = 0; i < 60; i++) {
        try_one(&chance, 1 + l3_random(&chance) % 150, 1 + l3_random(&chance) % 20, 100);
    }
}

Test(patch_dispatch, tables_are_checked)
{
    struct l3_picture picture = l3_picture(
        (struct lod_l3_image){.width = 300, .height = 300, .samples = 3, .bits = 8}, L3_SMOOTH, 1);
    struct lod_span bytes = encoded(&picture, LOD_L3_SMALL, 7);
    uint8_t *at = (uint8_t *)(uintptr_t)bytes.at;
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    struct lod_l3_stream stream;
    unsigned refused = 0;

    cr_assert_eq(lod_l3_stream_open(bytes, bytes.bytes, &stream), 0);
    cr_assert_gt(stream.tables.bytes, 20);
    for (size_t i = 0; i < stream.tables.bytes * 8; i++) {
        uint8_t *byte = at + (stream.tables.at - bytes.at) + i / 8;
        *byte ^= (uint8_t)(1u << i % 8);
        int r = lod_l3_work_init(&stream, work);
        cr_assert(r == 0 || r == -EILSEQ);
        refused += r == -EILSEQ;
        *byte ^= (uint8_t)(1u << i % 8);
    }
    cr_assert_gt(refused, 100);
    for (size_t less = 1; less <= stream.tables.bytes; less++) {
        struct lod_l3_stream shorter = stream;
        shorter.tables.bytes -= less;
        cr_assert_eq(lod_l3_work_init(&shorter, work), shorter.tables.bytes ? -EILSEQ : 0);
    }
    free(work);
    free(at);
    free(picture.at);
}

/* One row of eight one-bit samples in fields of two bits: the right length, but too wide. */
Test(patch_dispatch, fields_wider_than_samples_are_refused)
{
    static const uint8_t streams[][25] = {
        {8, 0, 0, 0, 1, 0, 0, 0, 1, 1, 5, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 2, 0, 0},
        {8, 0, 0, 0, 1, 0, 0, 0, 1, 1, 5, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2, 0, 2, 0, 0},
    };
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);

    for (unsigned i = 0; i < 2 * 2; i++) {
        uint8_t data[25], into[8];
        struct lod_span bytes = {.at = data, .bytes = sizeof(data)};
        struct lod_l3_stream stream;
        memcpy(data, streams[i % 2], sizeof(data));
        if (i >= 2) {
            data[22] = 1; /* one bit: now there is one byte of fields too many */
        }
        cr_assert_eq(lod_l3_stream_open(bytes, bytes.bytes, &stream), 0);
        for (unsigned k = 0; lod_l3_patch_dispatch[k]; k++) {
            if (lod_l3_patch_dispatch[k]->supported()) {
                cr_assert_eq(decode_all(lod_l3_patch_dispatch[k], &stream, bytes, into, 8, work),
                             -EILSEQ, "%s, kind %u", lod_l3_patch_dispatch[k]->name, data[20]);
            }
        }
    }
    free(work);
}
