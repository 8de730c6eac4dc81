/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "png_samples.h"

static const struct png_sample plain = {.width = 5, .height = 4, .depth = 8, .colour = 2};

static const char *scan(const struct lod_buf *file)
{
    struct lod_png_layout layout;
    const char *why = NULL;

    return lod_png_scan(lod_buf_span(file), &layout, &why) ? why : NULL;
}

/* Scans `plain` with chunks added before and after its data. Returns NULL if it is accepted. */
static const char *scan_with(const char *before, const char *after)
{
    struct lod_buf front = {0}, back = {0};
    struct png_sample s = plain;

    for (; before && *before; before += 4) {
        png_chunk(&front, before, "abcdef", 6);
    }
    for (; after && *after; after += 4) {
        png_chunk(&back, after, "abcdef", 6);
    }
    s.before = lod_buf_span(&front);
    s.after = lod_buf_span(&back);
    struct lod_buf file = sample_png(&s);
    const char *why = scan(&file);
    lod_buf_finish(&file);
    lod_buf_finish(&front);
    lod_buf_finish(&back);
    return why;
}

static void expect(const char *why, const char *part)
{
    cr_assert_not_null(why, "taken, not refused with '%s'", part);
    cr_assert_not_null(strstr(why, part), "'%s', not '%s'", why, part);
}

Test(png_chunks, known_and_safe_chunks_are_taken)
{
    cr_assert_null(scan_with(NULL, NULL));
    cr_assert_null(
        scan_with("gAMAcHRMsRGBiCCPsBITbKGDpHYssPLTtIMEtEXtzTXtiTXteXIfcICPvpAgoFFs", ""));
    cr_assert_null(scan_with("", "tEXttIMEeXIfzTXtiTXtprIv"));
    cr_assert_null(scan_with("PLTEtRNS", "")); /* 6 bytes: two suggested colours */
}

Test(png_chunks, what_could_not_be_carried_over_is_named)
{
    expect(scan_with("acTL", ""), "animated");
    expect(scan_with("", "fdAT"), "animated");
    expect(scan_with("prIV", ""), "not safe to copy");
    expect(scan_with("", "dSIG"), "not safe to copy");
    expect(scan_with("JDAT", ""), "critical");
    expect(scan_with("IHDR", ""), "critical");
    expect(scan_with("", "gAMA"), "not allow it");
    expect(scan_with("", "PLTE"), "not allow it");
    expect(scan_with("PLTEPLTE", ""), "palette");
    expect(scan_with("tRNSPLTE", ""), "palette");
    expect(scan_with("", "tEXtIDAT"), "one run");
}

Test(png_chunks, palettes)
{
    const struct png_sample palette = {.width = 9, .height = 2, .depth = 4, .colour = 3};
    struct lod_buf file = sample_png(&palette), chunk = {0};
    struct lod_png_layout layout;
    const char *why = NULL;

    cr_assert_eq(lod_png_scan(lod_buf_span(&file), &layout, &why), 0);
    cr_assert_eq(layout.plte.bytes, 12 + 3 * 16);
    cr_assert_eq(layout.before.bytes, layout.plte.bytes);
    cr_assert_not(layout.transparent);
    memcpy(file.data + 33 + 4, "tEXt", 4);
    png_put_be32(file.data + 33 + 8 + 48, crc32_z(0, file.data + 33 + 4, 4 + 48));
    expect(scan(&file), "palette is missing");
    lod_buf_finish(&file);
    for (unsigned i = 0; i < 3; i++) {
        struct png_sample s = plain;
        s.colour = i == 2 ? LOD_PNG_GRAY : LOD_PNG_RGB;
        chunk.bytes = 0;
        png_chunk(&chunk, "PLTE", "abcdef", i == 0 ? 4 : i == 1 ? 0 : 6);
        s.before = lod_buf_span(&chunk);
        file = sample_png(&s);
        expect(scan(&file), "palette");
        lod_buf_finish(&file);
    }
    lod_buf_finish(&chunk);
}

/* Changes every bit of the file: all are refused, since every byte is covered by a CRC. */
Test(png_chunks, each_changed_bit_and_each_shorter_file_is_refused)
{
    struct lod_buf file = sample_png(&plain);

    for (size_t i = 0; i < 8 * file.bytes; i++) {
        file.data[i / 8] ^= (uint8_t)(1u << i % 8);
        cr_assert_not_null(scan(&file), "bit %zu", i);
        file.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    const size_t bytes = file.bytes;
    for (file.bytes = 0; file.bytes < bytes; file.bytes++) {
        expect(scan(&file), "truncated");
    }
    png_append(&file, "", 1);
    expect(scan(&file), "behind its end");
    lod_buf_finish(&file);
}

Test(png_chunks, headers)
{
    for (unsigned depth = 0; depth <= 17; depth++) {
        for (unsigned colour = 0; colour <= 8; colour++) {
            const struct lod_png_header header = {
                .width = 1, .height = 1, .depth = (uint8_t)depth, .colour = (uint8_t)colour};
            const bool power = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
            const bool valid = (colour == 0 && power) || (colour == 3 && power && depth < 16) ||
                               ((colour == 2 || colour == 4 || colour == 6) && power && depth >= 8);
            cr_assert_eq(lod_png_header_valid(&header), valid, "%u %u", depth, colour);
        }
    }
    for (unsigned at = 16; at < 29; at++) { /* 0x83: no legal size, depth, type or method */
        struct lod_buf file = sample_png(&plain);
        file.data[at] = 0x83;
        png_put_be32(file.data + 29, crc32_z(0, file.data + 12, 17));
        const bool low_byte = at % 4 && at < 24; /* a large side */
        cr_assert_eq(scan(&file) == NULL, low_byte, "byte %u", at);
        lod_buf_finish(&file);
    }
}

Test(png_chunks, thousands_of_tiny_chunks_are_refused)
{
    struct png_sample s = {.width = 60, .height = 60, .depth = 8, .colour = 2, .idat = 1};
    struct lod_buf file = sample_png(&s);

    expect(scan(&file), "tiny chunks");
    lod_buf_finish(&file);
    s.idat = 16;
    file = sample_png(&s);
    cr_assert_null(scan(&file));
    lod_buf_finish(&file);
}
