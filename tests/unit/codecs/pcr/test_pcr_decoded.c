/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels of pcr items, compared with libjpeg's decode of the file at the same fidelity. */
#include <criterion/criterion.h>
#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/pcr_decoded.h"
#include "pcr/pcr_row.h"
#include "pcr_samples.h"
#include "pixels.h"

static struct lod_encoded encode_by(const struct sample *sample, const char *name, unsigned top)
{
    const struct lod_script *script = lod_script_named(name);
    struct lod_buf file = sample_jpeg(sample);
    struct lod_encoded item = encode_top(lod_buf_span(&file), &script, 1, top);

    lod_buf_finish(&file);
    return item;
}

static struct lod_encoded encode_sample(const struct sample *sample)
{
    return encode_by(sample, "default", 0);
}

/* Makes the MADE piece of the plan as a mount does; the caller frees it. */
static int make_pixels(const struct lod_encoded *item, enum lod_fidelity fidelity,
                       struct lod_plan *ret_plan, uint8_t **ret_pixels)
{
    const struct lod_maker *maker = lod_codec_pcr.maker;
    struct lod_buf file = file_at(item, fidelity == LOD_FULL ? LOD_Q10 : fidelity);
    struct lod_inputs inputs = {0};

    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_DECODED, fidelity, ret_plan),
                 0);
    const struct lod_piece *piece = &ret_plan->pieces[1];
    cr_assert_eq(maker->unit_bytes(item->row, piece->form), piece->bytes);
    cr_assert_geq(maker->cost(item->row, piece->form), piece->bytes + file.bytes);
    cr_assert_eq(maker->need(item->row, piece->form, 0, &inputs), 0);
    cr_assert_eq(inputs.count, 1);
    cr_assert_eq(inputs.input[0].plan.bytes, file.bytes);
    inputs.input[0].data = lod_buf_span(&file);
    cr_assert_eq(maker->need(item->row, piece->form, 0, &inputs), 0);
    cr_assert_eq(inputs.count, 1);
    *ret_pixels = malloc(piece->bytes);
    int error = maker->make(item->row, piece->form, 0, &inputs, *ret_pixels, piece->bytes);
    lod_buf_finish(&file);
    return error;
}

static const struct {
    struct sample sample;
    const char *ending;
} kinds[] = {
    {{.width = 67, .height = 45, .h = {2}, .v = {2}}, ".ppm"},
    {{.width = 1, .height = 1}, ".ppm"},
    {{.width = 40, .height = 30, .components = 1}, ".pgm"},
    {{.width = 33, .height = 17, .components = 4}, ".npy"},
    {{.width = 50, .height = 20, .space = JCS_RGB}, ".ppm"},
    {{.width = 64, .height = 64, .orientation = 6, .progressive = true}, ".ppm"},
};

Test(pcr_decoded, pixels_are_libjpegs_at_each_fidelity)
{
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct lod_encoded item = encode_sample(&kinds[i].sample);
        cr_assert_str_eq(lod_codec_decoded_ending(&lod_codec_pcr, item.row), kinds[i].ending);
        for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
            struct lod_buf file = file_at(&item, (enum lod_fidelity)f), wanted = {0};
            uint32_t width, height, channels;
            struct lod_plan plan;
            uint8_t *pixels;
            cr_assert_eq(make_pixels(&item, (enum lod_fidelity)f, &plan, &pixels), 0);
            cr_assert_eq(lod_jpeg_decode(lod_buf_span(&file), &wanted, &width, &height, &channels),
                         0);
            cr_assert_eq(wanted.bytes, plan.pieces[1].bytes, "sample %u", i);
            cr_assert_eq(memcmp(pixels, wanted.data, wanted.bytes), 0, "sample %u q%u", i, f);
            free(pixels);
            lod_buf_finish(&file);
            lod_buf_finish(&wanted);
        }
        lod_encoded_finish(&item);
    }
}

/* Compares each form of a series with the same form made alone. */
struct series_seen {
    const struct lod_encoded *item;
    const uint8_t *into;
    unsigned next, fails_at;
};

