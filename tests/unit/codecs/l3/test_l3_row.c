/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "l3/container/container.h"
#include "l3/container/l3_row.h"

static struct lod_l3_row sample(void)
{
    const struct lod_png_header header = {
        .width = 1000, .height = 300, .depth = 8, .colour = LOD_PNG_PALETTE};
    struct lod_l3_row row = {.flags = LOD_ITEM_NO_ORIGINAL,
                             .container = &lod_l3_container_png,
                             .transparent = true,
                             .mode = 1,
                             .source = 123456,
                             .chunks = 40,
                             .stream = 99999,
                             .sums = {.crc = 0xdeadbeef, .adler = 0x12345678}};
    cr_assert_eq(lod_png_stored_init(&header, 6, &row.out), 0);
    return row;
}

Test(l3_row, comes_back)
{
    const struct lod_l3_row from = sample();
    struct lod_l3_row to;
    uint8_t row[LOD_ROW_BYTES];

    lod_l3_row_write(&from, row);
    cr_assert_eq(lod_l3_row_read(row, &to), 0);
    cr_assert_eq(to.flags, from.flags);
    cr_assert(to.transparent);
    cr_assert_eq(to.mode, 1);
    cr_assert_eq(to.source, from.source);
    cr_assert_eq(to.chunks, from.chunks);
    cr_assert_eq(to.stream, from.stream);
    cr_assert_eq(to.sums.crc, from.sums.crc);
    cr_assert_eq(to.sums.adler, from.sums.adler);
    cr_assert_eq(to.out.header.width, 1000);
    cr_assert_eq(to.out.header.height, 300);
    cr_assert_eq(to.out.header.colour, LOD_PNG_PALETTE);
    cr_assert_eq(to.out.bytes, from.out.bytes);
}

Test(l3_row, whole_has_a_size_and_nothing_else)
{
    const struct lod_l3_row from = {.flags = LOD_ITEM_WHOLE, .source = 77};
    struct lod_l3_row to;
    uint8_t row[LOD_ROW_BYTES];

    lod_l3_row_write(&from, row);
    cr_assert_eq(lod_l3_row_read(row, &to), 0);
    cr_assert_eq(to.source, 77);
    for (unsigned i = 1; i < LOD_ROW_BYTES; i++) {
        const bool own_node = i >= 4 && i < 8, source = i >= 16 && i < 20;
        row[i] ^= 1;
        cr_assert_eq(lod_l3_row_read(row, &to), own_node || source ? 0 : -EILSEQ, "byte %u", i);
        row[i] ^= 1;
    }
    for (unsigned bit = 1; bit < 8; bit++) {
        row[0] = (uint8_t)(LOD_ITEM_WHOLE | 1u << bit);
        const bool any = 1u << bit == LOD_ITEM_NO_DECODED || 1u << bit == LOD_ITEM_HAS_MAGIC ||
                         1u << bit == LOD_ITEM_HAS_LABEL;
        cr_assert_eq(lod_l3_row_read(row, &to), any ? 0 : -EILSEQ);
    }
}

/* {offset, value} of single bytes that make the sample row malformed. */
Test(l3_row, contradictions_are_malformed)
{
    static const uint8_t wrong[][2] = {
        {0, 0},      {0, LOD_ITEM_NO_ORIGINAL | LOD_ITEM_KEPT},
        {0, 2 | 16}, {0, 2 | 16 | 128},
        {0, 2 | 64}, {1, 1},
        {1, 5},      {1, 8},
        {1, 2 | 64}, {2, 0},
        {2, 3},      {2, 16},
        {3, 0x63},   {3, 0x6f},
        {3, 0x41},   {3, 0x81},
        {40, 1},     {55, 1},
        {56, 1},     {63, 1},
        {20, 1},
    };
    struct lod_l3_row from = sample(), to;
    uint8_t row[LOD_ROW_BYTES];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lod_l3_row_write(&from, row);
        row[wrong[i][0]] = wrong[i][1];
        cr_assert_eq(lod_l3_row_read(row, &to), -EILSEQ, "%u = %u", wrong[i][0], wrong[i][1]);
    }
    for (unsigned field = 8; field <= 36; field += field == 16 ? 8 : 4) {
        lod_l3_row_write(&from, row);
        memset(row + field, 0, field == 16 ? 8 : 4);
        const bool any = field == 28 || field == 32; /* checksums */
        cr_assert_eq(lod_l3_row_read(row, &to), any ? 0 : -EILSEQ, "0 at %u", field);
    }
    from.chunks = 27; /* a PLTE of one colour is 15 bytes, a tRNS of one value 13 */
    lod_l3_row_write(&from, row);
    cr_assert_eq(lod_l3_row_read(row, &to), -EILSEQ);
    row[1] = LOD_PNG_PALETTE;
    cr_assert_eq(lod_l3_row_read(row, &to), 0);
}

