/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "hash.h"
#include "pcr/measure/curve.h"
#include "likeness/msssim.h"
#include "pcr_samples.h"

static struct lod_curve measure(struct lod_span jpeg, const char *script, unsigned *ret_class)
{
    struct lod_curve_source *source = NULL;
    struct lod_curve curve;

    cr_assert_eq(lod_curve_source_create(jpeg, LOD_CURVE_SIDE, ret_class, &source), 0);
    cr_assert_eq(lod_curve_measure(source, lod_script_named(script), 0, &curve), 0);
    cr_assert_null(lod_curve_source_destroy(source));
    return curve;
}

/*
 * Returns the MSSIM of one fidelity by other means: libjpeg's decode of the codec's file,
 * uncropped.
 */
static double mssim_at(struct lod_span jpeg, const struct lod_encoded *item, enum lod_fidelity k)
{
    struct lod_buf file = file_at(item, k);
    struct sample_pixels full = sample_decode(jpeg), part = sample_decode(lod_buf_span(&file));
    struct lod_msssim *msssim = NULL;
    double value = -1;

    cr_assert_eq(lod_msssim_create_sampled((struct lod_msssim_image){full.pixels.data, full.width,
                                                                     full.height, full.channels},
                                           &msssim),
                 0);
    cr_assert_eq(lod_msssim_compare(msssim,
                                    (struct lod_msssim_image){part.pixels.data, part.width,
                                                              part.height, part.channels},
                                    &value),
                 0);
    lod_msssim_destroy(msssim);
    lod_buf_finish(&full.pixels);
    lod_buf_finish(&part.pixels);
    lod_buf_finish(&file);
    return value;
}

static void expect_curve(const struct sample *s)
{
    const struct lod_script *script = lod_script_named("default");
    struct lod_buf jpeg = sample_jpeg(s);
    struct lod_span span = lod_buf_span(&jpeg);
    struct lod_encoded item = encode_with(span, &script, 1);
    unsigned class = LOD_QUANT_CLASSES;
    struct lod_curve curve = measure(span, "default", &class);

    cr_expect_lt(class, LOD_QUANT_CLASSES);
    cr_expect_eq(curve.source_bytes, (double)jpeg.bytes);
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        struct lod_buf file = file_at(&item, (enum lod_fidelity)(LOD_Q1 + k));
        cr_expect_eq(curve.bytes[k], (double)file.bytes, "q%u", k + 1);
        cr_expect_eq(curve.mssim[k], mssim_at(span, &item, (enum lod_fidelity)(LOD_Q1 + k)), "q%u",
                     k + 1);
        lod_buf_finish(&file);
    }
    cr_expect_eq(curve.mssim[LOD_SCRIPT_GROUPS - 1], 1.0);
    cr_expect_lt(curve.mssim[0], 0.99);
    lod_encoded_finish(&item);
    lod_buf_finish(&jpeg);
}

Test(curve, is_what_a_mount_will_show)
{
    expect_curve(&(struct sample){.width = 190, .height = 230, .h = {2, 1, 1}, .v = {2, 1, 1}});
    expect_curve(&(struct sample){.width = 181, .height = 177, .quality = 40, .icc_bytes = 500});
    expect_curve(&(struct sample){.width = 64, .height = 31, .components = 1});
}

Test(curve, a_class_is_the_quantisation_s)
{
    static const int qualities[] = {98, 90, 85, 75, 60, 20};
    unsigned last = 0, seen = 0;

    for (unsigned i = 0; i < 6; i++) {
        struct lod_buf jpeg =
            sample_jpeg(&(struct sample){.width = 40, .height = 40, .quality = qualities[i]});
        unsigned class = 0;
        measure(lod_buf_span(&jpeg), "default", &class);
        cr_expect_geq(class, last);
        seen |= 1u << class;
        last = class;
        lod_buf_finish(&jpeg);
    }
    cr_expect_eq(seen, 0x3f, "classes met: %#x", seen);
}

/*
 * Returns the MSSIM of the same part of two decoded images. The part is chosen here by the file's
 * hash.
 */
