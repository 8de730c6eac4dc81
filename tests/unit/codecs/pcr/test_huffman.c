/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "pcr/entropy/huffman.h"

static unsigned bits(const struct lod_huffman_codes *codes, unsigned symbol)
{
    return codes->entry[symbol] & 0xff;
}

Test(huffman, standard_tables_have_the_codes_of_the_standard)
{
    struct lod_huffman_codes dc, ac;

    cr_assert_eq(lod_huffman_codes(&lod_huffman_standard[LOD_HUFFMAN_DC][0], &dc), 0);
    cr_assert_eq(lod_huffman_codes(&lod_huffman_standard[LOD_HUFFMAN_AC][0], &ac), 0);
    cr_assert_eq(dc.entry[0], 0x0u << 8 | 2); /* T.81 table K.3 */
    cr_assert_eq(dc.entry[11], 0x1feu << 8 | 9);
    cr_assert_eq(ac.entry[0x00], 0xau << 8 | 4); /* table K.5: end of block */
    cr_assert_eq(ac.entry[0xf0], 0x7f9u << 8 | 11);
    cr_assert_eq(ac.entry[0xfa], 0xfffeu << 8 | 16);
    cr_assert_eq(ac.entry[0x0b], 0, "a symbol that the table lacks");
}

Test(huffman, tables_that_are_none_are_refused)
{
    struct lod_huffman_table table = {.counts = {3}, .values_count = 3, .values = {0, 1, 2}};
    struct lod_huffman_codes codes;
    uint8_t segment[LOD_HUFFMAN_BITS_MAX + 2] = {0, 3};
    struct lod_cursor c = lod_cursor(segment, sizeof(segment));

    cr_assert_eq(lod_huffman_codes(&table, &codes), -EILSEQ, "three codes of one bit");
    table.counts[0] = 1;
    cr_assert_eq(lod_huffman_codes(&table, &codes), -EILSEQ, "more values than codes");
    cr_assert_eq(lod_huffman_take(&c, &table), -EILSEQ, "a value is missing");
    memset(segment, 255, sizeof(segment));
    c = lod_cursor(segment, sizeof(segment));
    cr_assert_eq(lod_huffman_take(&c, &table), -EILSEQ, "4,080 values");
}

/* No code is a prefix of another, so lengths must leave room for the code of all ones. */
static void expect_sound(const struct lod_huffman_table *table, unsigned symbols)
{
    struct lod_huffman_codes codes;
    uint32_t taken = 0;

    cr_assert_eq(table->values_count, symbols);
    cr_assert_eq(lod_huffman_codes(table, &codes), 0);
    for (unsigned i = 0; i < LOD_HUFFMAN_BITS_MAX; i++) {
        taken += (uint32_t)table->counts[i] << (15 - i);
    }
    cr_assert_lt(taken, 1u << 16);
}

Test(huffman, optimal_tables_give_frequent_symbols_short_codes)
{
    uint32_t counts[256] = {0};
    struct lod_huffman_table table;
    struct lod_huffman_codes codes;

    lod_huffman_optimal(counts, &table);
    cr_assert_eq(table.values_count, 0);
    counts[7] = 1;
    lod_huffman_optimal(counts, &table);
    expect_sound(&table, 1);
    cr_assert_eq(table.counts[0], 1);
    counts[3] = 100;
    counts[200] = 10;
    lod_huffman_optimal(counts, &table);
    expect_sound(&table, 3);
    cr_assert_eq(lod_huffman_codes(&table, &codes), 0);
    cr_assert(bits(&codes, 3) == 1 && bits(&codes, 200) == 2 && bits(&codes, 7) == 3);
}

Test(huffman, optimal_codes_have_16_bits_at_most)
{
    uint32_t counts[256] = {0};
    struct lod_huffman_table table;

    counts[0] = counts[1] = 1; /* Fibonacci numbers make the longest codes */
    for (unsigned i = 2; i < 45; i++) {
        counts[i] = counts[i - 1] + counts[i - 2];
    }
    lod_huffman_optimal(counts, &table);
    expect_sound(&table, 45);
    for (unsigned i = 0; i < 256; i++) {
        counts[i] = 1 + i % 5;
    }
    lod_huffman_optimal(counts, &table);
    expect_sound(&table, 256);
}