static int compare_form(void *ctx, unsigned form)
{
    struct series_seen *seen = ctx;
    struct lod_plan plan;
    uint8_t *pixels;

    cr_assert_eq(form, seen->next);
    if (seen->next++ == seen->fails_at) {
        return -ECANCELED;
    }
    cr_assert_eq(make_pixels(seen->item, form - LOD_PCR_FORM_DECODED, &plan, &pixels), 0);
    cr_assert_eq(memcmp(pixels, seen->into, plan.pieces[1].bytes), 0, "form %u", form);
    free(pixels);
    return 0;
}

static int make_series(const struct lod_encoded *item, unsigned first, unsigned last,
                       struct lod_buf *file, struct series_seen *seen)
{
    const struct lod_maker *maker = lod_codec_pcr.maker;
    const size_t bytes = maker->unit_bytes(item->row, first);
    struct lod_inputs inputs = {.count = 1};
    uint8_t *into = malloc(bytes);

    *seen = (struct series_seen){item, into, first, seen->fails_at};
    inputs.input[0].data = lod_buf_span(file);
    const struct lod_series series = {first, compare_form, seen};
    const struct lod_unit unit = {item->row, last, 0, &inputs, into, bytes, 0};
    int error = maker->make_series(&unit, &series);
    free(into);
    return error;
}

/* `top`: see encoder.h. */
static void expect_series(const struct sample *sample, const char *script, unsigned top)
{
    const struct lod_maker *maker = lod_codec_pcr.maker;
    struct lod_encoded item = encode_by(sample, script, top);
    const unsigned end = LOD_PCR_FORM_DECODED + (top ? top : LOD_Q10);
    struct series_seen seen = {0};

    cr_assert_eq(maker->series_end(item.row, LOD_ORIGINAL), LOD_ORIGINAL);
    cr_assert_eq(maker->series_end(item.row, LOD_PCR_FORM_DECODED + LOD_Q1),
                 LOD_PCR_FORM_DECODED + LOD_Q1, "q1 has scans of its own");
    cr_assert_eq(maker->series_end(item.row, LOD_PCR_FORM_DECODED + LOD_Q10),
                 LOD_PCR_FORM_DECODED + LOD_Q10);
    for (unsigned first = LOD_PCR_FORM_DECODED + 2; first < end; first++) {
        struct lod_buf file = file_at(&item, (enum lod_fidelity)(end - LOD_PCR_FORM_DECODED));
        cr_assert_eq(maker->series_end(item.row, first), end);
        cr_assert_eq(make_series(&item, first, end, &file, &seen), 0);
        cr_assert_eq(seen.next, end + 1, "all forms up to %u, not %u", end, seen.next);
        lod_buf_finish(&file);
    }
    lod_encoded_finish(&item);
}

Test(pcr_decoded, a_series_has_the_pixels_of_each_form_alone)
{
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        expect_series(&kinds[i].sample, "default", 0);
        expect_series(&kinds[i].sample, "default", 5);
        expect_series(&kinds[i].sample, "best", 0);
    }
}

Test(pcr_decoded, a_series_ends_at_the_error_of_a_step_and_of_its_bytes)
{
    struct lod_encoded item = encode_sample(&kinds[0].sample);
    const unsigned q2 = LOD_PCR_FORM_DECODED + 2, q10 = LOD_PCR_FORM_DECODED + LOD_Q10;
    struct lod_buf file = file_at(&item, LOD_Q10);
    struct series_seen seen = {.fails_at = q2 + 3};

    cr_assert_eq(make_series(&item, q2, q10, &file, &seen), -ECANCELED);
    cr_assert_eq(seen.next, q2 + 4);
    seen.fails_at = 0;
    file.bytes -= 40;
    cr_assert_eq(make_series(&item, q2, q10, &file, &seen), -EILSEQ, "the file is cut");
    cr_assert_leq(seen.next, q10);
    lod_put_le16(item.row + LOD_PCR_WIDTH, 66);
    cr_assert_eq(make_series(&item, q2, q10, &file, &seen), -EILSEQ, "the row lies");
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}

