/* SPDX-License-Identifier: Apache-2.0 */
/* original/ of pcr items: encoded, joined with or without an earlier slot's header, rebuilt. */
#include <criterion/criterion.h>
#include <errno.h>

#include "rebuild_samples.h"
#include "pcr/pcr_row.h"

static struct lod_encoded encode_original(struct lod_span source)
{
    const struct lod_script *script = lod_script_named("default");
    struct lod_scan_choice choice = choose(&script, 1);
    struct lod_encode_options options = {.scans = &choice, .original = true};
    struct lod_encoded item;

    cr_assert_eq(lod_encoder_pcr.encode(source, &options, &item), 0);
    cr_assert_eq(lod_row_flags(item.row) & LOD_ITEM_NO_ORIGINAL, 0);
    return item;
}

static void join(struct lod_encoded *item, uint32_t slot)
{
    uint64_t bytes[LOD_GROUPS_MAX];

    cr_assert_eq(lod_encoder_pcr.join(item, slot), 0);
    cr_assert_eq(lod_codec_segments(&lod_codec_pcr, item->row, bytes), 0);
    cr_assert_eq(bytes[11], item->group[11].bytes);
}

/* Does as a mount does: reads the inputs until no more are needed, then makes the only unit. */
static int make_again(const struct lod_encoded *item, struct lod_span lender,
                      struct lod_span source)
{
    const struct lod_maker *maker = lod_codec_pcr.maker;
    struct lod_inputs inputs = {0};
    struct lod_buf full = file_at(item, LOD_FULL), out = {0};
    unsigned done = 0;
    int error = maker->need(item->row, LOD_ORIGINAL, 0, &inputs);

    while (!error && done < inputs.count) {
        struct lod_input *input = &inputs.input[done++];
        if (input->slot != LOD_SLOT_OWN) {
            cr_assert_eq(input->slot, 3);
            cr_assert_eq(input->group, 12);
            input->data = lender;
        } else {
            input->data = input->plan.bytes == full.bytes ? lod_buf_span(&full)
                                                          : lod_buf_span(&item->group[11]);
            cr_assert_eq(input->data.bytes, input->plan.bytes);
        }
        error = done == inputs.count ? maker->need(item->row, LOD_ORIGINAL, 0, &inputs) : 0;
    }
    cr_assert_eq(maker->unit_bytes(item->row, LOD_ORIGINAL), source.bytes);
    cr_assert_geq(maker->cost(item->row, LOD_ORIGINAL), full.bytes + source.bytes);
    cr_assert_eq(lod_buf_reserve(&out, source.bytes), 0);
    if (!error) {
        error = maker->make(item->row, LOD_ORIGINAL, 0, &inputs, out.data, source.bytes);
        cr_assert(error || memcmp(out.data, source.at, source.bytes) == 0, "other bytes");
    }
    lod_buf_finish(&full);
    lod_buf_finish(&out);
    return error;
}

static const struct sample photograph = {
    .width = 67, .height = 45, .h = {2}, .v = {2}, .quality = 85, .restart = 3};

Test(pcr_original, a_file_comes_back_with_its_own_header_or_an_earlier_ones)
{
    struct lod_buf file = sample_jpeg(&photograph);
    struct lod_span source = lod_buf_span(&file);
    struct lod_encoded own = encode_original(source), sharing = encode_original(source);
    struct lod_plan plan;

    cr_assert_gt(own.header.bytes, 0);
    cr_assert(same_bytes(lod_buf_span(&own.header), lod_buf_span(&sharing.header)));
    join(&own, LOD_SLOT_OWN);
    join(&sharing, 3);
    cr_assert_lt(sharing.group[11].bytes, own.group[11].bytes);
    cr_assert_eq(lod_codec_plan(&lod_codec_pcr, own.row, LOD_FORMAT_TREE, LOD_ORIGINAL, &plan), 0);
    cr_assert_eq(plan.bytes, source.bytes);
    cr_assert_eq(make_again(&own, (struct lod_span){0}, source), 0);
    cr_assert_eq(make_again(&sharing, lod_buf_span(&own.group[11]), source), 0);
    cr_assert_eq(make_again(&sharing, lod_buf_span(&sharing.group[11]), source), -EILSEQ,
                 "a lender that borrows itself");
    lod_encoded_finish(&own);
    lod_encoded_finish(&sharing);
    lod_buf_finish(&file);
}

