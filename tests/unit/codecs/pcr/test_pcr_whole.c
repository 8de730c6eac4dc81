/* SPDX-License-Identifier: Apache-2.0 */
/* Files that pcr_write.c must not transcode are stored unchanged. */
#include "pcr_samples.h"

static void expect_whole(const struct lod_buf *file, const char *part)
{
    const struct lod_script *script = lod_script_named("default");
    struct lod_encoded item = encode_with(lod_buf_span(file), &script, 1);

    cr_assert_not_null(item.whole, "expected: %s", part);
    cr_assert_not_null(strstr(item.whole, part), "%s; expected: %s", item.whole, part);
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        struct lod_buf shown = file_at(&item, (enum lod_fidelity)f);
        cr_assert(same_bytes(lod_buf_span(file), lod_buf_span(&shown)));
        lod_buf_finish(&shown);
    }
    lod_encoded_finish(&item);
}

Test(pcr_whole, what_would_lose_something_is_stored_whole)
{
    struct sample s = {.width = 70, .height = 50, .h = {2}, .v = {2}};
    struct lod_buf file = sample_jpeg(&s);
    /* so all other bytes follow the end marker */
    memcpy(file.data + file.bytes - 202, "\xff\xd9", 2);
    expect_whole(&file, "truncated");
    lod_buf_finish(&file);

    file = sample_jpeg(&s);
    file.bytes -= 2;
    expect_whole(&file, "no end marker");
    lod_buf_finish(&file);

    s.arithmetic = true;
    file = sample_jpeg(&s);
    expect_whole(&file, "arithmetic");
    lod_buf_finish(&file);
    s.arithmetic = false;

    s.progressive = true;
    for (unsigned scans = 1; scans < 10; scans++) {
        file = sample_jpeg(&s);
        sample_cut(&file, scans);
        expect_whole(&file, "incomplete");
        lod_buf_finish(&file);
    }
    s.progressive = false;

    s.restart = 2;
    file = sample_jpeg(&s);
    uint8_t *marker = memmem(file.data, file.bytes, "\xff\xd3", 2);
    marker[1] = 0xd5;
    expect_whole(&file, "corrupt");
    lod_buf_finish(&file);
}

Test(pcr_whole, a_table_that_changes_between_scans_is_no_loss_at_any_fidelity)
{
    struct sample s = {.width = 30, .height = 20, .scan_a_component = true};
    struct lod_buf file = sample_jpeg(&s);
    struct lod_buf other = {0};
    const uint8_t *dqt = memmem(file.data, file.bytes, "\xff\xdb", 2);
    const uint8_t *sos = memmem(file.data, file.bytes, "\xff\xda", 2);
    const uint8_t *dht = memmem(sos, 400, "\xff\xc4", 2);
    size_t at = (size_t)(dht - file.data);

    cr_assert_eq(lod_buf_append(&other, file.data, at), 0);
    cr_assert_eq(lod_buf_append(&other, dqt, 69), 0);
    other.data[at + 20] ^= 3;
    cr_assert_eq(lod_buf_append(&other, file.data + at, file.bytes - at), 0);
    expect_whole(&other, "quantisation table changes");
    lod_buf_finish(&file);
    lod_buf_finish(&other);
}