static double mssim_of_parts(struct lod_span jpeg, const struct sample_pixels *full,
                             const struct sample_pixels *part)
{
    size_t side = LOD_CURVE_SIDE, pixel = full->channels, row = full->width * pixel;
    uint64_t place = lod_hash64(jpeg.at, jpeg.bytes, 0);
    size_t x = (place & 0xffff) * (full->width - side) >> 16;
    size_t y0 = (place >> 16 & 0xffff) * (full->height - side) >> 16;
    size_t from = y0 * row + x * pixel;
    struct lod_buf a = {0}, b = {0};
    struct lod_msssim *msssim = NULL;
    double value = -1;

    for (size_t y = 0; y < side; y++) {
        cr_assert_eq(lod_buf_append(&a, full->pixels.data + from + y * row, side * pixel), 0);
        cr_assert_eq(lod_buf_append(&b, part->pixels.data + from + y * row, side * pixel), 0);
    }
    struct lod_msssim_image image = {a.data, LOD_CURVE_SIDE, LOD_CURVE_SIDE, full->channels};
    cr_assert_eq(lod_msssim_create_sampled(image, &msssim), 0);
    image.at = b.data;
    cr_assert_eq(lod_msssim_compare(msssim, image, &value), 0);
    lod_msssim_destroy(msssim);
    lod_buf_finish(&a);
    lod_buf_finish(&b);
    return value;
}

Test(curve, a_large_photograph_is_compared_in_a_part)
{
    struct lod_buf jpeg = sample_jpeg(&(struct sample){.width = 901, .height = 706});
    struct lod_span span = lod_buf_span(&jpeg);
    const struct lod_script *script = lod_script_named("default");
    struct lod_encoded item = encode_with(span, &script, 1);
    struct sample_pixels full = sample_decode(span);
    unsigned class = 0;
    struct lod_curve curve = measure(span, "default", &class);

    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k += 3) {
        struct lod_buf file = file_at(&item, (enum lod_fidelity)(LOD_Q1 + k));
        struct sample_pixels part = sample_decode(lod_buf_span(&file));
        cr_expect_eq(curve.mssim[k], mssim_of_parts(span, &full, &part), "q%u", k + 1);
        lod_buf_finish(&part.pixels);
        lod_buf_finish(&file);
    }
    lod_buf_finish(&full.pixels);
    lod_encoded_finish(&item);
    lod_buf_finish(&jpeg);
}

Test(curve, a_narrow_photograph_is_cropped_along_its_length)
{
    struct lod_buf jpeg = sample_jpeg(&(struct sample){.width = 12, .height = 30000});
    unsigned class = 0;
    struct lod_curve curve = measure(lod_buf_span(&jpeg), "default", &class);

    cr_expect_eq(curve.mssim[LOD_SCRIPT_GROUPS - 1], 1.0);
    lod_buf_finish(&jpeg);
}

Test(curve, what_cannot_be_measured_is_left_out)
{
    struct lod_buf small = sample_jpeg(&(struct sample){.width = 10, .height = 50});
    struct lod_buf arithmetic =
        sample_jpeg(&(struct sample){.width = 50, .height = 50, .arithmetic = true});
    struct lod_buf cut = sample_jpeg(&(struct sample){.width = 50, .height = 50});
    struct lod_curve_source *source = NULL;
    unsigned class = 77;

    cr_expect_eq(lod_curve_source_create(lod_buf_span(&small), LOD_CURVE_SIDE, &class, &source),
                 -ENOTSUP);
    cr_expect_eq(
        lod_curve_source_create(lod_buf_span(&arithmetic), LOD_CURVE_SIDE, &class, &source),
        -ENOTSUP);
    cut.bytes /= 2;
    cr_expect_eq(lod_curve_source_create(lod_buf_span(&cut), LOD_CURVE_SIDE, &class, &source),
                 -ENOTSUP);
    cr_expect_eq(lod_curve_source_create((struct lod_span){0}, LOD_CURVE_SIDE, &class, &source),
                 -ENOTSUP);
    cr_expect_null(source);
    cr_expect_eq(class, 77);
    cr_expect_null(lod_curve_source_destroy(NULL));
    lod_buf_finish(&small);
    lod_buf_finish(&arithmetic);
    lod_buf_finish(&cut);
}

