/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes every kind of patch on every device of this machine and compares with the host's decoder:
 * pictures with extreme values, and damaged streams.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "l3/device/batch.h"
#include "l3_samples.h"
#include "../../../hostile/damage/share.h"

#define PARTS 24u

/* A stream, opened; the picture it was made of; and room for the decoded picture. */
struct sample {
    struct l3_picture picture;
    struct lod_buf bytes;
    struct lod_l3_stream stream;
    uint8_t *into;
};

static struct sample sample(struct lod_l3_image image, unsigned content, unsigned seed,
                            struct lod_l3_options options)
{
    struct sample s = {.picture = l3_picture(image, content, seed)};

    cr_assert_eq(
        lod_l3_encode(&s.picture.image, s.picture.at, s.picture.stride, &options, &s.bytes), 0);
    cr_assert_eq(lod_l3_stream_open(lod_buf_span(&s.bytes), s.bytes.bytes, &s.stream), 0);
    s.into = malloc(s.picture.stride * image.height);
    memset(s.into, 0xa5, s.picture.stride * image.height);
    return s;
}

static void sample_finish(struct sample *s)
{
    free(s->picture.at);
    free(s->into);
    lod_buf_finish(&s->bytes);
}

static struct lod_l3_part part_of(const struct sample *s, uint32_t first, uint32_t count)
{
    struct lod_l3_part part = {.stream = &s->stream,
                               .first = first,
                               .count = count,
                               .into = s->into,
                               .stride = s->picture.stride};
    uint64_t offset, bytes, last;

    lod_l3_band(&s->stream, first, &offset, &bytes);
    lod_l3_band(&s->stream, first + count - 1, &last, &bytes);
    part.bands.at = s->bytes.data + offset;
    part.bands.bytes = (size_t)(last + bytes - offset);
    return part;
}

static void expect_rows(const struct sample *s, uint32_t first, uint32_t count)
{
    uint64_t from = (uint64_t)first << s->stream.side_log2, row;
    uint64_t to = from + ((uint64_t)count << s->stream.side_log2);

    row = lod_l3_row_bytes(&s->picture.image);
    for (uint64_t y = from; y < to && y < s->picture.image.height; y++) {
        cr_assert_arr_eq(s->into + (y - from) * s->picture.stride,
                         s->picture.at + y * s->picture.stride, row);
    }
}

static struct lod_gpu *open_or_null(const char *name)
{
    struct lod_gpu *gpu = NULL;
    char why[LOD_GPU_LABEL] = "";

    if (lod_gpu_open(name, NULL, &gpu, why, sizeof(why)) != 0) {
        fprintf(stderr, "SKIP: %s: %s\n", name, why);
    }
    return gpu;
}

static void for_every_device(void (*body)(struct lod_gpu *gpu))
{
    for (unsigned i = 0; lod_gpu_name(i); i++) {
        struct lod_gpu *gpu = open_or_null(lod_gpu_name(i));
        if (gpu) {
            body(gpu);
            cr_assert_null(lod_gpu_failure(gpu), "%s: %s", lod_gpu_name(i), lod_gpu_failure(gpu));
        }
        lod_gpu_close(gpu);
    }
}

static struct sample numbered(unsigned i)
{
    static const uint32_t sides[] = {1, 2, 7, 9, 31, 64, 65, 130};
    static const uint8_t depths[] = {1, 2, 4, 8, 16};
    struct lod_l3_image image = {.width = sides[i % 8],
                                 .height = sides[i / 8 % 8],
                                 .samples = (uint8_t)(1 + i / 64 % 4),
                                 .bits = depths[i / 256 % 5]};
    struct lod_l3_options options = {.mode = i % LOD_L3_MODES,
                                     .side_log2 = i % 5 ? (uint8_t)(5 + i % 3) : 0};

    return sample(image, i / 1280, i, options);
}

/* Decodes all kinds of images, many in one job. */
static void all_kinds(struct lod_gpu *gpu)
{
    struct sample samples[PARTS];
    struct lod_l3_part parts[PARTS];

    for (unsigned first = 0; first + PARTS <= 1280 * L3_CONTENTS; first += PARTS) {
        if (!share_has(first / PARTS)) {
            continue;
        }
        for (unsigned i = 0; i < PARTS; i++) {
            samples[i] = numbered(first + i);
            parts[i] = part_of(&samples[i], 0, samples[i].stream.rows);
        }
        cr_assert_eq(lod_l3_batch(gpu, parts, PARTS), 0);
        for (unsigned i = 0; i < PARTS; i++) {
            cr_assert_eq(parts[i].error, 0, "image %u", first + i);
            expect_rows(&samples[i], 0, samples[i].stream.rows);
            sample_finish(&samples[i]);
        }
    }
}

