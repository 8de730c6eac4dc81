/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "jpeg_samples.h"
#include "pcr/jpeg/exif.h"
#include "pcr/jpeg/jpeg_scan.h"

static const struct sample small = {.width = 40, .height = 30, .h = {2}, .v = {2}};

static void expect_whole(struct lod_span file, const char *part)
{
    struct lod_jpeg_layout layout;
    const char *why = NULL;
    cr_assert_eq(lod_jpeg_scan(file, &layout, &why), -ENOTSUP, "expected: %s", part);
    cr_assert_not_null(strstr(why, part), "\"%s\", expected \"%s\"", why, part);
}

static struct lod_jpeg_layout must_scan(struct lod_span file)
{
    struct lod_jpeg_layout layout;
    const char *why = NULL;
    cr_assert_eq(lod_jpeg_scan(file, &layout, &why), 0, "%s", why);
    return layout;
}

/* Returns the offset of the first marker with this code, from the marker at `at` on. */
static size_t find_from(const struct lod_buf *file, size_t at, uint8_t code)
{
    while (file->data[at + 1] != code) {
        at += 2u + (unsigned)(file->data[at + 2] << 8 | file->data[at + 3]);
        cr_assert_lt(at + 4, file->bytes);
    }
    return at;
}

static size_t find(const struct lod_buf *file, uint8_t code)
{
    return find_from(file, 2, code);
}

static void insert(struct lod_buf *file, size_t at, const void *bytes, size_t count)
{
    cr_assert_eq(lod_buf_reserve(file, count), 0);
    memmove(file->data + at + count, file->data + at, file->bytes - at);
    memcpy(file->data + at, bytes, count);
    file->bytes += count;
}

Test(jpeg_scan, the_frame_and_its_segments_are_found)
{
    struct sample s = small;
    s.orientation = 6;
    s.icc_bytes = 70000;
    s.comment_bytes = 50;
    s.trailing = "after the end";
    s.restart = 2;
    struct lod_buf file = sample_jpeg(&s);
    struct lod_jpeg_layout l = must_scan(lod_buf_span(&file));
    const unsigned kinds[] = {LOD_JPEG_JFIF, LOD_JPEG_EXIF,  LOD_JPEG_ICC,
                              LOD_JPEG_ICC,  LOD_JPEG_OTHER, LOD_JPEG_OTHER};

    cr_assert_eq(l.sof, 0xc0);
    cr_assert_eq(l.components, 3);
    cr_assert_eq(l.width, 40);
    cr_assert_eq(l.height, 30);
    cr_assert_eq(l.h[0] * 10 + l.v[0], 22);
    cr_assert_eq(l.h[2] * 10 + l.v[2], 11);
    cr_assert_eq(l.scans, 1);
    cr_assert_eq(l.end, file.bytes - strlen(s.trailing));
    cr_assert_eq(l.orientation, 6);
    cr_assert_eq(l.luma_table[0], 5, "16 at quality 85");
    cr_assert_eq(l.segments_count, 6);
    uint32_t at = 2;
    for (unsigned i = 0; i < 6; i++) {
        cr_assert_eq(l.segments[i].kind, kinds[i]);
        cr_assert_eq(l.segments[i].offset, at, "segments lie one behind the other");
        at += l.segments[i].bytes;
    }
    lod_buf_finish(&file);
}

Test(jpeg_scan, progressive_and_unusual_but_sound_files_are_taken)
{
    struct sample s = small;
    s.progressive = true;
    struct lod_buf file = sample_jpeg(&s);
    cr_assert_eq(must_scan(lod_buf_span(&file)).scans, 10);
    lod_buf_finish(&file);

    s.progressive = false;
    s.scan_a_component = true;
    file = sample_jpeg(&s);
    insert(&file, find(&file, 0xdb), "garbage", 7);
    insert(&file, find(&file, 0xe0), "\xff\xff\xff\xd3", 4);
    cr_assert_eq(must_scan(lod_buf_span(&file)).scans, 3);
    lod_buf_finish(&file);
}