Test(pcr_original, damaged_rebuild_data_is_an_error_or_harmless)
{
    struct lod_buf file = sample_jpeg(&photograph);
    struct lod_encoded item = encode_original(lod_buf_span(&file));
    unsigned refused = 0;

    join(&item, LOD_SLOT_OWN);
    struct lod_buf good = {0};
    cr_assert_eq(lod_buf_append(&good, item.group[11].data, item.group[11].bytes), 0);
    for (size_t i = 0; i < good.bytes; i++) {
        struct lod_rebuild exact;
        uint8_t *out = malloc(file.bytes);
        struct lod_buf full = file_at(&item, LOD_FULL);
        item.group[11].data[i] ^= 0x41;
        int error = lod_rebuild_split(lod_buf_span(&item.group[11]), &exact);
        if (!error && !exact.shared) {
            error =
                lod_rebuild_file(lod_buf_span(&full), exact.header, exact.tail, out, file.bytes);
        }
        refused += error != 0;
        item.group[11].data[i] = good.data[i];
        lod_buf_finish(&full);
        free(out);
    }
    cr_assert_gt(refused, 0);
    lod_buf_finish(&good);
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}

Test(pcr_original, what_cannot_be_rebuilt_is_kept_beside_its_groups)
{
    struct lod_buf file = sample_jpeg(&photograph), noise = {0};
    uint64_t state = 7;
    struct lod_plan plan;

    /* Bytes between the scan and EOI that no encoder writes: long garbage before a marker. */
    size_t sos = exact_marker(&file, 0xda, 0);
    for (unsigned i = 0; i < 6000; i++) {
        uint8_t byte = (uint8_t)(sample_random(&state) % 255);
        cr_assert_eq(lod_buf_append(&noise, &byte, 1), 0);
    }
    exact_splice(&file, sos, 0, noise.data, noise.bytes);
    struct lod_encoded item = encode_original(lod_buf_span(&file));
    if (!item.whole) {
        cr_assert_eq(lod_row_flags(item.row) & LOD_ITEM_KEPT, LOD_ITEM_KEPT);
        cr_assert_eq(item.header.bytes, 0);
        for (unsigned g = lod_pcr_top(item.row) + 1; g < LOD_PCR_GROUP_FILE; g++) {
            cr_assert_eq(item.group[g - 1].bytes, 0, "nothing is stored twice");
        }
        cr_assert_eq(lod_codec_plan(&lod_codec_pcr, item.row, LOD_FORMAT_TREE, LOD_ORIGINAL, &plan),
                     0);
        struct lod_buf got = file_at(&item, LOD_ORIGINAL);
        cr_assert(same_bytes(lod_buf_span(&got), lod_buf_span(&file)));
        lod_buf_finish(&got);
    }
    cr_assert(!item.whole, "%s", item.whole);
    lod_encoded_finish(&item);
    lod_buf_finish(&noise);
    lod_buf_finish(&file);
}

Test(pcr_original, a_row_that_says_too_much_is_refused_before_memory_is_taken)
{
    struct lod_buf file = sample_jpeg(&photograph);
    struct lod_encoded item = encode_original(lod_buf_span(&file));
    struct lod_inputs inputs = {0};

    join(&item, LOD_SLOT_OWN);
    cr_assert_eq(lod_codec_pcr.maker->need(item.row, LOD_ORIGINAL, 0, &inputs), 0);
    inputs = (struct lod_inputs){0};
    lod_put_le32(item.row + LOD_PCR_SOURCE, UINT32_MAX);
    cr_assert_eq(lod_codec_pcr.maker->need(item.row, LOD_ORIGINAL, 0, &inputs), -E2BIG);
    lod_encoded_finish(&item);
    lod_buf_finish(&file);
}
