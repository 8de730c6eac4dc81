/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that hold their source file, which full and original show. Groups beside it are q1 .. top.
 */
#include "pcr/pcr_row.h"
#include "pcr_samples.h"

static const struct sample photograph = {
    .width = 267, .height = 245, .h = {2}, .v = {2}, .quality = 90, .comment_bytes = 500};

/*
 * Compares every fidelity of an item that has its source and groups 1 .. top with that of an item
 * with scans alone.
 */
static void expect_kept(const struct lod_encoded *kept, const struct lod_encoded *scans,
                        struct lod_span source, unsigned top)
{
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        struct lod_buf got = file_at(kept, (enum lod_fidelity)f);
        if (f > top) {
            cr_assert(same_bytes(lod_buf_span(&got), source), "fidelity %u", f);
        } else {
            struct lod_buf wanted = file_at(scans, (enum lod_fidelity)f);
            cr_assert(same_bytes(lod_buf_span(&got), lod_buf_span(&wanted)), "fidelity %u", f);
            lod_buf_finish(&wanted);
        }
        lod_buf_finish(&got);
    }
}

Test(pcr_kept, fidelities_up_to_top_are_those_of_scans_alone, .timeout = 120)
{
    struct lod_buf file = sample_jpeg(&photograph);
    const struct lod_script *script;

    for (unsigned i = 0; (script = lod_script_builtin(i)); i++) {
        struct lod_encoded scans = encode_with(lod_buf_span(&file), &script, 1);
        for (unsigned top = LOD_Q1; top < LOD_Q10; top += 3) {
            struct lod_encoded kept = encode_top(lod_buf_span(&file), &script, 1, top);
            cr_assert_null(kept.whole);
            cr_assert_eq(lod_row_flags(kept.row) & LOD_ITEM_KEPT, LOD_ITEM_KEPT);
            cr_assert_eq(lod_pcr_top(kept.row), top, "%s", script->name);
            cr_assert_eq(kept.header.bytes, 0);
            expect_kept(&kept, &scans, lod_buf_span(&file), top);
            lod_encoded_finish(&kept);
        }
        lod_encoded_finish(&scans);
    }
    lod_buf_finish(&file);
}

/* Tables of Huffman codes outweigh the pixels of an icon. */
Test(pcr_kept, fidelities_as_large_as_the_source_are_not_stored)
{
    const struct sample icon = {.width = 16, .height = 16, .quality = 95};
    const struct lod_script *script = lod_script_named("best");
    struct lod_buf file = sample_jpeg(&icon);
    struct lod_encoded item = encode_top(lod_buf_span(&file), &script, 1, LOD_Q10);
    struct lod_plan plan;

    cr_assert_lt(lod_pcr_top(item.row), LOD_Q10);
    cr_assert_geq(lod_pcr_top(item.row), LOD_Q1);
    for (unsigned f = 2; f <= lod_pcr_top(item.row); f++) {
        cr_assert_eq(
            lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_TREE, (enum lod_fidelity)f, &plan),
            0);
        cr_assert_lt(plan.bytes, file.bytes, "q%u", f);
    }
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}

Test(pcr_kept, what_cannot_be_transcoded_is_whole_as_ever)
{
    const struct sample odd = {.width = 40, .height = 40, .arithmetic = true};
    const struct lod_script *script = lod_script_named("default");
    struct lod_buf file = sample_jpeg(&odd);
    struct lod_encoded item = encode_top(lod_buf_span(&file), &script, 1, 5);

    cr_assert_not_null(item.whole);
    cr_assert_eq(item.row[0], LOD_ITEM_WHOLE);
    cr_assert_eq(item.row[LOD_PCR_SHAPE], 0);
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}

/*
 * decoded/: fidelities that share a form have the same pixels, those that libjpeg decodes of the
 * file.
 */
Test(pcr_kept, pixels_above_top_are_one_form_made_of_the_source)
{
    const struct lod_script *script = lod_script_named("default");
    struct lod_buf file = sample_jpeg(&photograph);
    struct lod_encoded item = encode_top(lod_buf_span(&file), &script, 1, 5);
    const struct lod_maker *maker = lod_codec_pcr.maker;
    unsigned form = 0;

    for (unsigned f = 6; f <= LOD_FULL; f++) {
        struct lod_inputs inputs = {0};
        struct lod_plan plan;
        cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_DECODED,
                                    (enum lod_fidelity)f, &plan),
                     0);
        cr_assert(!form || plan.pieces[1].form == form);
        form = plan.pieces[1].form;
        cr_assert_eq(maker->need(item.row, form, 0, &inputs), 0);
        cr_assert_eq(inputs.input[0].plan.count, 1);
        cr_assert_eq(inputs.input[0].plan.pieces[0].group, LOD_PCR_GROUP_FILE);
        cr_assert_geq(maker->cost(item.row, form), file.bytes);
    }
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}