Test(jpeg_scan, what_cannot_be_transcoded_is_named)
{
    struct sample s = small;
    struct lod_buf good = sample_jpeg(&s), file;
    const struct {
        uint8_t sof;
        const char *why;
    } frames[] = {{0xc3, "lossless"},      {0xc5, "hierarchical"}, {0xc7, "hierarchical"},
                  {0xc9, "arithmetic"},    {0xca, "arithmetic"},   {0xcb, "arithmetic"},
                  {0xcf, "arithmetic"},    {0xcc, "arithmetic"},   {0xc8, "unknown marker"},
                  {0xdc, "DNL"},           {0xde, "hierarchical"}, {0xf7, "unknown marker"},
                  {0xd8, "unknown marker"}};
    const struct {
        size_t offset;
        uint8_t value;
        const char *why;
    } fields[] = {{4, 12, "8 bits"},
                  {9, 5, "malformed frame"},
                  {11, 0x52, "impossible sampling"},
                  {12, 4, "impossible"},
                  {13, 1, "same number"}};

    size_t sof = find(&good, 0xc0);
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
        good.data[sof + 1] = frames[i].sof;
        expect_whole(lod_buf_span(&good), frames[i].why);
    }
    good.data[sof + 1] = 0xc0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint8_t before = good.data[sof + fields[i].offset];
        good.data[sof + fields[i].offset] = fields[i].value;
        expect_whole(lod_buf_span(&good), fields[i].why);
        good.data[sof + fields[i].offset] = before;
    }
    const uint8_t heights[][2] = {{0, 0}, {0xff, 0xff}};
    const char *whys[] = {"DNL", "65,500"};
    for (unsigned i = 0; i < 2; i++) {
        memcpy(good.data + sof + 5, heights[i], 2);
        expect_whole(lod_buf_span(&good), whys[i]);
    }
    memcpy(good.data + sof + 5, "\xe0\x00", 2); /* 57344 rows in a few hundred bytes */
    expect_whole(lod_buf_span(&good), "fewer bits");
    lod_buf_finish(&good);

    s.arithmetic = true;
    file = sample_jpeg(&s);
    expect_whole(lod_buf_span(&file), "arithmetic");
    lod_buf_finish(&file);
}

Test(jpeg_scan, every_truncation_is_found)
{
    struct lod_buf file = sample_jpeg(&small);
    for (size_t bytes = 0; bytes < file.bytes; bytes++) {
        uint8_t *exact =
            malloc(bytes); /* exactly as long, so that a sanitizer sees a read past the end */
        memcpy(exact, file.data, bytes);
        expect_whole((struct lod_span){.at = exact, .bytes = bytes},
                     bytes < 2 ? "not a JPEG" : "truncated");
        free(exact);
    }
    lod_buf_finish(&file);
}

Test(jpeg_scan, a_component_comes_once_in_a_sequential_file)
{
    struct sample s = small;
    s.scan_a_component = true;
    struct lod_buf file = sample_jpeg(&s);
    size_t sos = find(&file, 0xda), end = lod_jpeg_entropy_end(lod_buf_span(&file), sos + 2);
    file.data[find_from(&file, end, 0xda) + 5] =
        file.data[sos + 5]; /* the second scan names the first component */
    expect_whole(lod_buf_span(&file), "twice");
    sample_cut(&file, 2);
    expect_whole(lod_buf_span(&file), "twice");
    lod_buf_finish(&file);

    file = sample_jpeg(&s);
    sample_cut(&file, 2);
    expect_whole(lod_buf_span(&file), "no scan");
    lod_buf_finish(&file);
}

Test(jpeg_scan, limits_hold)
{
    struct sample s = small;
    s.scan_a_component = true;
    struct lod_buf file = sample_jpeg(&s);
    size_t at = find(&file, 0xdb);
    for (unsigned i = 1; i < LOD_JPEG_SEGMENTS_MAX; i++) {
        insert(&file, at, "\xff\xfe\x00\x02", 4);
    }
    cr_assert_eq(must_scan(lod_buf_span(&file)).segments_count, LOD_JPEG_SEGMENTS_MAX);
    insert(&file, at, "\xff\xfe\x00\x02", 4);
    expect_whole(lod_buf_span(&file), "1,024");
    lod_buf_finish(&file);

    s.progressive = true;
    file = sample_jpeg(&s);
    const char refinement[] = "\xff\xda\x00\x08\x01\x01\x00\x01\x01\x00";
    for (unsigned i = 10; i < LOD_JPEG_SCANS_MAX; i++) {
        insert(&file, file.bytes - 2, refinement, sizeof(refinement) - 1);
    }
    cr_assert_eq(must_scan(lod_buf_span(&file)).scans, LOD_JPEG_SCANS_MAX);
    insert(&file, file.bytes - 2, refinement, sizeof(refinement) - 1);
    expect_whole(lod_buf_span(&file), "128 scans");
    lod_buf_finish(&file);
}