/* medium and coarse have sent the same bits at q4: it is measured once, and is the same. */
Test(curve, fidelities_of_the_same_bits_are_the_same)
{
    struct lod_buf jpeg = sample_jpeg(&(struct sample){.width = 300, .height = 200});
    struct lod_curve_source *source = NULL;
    struct lod_curve medium, coarse, alone;
    unsigned class = 0;

    cr_assert_eq(
        lod_curve_source_create(lod_buf_span(&jpeg), LOD_CURVE_SIDE_CHOOSING, &class, &source), 0);
    cr_assert_eq(lod_curve_measure(source, lod_script_named("medium"), 0, &medium), 0);
    cr_assert_eq(lod_curve_measure(source, lod_script_named("coarse"), 0, &coarse), 0);
    lod_curve_source_destroy(source);
    cr_expect_eq(medium.mssim[3], coarse.mssim[3]);
    cr_assert_eq(
        lod_curve_source_create(lod_buf_span(&jpeg), LOD_CURVE_SIDE_CHOOSING, &class, &source), 0);
    cr_assert_eq(lod_curve_measure(source, lod_script_named("coarse"), 0, &alone), 0);
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        cr_expect_eq(alone.mssim[k], coarse.mssim[k], "q%u", k + 1);
        cr_expect_eq(alone.bytes[k], coarse.bytes[k], "q%u", k + 1);
    }
    lod_curve_source_destroy(source);
    lod_buf_finish(&jpeg);
}

/* Above q5 the source is shown, so nothing is decoded to find its likeness. */
Test(curve, beside_the_source_the_rest_is_the_source)
{
    struct lod_buf jpeg = sample_jpeg(&(struct sample){.width = 300, .height = 200});
    struct lod_curve_source *source = NULL;
    struct lod_curve curve;
    double scans = 0;
    unsigned class = 0;

    cr_assert_eq(lod_curve_source_create(lod_buf_span(&jpeg), LOD_CURVE_SIDE, &class, &source), 0);
    cr_assert_eq(lod_curve_measure(source, lod_script_named("default"), 5, &curve), 0);
    cr_assert_eq(lod_curve_scans_bytes(source, lod_script_named("default"), &scans), 0);
    cr_expect_lt(curve.mssim[4], 1);
    for (unsigned k = 5; k < LOD_SCRIPT_GROUPS; k++) {
        cr_expect_eq(curve.bytes[k], (double)jpeg.bytes);
        cr_expect_eq(curve.mssim[k], 1);
        cr_expect_eq(curve.decode[k], 1);
    }
    cr_expect(scans > curve.bytes[4] && scans < 1.1 * (double)jpeg.bytes);
    lod_curve_source_destroy(source);
    lod_buf_finish(&jpeg);
}

/*
 * Refinement scans cost time, closing scans of q1 save time, and spectral selection decodes faster
 * at full.
 */
Test(curve, the_model_of_decoding_knows_what_takes_long)
{
    struct lod_buf jpeg =
        sample_jpeg(&(struct sample){.width = 500, .height = 375, .h = {2}, .v = {2}});
    unsigned class = 0;
    struct lod_curve best = measure(lod_buf_span(&jpeg), "best", &class);
    struct lod_curve spectral = measure(lod_buf_span(&jpeg), "spectral", &class);

    cr_expect_lt(best.decode[0], .6);
    cr_expect_gt(best.decode[1], best.decode[0] + .2, "smoothed");
    cr_expect_gt(best.decode[9], 2);
    cr_expect_lt(spectral.decode[9], .7 * best.decode[9]);
    for (unsigned k = 1; k < LOD_SCRIPT_GROUPS; k++) {
        cr_expect_gt(best.decode[k], best.decode[k - 1]);
    }
    lod_buf_finish(&jpeg);
}
