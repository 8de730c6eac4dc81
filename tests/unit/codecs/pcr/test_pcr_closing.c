/* SPDX-License-Identifier: Apache-2.0 */
/* Closing scans keep decoders from smoothing q1, and no other fidelity has them. */
#include "pcr/pcr_row.h"
#include "pcr_samples.h"

static struct lod_encoded encode_sample(const struct sample *s, const char *script, unsigned top)
{
    const struct lod_script *scripts[] = {lod_script_named(script)};
    struct lod_buf file = sample_jpeg(s);
    struct lod_encoded item = encode_top(lod_buf_span(&file), scripts, 1, top);

    cr_assert_null(item.whole, "%s", item.whole);
    lod_buf_finish(&file);
    return item;
}

/* Decoded with libjpeg's defaults, q1 equals the file without closing scans, decoded without block
 * smoothing. */
static void expect_closed(const struct lod_encoded *item)
{
    struct lod_buf closed = file_at(item, LOD_Q1), open = open_q1(item);
    struct sample_pixels got = sample_decode(lod_buf_span(&closed));
    struct sample_pixels plain = sample_decode_as(lod_buf_span(&open), false);
    struct sample_pixels smooth = sample_decode(lod_buf_span(&open));

    cr_assert_gt(item->row[LOD_PCR_CLOSING], 0);
    cr_assert_eq(got.warnings, 0);
    cr_assert_gt(got.pixels.bytes, 0);
    cr_assert(same_bytes(lod_buf_span(&got.pixels), lod_buf_span(&plain.pixels)));
    cr_assert(!same_bytes(lod_buf_span(&got.pixels), lod_buf_span(&smooth.pixels)));
    lod_buf_finish(&got.pixels);
    lod_buf_finish(&plain.pixels);
    lod_buf_finish(&smooth.pixels);
    lod_buf_finish(&closed);
    lod_buf_finish(&open);
}

Test(pcr_closing, q1_is_decoded_without_smoothing_whatever_the_image, .timeout = 120)
{
    const struct sample samples[] = {
        {.width = 500, .height = 375, .h = {2}, .v = {2}},
        {.width = 333, .height = 251},
        {.width = 400, .height = 300, .h = {4}, .v = {1}},
        {.width = 500, .height = 300, .components = 1},
        {.width = 500, .height = 300, .components = 1, .h = {2}, .v = {2}},
        {.width = 300, .height = 300, .components = 2},
        {.width = 300, .height = 300, .components = 4},
        {.width = 1, .height = 20000},
        {.width = 2600, .height = 1700, .components = 1, .quality = 20}, /* 69,225 blocks: 3 runs */
    };

    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct lod_encoded item = encode_sample(&samples[i], "default", 5 * (i % 2));
        expect_closed(&item);
        cr_assert_leq(item.row[LOD_PCR_CLOSING], item.group[0].bytes / 16);
        lod_encoded_finish(&item);
    }
}

/* The closing scans stand where the scans of q2 begin, and q2 must not have them. */
Test(pcr_closing, no_other_fidelity_has_them)
{
    const struct sample s = {.width = 500, .height = 375, .h = {2}, .v = {2}};
    struct lod_encoded item = encode_sample(&s, "medium", 0);
    struct lod_buf q1 = file_at(&item, LOD_Q1);
    const unsigned closing = item.row[LOD_PCR_CLOSING];
    const uint8_t *at = item.group[0].data + item.group[0].bytes - closing;

    cr_assert(contains(lod_buf_span(&q1), at, closing));
    for (unsigned f = 2; f <= LOD_FULL; f++) {
        struct lod_buf file = file_at(&item, (enum lod_fidelity)f);
        struct sample_pixels got = sample_decode(lod_buf_span(&file));
        cr_assert(!contains(lod_buf_span(&file), at, closing), "fidelity %u", f);
        cr_assert_eq(got.warnings, 0, "fidelity %u", f);
        cr_assert_gt(file.bytes, q1.bytes);
        lod_buf_finish(&got.pixels);
        lod_buf_finish(&file);
    }
    lod_buf_finish(&q1);
    lod_encoded_finish(&item);
}

Test(pcr_closing, small_files_and_scripts_with_ac_in_group_1_stay_open)
{
    const struct sample small = {.width = 16, .height = 16};
    const struct sample photograph = {.width = 300, .height = 200};
    const char text[] = "0,1,2: 0-0,0,0; 0: 1-63,0,1\n1: 1-63,0,0; 2: 1-63,0,0; 0: 1-63,1,0\n";
    struct lod_script script;
    const char *why;
    unsigned line;

    struct lod_encoded item = encode_sample(&small, "default", 0);
    cr_assert_eq(item.row[LOD_PCR_CLOSING], 0);
    lod_encoded_finish(&item);
    cr_assert_eq(lod_script_parse("x", (struct lod_span){(const uint8_t *)text, sizeof(text) - 1},
                                  &script, &line, &why),
                 0);
    const struct lod_script *scripts[] = {&script};
    struct lod_buf file = sample_jpeg(&photograph);
    item = encode_with(lod_buf_span(&file), scripts, 1);
    cr_assert_eq(item.row[LOD_PCR_CLOSING], 0);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}