Test(pcr_decoded, full_shares_the_pixels_of_q10_and_original_has_none)
{
    struct lod_encoded item = encode_sample(&kinds[0].sample);
    struct lod_plan full, q10;

    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_DECODED, LOD_FULL, &full), 0);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_DECODED, LOD_Q10, &q10), 0);
    cr_assert_eq(full.pieces[1].form, q10.pieces[1].form);
    cr_assert_lt(full.pieces[1].form, LOD_FORMS_MAX);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_DECODED, LOD_ORIGINAL, &full),
                 -ENOENT);
    lod_encoded_finish(&item);
}

Test(pcr_decoded, a_row_that_lies_is_an_error_not_an_overflow)
{
    struct lod_encoded item = encode_sample(&kinds[0].sample);
    static const struct {
        unsigned at, value;
    } lies[] = {{LOD_PCR_WIDTH, 66}, {LOD_PCR_WIDTH, 68}, {LOD_PCR_HEIGHT, 44}};
    struct lod_plan plan;
    uint8_t *pixels;

    for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct lod_encoded lying = item;
        lod_put_le16(lying.row + lies[i].at, (uint16_t)lies[i].value);
        cr_assert_eq(make_pixels(&lying, LOD_Q10, &plan, &pixels), -EILSEQ);
        free(pixels);
    }
    item.row[LOD_PCR_SHAPE] = 4;
    cr_assert_eq(make_pixels(&item, LOD_Q10, &plan, &pixels), -EILSEQ);
    free(pixels);
    lod_encoded_finish(&item);
}

Test(pcr_decoded, what_takes_more_than_128_mib_has_no_pixels)
{
    struct lod_encoded item = encode_sample(&kinds[0].sample);
    struct lod_plan plan;

    lod_put_le16(item.row + LOD_PCR_WIDTH, 65500);
    lod_put_le16(item.row + LOD_PCR_HEIGHT, 65500);
    cr_assert_null(lod_codec_decoded_ending(&lod_codec_pcr, item.row), "whatever the row says");
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_DECODED, LOD_Q1, &plan),
                 -ENOENT);
    lod_encoded_finish(&item);

    struct lod_encoded small = encode_sample(&kinds[0].sample);
    small.row[0] |= LOD_ITEM_NO_DECODED;
    cr_assert_null(lod_codec_decoded_ending(&lod_codec_pcr, small.row));
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, small.row, LOD_FORMAT_DECODED, LOD_Q1, &plan),
                 -ENOENT);
    lod_encoded_finish(&small);

    uint64_t coefficients = 7000ull * 5000 * 3;
    cr_assert_gt(lod_pcr_decoded_bytes(7000, 5000, 3, coefficients), LOD_DECODED_BYTES_MAX);
    cr_assert_leq(lod_pcr_decoded_bytes(4000, 3000, 3, 4000ull * 3000 * 3), LOD_DECODED_BYTES_MAX);
}

Test(pcr_decoded, a_photograph_of_24_megapixels_is_marked_by_pack)
{
    static const struct sample large = {.width = 6000, .height = 4000, .h = {2}, .v = {2}};
    struct lod_encoded item = encode_sample(&large);

    cr_assert(lod_row_flags(item.row) & LOD_ITEM_NO_DECODED);
    lod_encoded_finish(&item);
}

Test(pcr_decoded, cut_bytes_are_refused)
{
    struct lod_encoded item = encode_sample(&kinds[0].sample);
    struct lod_buf file = file_at(&item, LOD_Q10);
    uint8_t pixels[67 * 45 * 3];
    struct lod_span cut = {file.data, file.bytes - 40};

    cr_assert_eq(lod_jpeg_decode_into(cut, 1 << 20, 67, 45, 3, pixels), -EILSEQ);
    cr_assert_eq(lod_jpeg_decode_into(lod_buf_span(&file), sizeof(pixels), 67, 45, 3, pixels),
                 -E2BIG);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}
