/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "toc/shard/dtype.h"

#define BIG LOD_DTYPE_BIG_ENDIAN

Test(dtype, only_the_types_of_numeric_tables_are_legal)
{
    unsigned legal = 0;

    for (unsigned byte = 0; byte < 256; byte++) {
        legal += lod_dtype_legal((uint8_t)byte);
    }
    cr_assert_eq(legal, 12 + 9);
    cr_assert(lod_dtype_legal(LOD_DTYPE_F2 | BIG));
    cr_assert_not(lod_dtype_legal(LOD_DTYPE_U1 | BIG), "a byte has no order");
    cr_assert_not(lod_dtype_legal(0x0c), "a float of one byte");
    cr_assert_not(lod_dtype_legal(0x01), "a bool of two");
}

Test(dtype, elements_become_words_and_elements_again)
{
    static const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x80};
    uint64_t words[16];
    uint8_t back[16];

    for (unsigned dtype = 0; dtype < 32; dtype++) {
        if (!lod_dtype_legal((uint8_t)dtype)) {
            continue;
        }
        size_t count = 16 / lod_dtype_bytes((uint8_t)dtype);
        memset(back, 0xaa, sizeof(back));
        lod_dtype_words((uint8_t)dtype, bytes, count, words);
        lod_dtype_elements((uint8_t)dtype, words, count, back);
        cr_assert_arr_eq(back, bytes, 16, "dtype %u", dtype);
    }
    lod_dtype_words(LOD_DTYPE_U4 | BIG, bytes, 1, words);
    cr_assert_eq(words[0], 0x01020304);
    lod_dtype_words(LOD_DTYPE_I2, bytes, 1, words);
    cr_assert_eq(words[0], 0x0201);
}

Test(dtype, words_are_numbers)
{
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_BOOL, 2), 1);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_I1, 0xff), -1);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_I4, 0x80000000), -2147483648.0);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_I8, UINT64_MAX), -1);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_U8, UINT64_MAX), 18446744073709551616.0);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_U2, 65535), 65535);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F4, 0x3fc00000), 1.5);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F8, 0x4000000000000000), 2);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F2, 0x3c01), 1 + 1 / 1024.0);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F2, 0x0001), ldexp(1, -24), "subnormal");
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F2, 0xfbff), -65504);
    cr_assert_eq(lod_dtype_number(LOD_DTYPE_F2, 0x7c00), INFINITY);
    cr_assert(isnan(lod_dtype_number(LOD_DTYPE_F2, 0x7e00)));
    cr_assert(signbit(lod_dtype_number(LOD_DTYPE_F2, 0x8000)));
}
