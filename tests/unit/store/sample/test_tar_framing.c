/* SPDX-License-Identifier: Apache-2.0 */
/* Tar headers by the offsets of POSIX.1-1988, and that heads and tails have the bytes they say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framing/framing.h"

#define UNTOUCHED 0xa5

static char name[5000];
static uint8_t text[LOD_HEAD_BYTES + 1];

/* A sample of one file whose name has `bytes` bytes, with a '/' at `slash` if that is not 0. */
static struct lod_framed_sample sample_of(size_t bytes, size_t slash, int32_t label)
{
    struct lod_framed_sample sample = {.count = 1, .label = label, .stem_bytes = bytes - 4};

    memset(name, 'n', bytes);
    if (slash) {
        name[slash] = '/';
    }
    memcpy(name + bytes - 4, ".jpg", 4);
    sample.file[0] = (struct lod_framed_file){
        .name = name, .name_bytes = bytes, .bytes = 1000, .mode = 0640, .mtime = 5ll << 30};
    return sample;
}

/* The head of a stretch, which must have as many bytes as it says. */
static unsigned head(const struct lod_framed_sample *sample, unsigned number)
{
    struct lod_stretch stretch;

    memset(text, UNTOUCHED, sizeof(text));
    lod_framing_tar.stretch(sample, number, &stretch, text);
    cr_assert_leq(stretch.head_bytes, LOD_HEAD_BYTES);
    cr_assert_eq(text[stretch.head_bytes], UNTOUCHED);
    cr_assert_neq(text[stretch.head_bytes - 1], UNTOUCHED);
    return stretch.head_bytes;
}

static void check_sum(const uint8_t *header)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < 512; i++) {
        sum += i >= 148 && i < 156 ? ' ' : header[i];
    }
    cr_assert_eq(strtoul((const char *)header + 148, NULL, 8), sum);
}

Test(tar_framing, a_short_name_has_one_header)
{
    struct lod_framed_sample sample = sample_of(100, 0, LOD_NO_LABEL);

    cr_assert_eq(lod_framing_tar.stretches(&sample), 1);
    cr_assert_eq(head(&sample, 0), 512);
    check_sum(text);
    cr_assert_eq(memcmp(text, name, 100), 0);
    cr_assert_str_eq((char *)text + 100, "0000640");
    cr_assert_str_eq((char *)text + 124, "00000001750");
    cr_assert_str_eq((char *)text + 136, "00000000005");
    cr_assert_eq(text[156], '0');
    cr_assert_eq(memcmp(text + 257,
                        "ustar\0"
                        "00",
                        8),
                 0);
    cr_assert_eq(lod_framing_bytes(&lod_framing_tar, &sample), 512 + 1024);
}

Test(tar_framing, a_path_is_cut_where_it_fits)
{
    static const struct {
        size_t bytes, slash;
        unsigned head;
    } cases[] = {{101, 0, 3 * 512},   {101, 1, 512},       {102, 1, 512},        {103, 1, 3 * 512},
                 {256, 155, 512},     {257, 155, 3 * 512}, {257, 156, 3 * 512},  {201, 100, 512},
                 {511, 155, 3 * 512}, {512, 155, 4 * 512}, {4095, 155, 10 * 512}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_framed_sample sample = sample_of(cases[i].bytes, cases[i].slash, LOD_NO_LABEL);
        cr_assert_eq(head(&sample, 0), cases[i].head, "case %zu", i);
        check_sum(text);
        if (cases[i].head == 512) {
            cr_assert_eq(memcmp(text + 345, name, cases[i].slash), 0);
            cr_assert_eq(
                memcmp(text, name + cases[i].slash + 1, cases[i].bytes - cases[i].slash - 1), 0);
        } else {
            check_sum(text + cases[i].head - 512);
            cr_assert_eq(text[156], 'L');
            cr_assert_str_eq((char *)text + 512 + 256, name + 256);
        }
    }
}

Test(tar_framing, a_label_is_a_file)
{
    struct lod_framed_sample sample = sample_of(20, 0, INT32_MAX);

    cr_assert_eq(lod_framing_tar.stretches(&sample), 2);
    cr_assert_eq(head(&sample, 1), 1024);
    cr_assert_eq(memcmp(text, name, 16), 0);
    cr_assert_str_eq((char *)text + 16, ".cls");
    cr_assert_str_eq((char *)text + 512, "2147483647");
    sample.file[1] = sample.file[0];
    sample.file[1].name = "nnnnnnnnnnnnnnnn.cls";
    sample.count = 2;
    cr_assert_eq(lod_framing_tar.stretches(&sample), 2, "one of the user's own");
}

static void add(struct lod_framed_sample *sample, const char *file, uint64_t bytes)
{
    sample->file[sample->count++] = (struct lod_framed_file){
        .name = file, .name_bytes = strlen(file), .path = file, .bytes = bytes};
}

/* WebDataset takes a.JPG and a.jpg for one file, and stops. */
Test(tar_framing, of_names_that_differ_in_case_the_lead_or_the_first_stays)
{
    static const char *const names[] = {"a.JPG", "a.TXT", "a.X.y", "a.jpg", "a.txt", "a.x.Y"};
    static const unsigned shown[] = {1, 2, 3};
    struct lod_framed_sample sample = {.label = 4, .stem_bytes = 1, .lead = 3};
    struct lod_stretch stretch;

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        add(&sample, names[i], i);
    }
    cr_assert_eq(lod_framing_tar.stretches(&sample), 4);
    for (unsigned i = 0; i < 3; i++) {
        lod_framing_tar.stretch(&sample, i, &stretch, text);
        cr_assert_eq(stretch.file, &sample.file[shown[i]]);
        cr_assert_str_eq((char *)text, names[shown[i]]);
        memset(text, UNTOUCHED, sizeof(text));
        lod_framing_tar.tail(&sample, i, 0, text);
        cr_assert_eq(text[stretch.tail_bytes - 1], 0);
        cr_assert_eq(text[stretch.tail_bytes], UNTOUCHED);
    }
    head(&sample, 3);
    cr_assert_str_eq((char *)text, "a.cls");
    cr_assert_eq(lod_framing_bytes(&lod_framing_tar, &sample), 3 * 1024 + 1024);
    add(&sample, "a.CLS", 1);
    cr_assert_eq(lod_framing_tar.stretches(&sample), 4, "one of the user's own");
}

Test(tar_framing, times_outside_the_field_are_clamped)
{
    struct lod_framed_sample sample = sample_of(20, 0, LOD_NO_LABEL);

    sample.file[0].mtime = -1;
    head(&sample, 0);
    cr_assert_str_eq((char *)text + 136, "00000000000");
    sample.file[0].mtime = INT64_MAX;
    head(&sample, 0);
    cr_assert_str_eq((char *)text + 136, "77777777777");
}

Test(tar_framing, the_table_finds_each_row)
{
    unsigned index = 99;

    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        cr_assert_eq(lod_framing_of(lod_framing_at(i)->format, &index), lod_framing_at(i));
        cr_assert_eq(index, i);
    }
    cr_assert_null(lod_framing_at(LOD_FRAMINGS));
    cr_assert_null(lod_framing_of(LOD_FORMAT_TREE, &index));
}