/* {offset, value} of single bytes that make a row of PGM, PPM or BMP malformed. */
static void check_plain(struct lod_l3_row from, const uint8_t wrong[][2], size_t count)
{
    struct lod_l3_row to;
    uint8_t row[LOD_ROW_BYTES];

    from.flags = 0;
    from.chunks = 200;
    from.front = 199;
    from.stream = 5000;
    lod_l3_row_write(&from, row);
    cr_assert_eq(lod_l3_row_read(row, &to), 0);
    cr_assert_eq(to.front, 199);
    cr_assert_eq(to.upward, from.upward);
    cr_assert_eq(to.maxval, from.maxval);
    for (size_t i = 0; i < count; i++) {
        lod_l3_row_write(&from, row);
        row[wrong[i][0]] = wrong[i][1];
        cr_assert_eq(lod_l3_row_read(row, &to), -EILSEQ, "%u = %u", wrong[i][0], wrong[i][1]);
    }
}

Test(l3_row, plain_containers)
{
    const struct lod_png_header header = {.width = 100, .height = 30, .depth = 8, .colour = 2};
    static const uint8_t pnm[][2] = {{0, 2},    {0, 32}, {1, 3},  {1, 4},   {1, 6},  {1, 7},
                                     {2, 4},    {2, 16}, {8, 99}, {12, 31}, {16, 1}, {24, 9},
                                     {28, 201}, {32, 0}, {33, 1}, {35, 1},  {40, 3}, {41, 1}};
    static const uint8_t bmp[][2] = {{0, 2},    {0, 32}, {1, 4},  {1, 7},  {2, 16},
                                     {28, 201}, {32, 2}, {33, 1}, {40, 3}, {63, 1}};
    struct lod_l3_row from = {.out = lod_l3_output_of(&header, 6),
                              .container = lod_l3_container_find(LOD_L3_CONTAINER_PNM),
                              .maxval = 200,
                              .source = 200 + 300 * 30};

    check_plain(from, pnm, sizeof(pnm) / sizeof(pnm[0]));
    from.container = lod_l3_container_find(LOD_L3_CONTAINER_BMP);
    from.maxval = 0;
    from.upward = true;
    check_plain(from, bmp, sizeof(bmp) / sizeof(bmp[0]));
    cr_assert_null(lod_l3_container_find(LOD_L3_CONTAINERS));
}

Test(l3_row, sizes_nobody_can_make_are_malformed)
{
    static const uint32_t sides[][2] = {{0x7fffffff, 0x7fffffff}, {0x7fffffff, 1}, {1, 0x7fffffff},
                                        {65536, 65536},           {0x80000000, 1}, {3000000, 64}};
    const struct lod_l3_row from = sample();
    struct lod_l3_row to;
    uint8_t row[LOD_ROW_BYTES];

    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        lod_l3_row_write(&from, row);
        lod_put_le32(row + 8, sides[i][0]);
        lod_put_le32(row + 12, sides[i][1]);
        cr_assert_eq(lod_l3_row_read(row, &to), -EILSEQ, "%zu", i);
    }
}
