/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "l3/l3_file.h"
#include "png_samples.h"

static struct lod_buf file_of(struct lod_encoded *item)
{
    const struct png_sample sample = {.width = 90, .height = 70, .colour = 3, .depth = 8};
    struct lod_buf source = sample_png(&sample);
    const struct lod_encode_options options = {.l3_mode = 1};

    *item = png_encode(lod_buf_span(&source), &options);
    cr_assert_null(item->whole, "%s", item->whole);
    lod_buf_finish(&source);
    return png_file_at(item, LOD_FORMAT_NATIVE, LOD_Q1);
}

Test(l3_file, an_item_comes_back_out_of_its_file)
{
    struct lod_encoded item;
    struct lod_buf file = file_of(&item);
    struct lod_l3_file opened;

    cr_assert_eq(lod_l3_file_open(lod_buf_span(&file), &opened), 0);
    cr_assert_eq(opened.parsed.out.header.width, 90);
    cr_assert_eq(opened.stream.bytes, item.group[7].bytes);
    cr_assert_arr_eq(opened.stream.at, item.group[7].data, item.group[7].bytes);
    cr_assert_eq(opened.chunks.bytes, item.group[8].bytes);
    cr_assert_gt(opened.chunks.bytes, 0);
    cr_assert_arr_eq(opened.chunks.at, item.group[8].data, item.group[8].bytes);
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}

Test(l3_file, what_is_none_is_refused)
{
    struct lod_encoded item;
    struct lod_buf file = file_of(&item);
    struct lod_l3_file opened;

    for (size_t bytes = 0; bytes < file.bytes; bytes++) {
        struct lod_span cut = {.at = file.data, .bytes = bytes};
        cr_assert_eq(lod_l3_file_open(cut, &opened), -EILSEQ, "%zu bytes", bytes);
    }
    cr_assert_eq(lod_buf_append(&file, "x", 1), 0);
    cr_assert_eq(lod_l3_file_open(lod_buf_span(&file), &opened), -EILSEQ, "more than a file");
    file.bytes--;
    for (unsigned at = 0; at < 8 + 8; at++) {
        file.data[at] ^= 0x81;
        cr_assert_eq(lod_l3_file_open(lod_buf_span(&file), &opened), -EILSEQ, "byte %u", at);
        file.data[at] ^= 0x81;
    }
    lod_buf_finish(&file);
    lod_encoded_finish(&item);
}