Test(batch, every_kind_of_image_is_decoded_alike_on_every_device, .timeout = 600)
{
    for_every_device(all_kinds);
}

static void some_bands(struct lod_gpu *gpu)
{
    struct lod_l3_image image = {.width = 150, .height = 200, .samples = 3, .bits = 8};
    struct sample s = sample(image, L3_SMOOTH, 3, (struct lod_l3_options){.side_log2 = 5});

    for (uint32_t first = 0; first < s.stream.rows; first++) {
        for (uint32_t count = 1; first + count <= s.stream.rows; count++) {
            struct lod_l3_part part = part_of(&s, first, count);
            cr_assert_eq(lod_l3_batch(gpu, &part, 1), 0);
            cr_assert_eq(part.error, 0);
            expect_rows(&s, first, count);
        }
    }
    sample_finish(&s);
}

Test(batch, bands_are_decoded_without_the_others)
{
    for_every_device(some_bands);
}

/* Decodes the same bytes on the host. */
static int host_says(const struct sample *s, uint8_t *into)
{
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    int error = lod_l3_work_init(&s->stream, work);

    for (uint32_t row = 0; row < s->stream.rows && !error; row++) {
        struct lod_l3_part band = part_of(s, row, 1);
        size_t step = s->picture.stride << s->stream.side_log2;
        error = lod_l3_decode_band(&s->stream, row, band.bands, into + row * step,
                                   s->picture.stride, work);
    }
    free(work);
    return error;
}

/* Changes one bit after the sizes: the device must decode or refuse exactly as the host does. */
static void changed(struct lod_gpu *gpu)
{
    for (unsigned i = 0; i < 600; i++) {
        struct sample s = numbered(i * 37 + 3), sound = numbered(i * 37 + 3);
        struct lod_l3_part parts[2] = {part_of(&s, 0, s.stream.rows),
                                       part_of(&sound, 0, sound.stream.rows)};
        size_t head = (size_t)s.stream.head_bytes - s.stream.tables.bytes;
        size_t at = head + (size_t)(i * 7919u) % (s.bytes.bytes - head);
        uint8_t *expected = malloc(s.picture.stride * s.picture.image.height);
        s.bytes.data[at] ^= (uint8_t)(1u << i % 8);
        memset(expected, 0xa5, s.picture.stride * s.picture.image.height);
        int error = host_says(&s, expected);
        cr_assert_eq(lod_l3_batch(gpu, parts, 2), 0);
        cr_assert_eq(parts[0].error, error, "image %u, byte %zu", i, at);
        if (!error) {
            cr_assert_arr_eq(s.into, expected, s.picture.stride * s.picture.image.height);
        }
        cr_assert_eq(parts[1].error, 0, "a neighbour is not touched");
        expect_rows(&sound, 0, sound.stream.rows);
        free(expected);
        sample_finish(&s);
        sample_finish(&sound);
    }
}

Test(batch, changed_streams_are_refused_where_the_host_refuses, .timeout = 600)
{
    for_every_device(changed);
}

Test(batch, bands_that_are_cut_are_an_error_of_their_part)
{
    struct lod_gpu *gpu = open_or_null("host");
    struct lod_l3_image image = {.width = 70, .height = 70, .samples = 1, .bits = 8};
    struct sample s = sample(image, L3_NOISE, 1, (struct lod_l3_options){.side_log2 = 5});

    for (size_t bytes = 0; bytes < s.bytes.bytes - s.stream.head_bytes; bytes += 97) {
        struct lod_l3_part part = part_of(&s, 0, s.stream.rows);
        part.bands.bytes = bytes;
        cr_assert_eq(lod_l3_batch(gpu, &part, 1), 0);
        cr_assert_eq(part.error, -EILSEQ);
    }
    sample_finish(&s);
    lod_gpu_close(gpu);
}

Test(batch, a_batch_past_the_limit_is_refused)
{
    struct lod_gpu *gpu = open_or_null("host");
    struct lod_l3_image image = {.width = 70, .height = 70, .samples = 1, .bits = 8};
    struct sample s = sample(image, L3_NOISE, 1, (struct lod_l3_options){.side_log2 = 5});
    struct lod_l3_part part = part_of(&s, 0, s.stream.rows);

    part.bands.bytes = LOD_GPU_JOB_BYTES_MAX;
    cr_assert_gt(lod_l3_batch_bytes(&part, 1), LOD_GPU_JOB_BYTES_MAX);
    cr_assert_eq(lod_l3_batch(gpu, &part, 1), -E2BIG);
    sample_finish(&s);
    lod_gpu_close(gpu);
}