Test(jpeg_scan, a_marker_that_decides_colours_may_not_follow_the_first_scan)
{
    struct sample s = small;
    s.scan_a_component = true;
    struct lod_buf file = sample_jpeg(&s);
    size_t end = lod_jpeg_entropy_end(lod_buf_span(&file), find(&file, 0xda) + 2);
    insert(&file, end, "\xff\xfe\x00\x04ok", 6);
    cr_assert_eq(must_scan(lod_buf_span(&file)).segments_count, 2);
    insert(&file, end,
           "\xff\xee\x00\x0e"
           "Adobe\0\x64\0\0\0\0\0",
           16);
    expect_whole(lod_buf_span(&file), "after the first scan");
    lod_buf_finish(&file);
}

Test(jpeg_scan, orientation_is_read_in_both_byte_orders_and_written)
{
    for (unsigned orientation = 0; orientation <= 8; orientation++) {
        for (unsigned big = 0; big < 2; big++) {
            struct sample s = small;
            s.orientation = orientation;
            s.exif_big = big;
            struct lod_buf file = sample_jpeg(&s);
            cr_assert_eq(must_scan(lod_buf_span(&file)).orientation, orientation);
            lod_buf_finish(&file);
        }
        uint8_t segment[LOD_EXIF_BYTES];
        lod_exif_write((uint8_t)orientation, segment);
        cr_assert_eq(memcmp(segment,
                            "\xff\xe1\x00\x22"
                            "Exif\0\0",
                            10),
                     0);
        cr_assert_eq(lod_exif_orientation(lod_cursor(segment + 4, LOD_EXIF_BYTES - 4)),
                     orientation);
        for (size_t bytes = 0; bytes < 26; bytes++) {
            cr_assert_eq(lod_exif_orientation(lod_cursor(segment + 4, bytes)), 0);
        }
    }
}

Test(jpeg_scan, odd_exif_has_no_orientation)
{
    uint8_t s[LOD_EXIF_BYTES];
    const struct {
        unsigned at;
        uint8_t value;
    } odd[] = {{10, 'X'}, {13, 41}, {14, 0xff}, {17, 200}, {21, 0x11}, {23, 4}, {27, 2}, {29, 9}};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        lod_exif_write(6, s);
        s[odd[i].at] = odd[i].value;
        cr_assert_eq(lod_exif_orientation(lod_cursor(s + 4, LOD_EXIF_BYTES - 4)), 0, "%zu", i);
    }
}

Test(jpeg_scan, segments_are_taken_for_what_libjpeg_takes_them_for)
{
    const struct {
        const char *bytes;
        unsigned count;
        enum lod_jpeg_segment_kind kind;
    } segments[] = {
        {"\xff\xe0\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0", 18, LOD_JPEG_JFIF},
        {"\xff\xe0\x00\x0fJFIF\0\1\1\0\0\1\0\1\0", 17, LOD_JPEG_OTHER},
        {"\xff\xe0\x00\x10JFXX\0\1\1\0\0\1\0\1\0\0", 18, LOD_JPEG_OTHER},
        {"\xff\xe1\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0", 18, LOD_JPEG_OTHER},
        {"\xff\xee\x00\x0e"
         "Adobe\0\x64\0\0\0\0\2",
         16, LOD_JPEG_ADOBE},
        {"\xff\xee\x00\x0d"
         "Adobe\0\x64\0\0\0\0",
         15, LOD_JPEG_OTHER},
        {"\xff\xe2\x00\x10ICC_PROFILE\0\1\1", 18, LOD_JPEG_ICC},
        {"\xff\xe2\x00\x0fICC_PROFILE\0\1", 17, LOD_JPEG_OTHER},
        {"\xff\xe1\x00\x08"
         "Exif\0\0",
         10, LOD_JPEG_EXIF},
        {"\xff\xe1\x00\x08"
         "Exif\0\1",
         10, LOD_JPEG_OTHER},
        {"\xff\xe1\x00\x02", 4, LOD_JPEG_OTHER},
    };
    for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++) {
        struct lod_buf file = sample_jpeg(&small);
        insert(&file, 2, segments[i].bytes, segments[i].count);
        struct lod_jpeg_layout l = must_scan(lod_buf_span(&file));
        cr_assert_eq(l.segments[0].kind, segments[i].kind, "segment %zu", i);
        cr_assert_eq(l.segments[0].bytes, segments[i].count);
        lod_buf_finish(&file);
    }
}
