/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "toc/shard/values.h"

static uint64_t bits_of(double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof(word));
    return word;
}

static uint64_t widen(uint8_t dtype, uint8_t value, const uint8_t *stored)
{
    const struct lod_toc_shard shard = {.dtype = dtype, .value = value};
    uint64_t word = 0;

    lod_values_read(&shard, LOD_AS_WORDS, stored, 1, &word);
    return word;
}

/* Returns all forms that fit the word, after checking that each preserves it. */
static unsigned forms(uint8_t dtype, uint64_t word)
{
    unsigned found = 0;

    for (uint8_t value = 0; value <= LOD_TOC_VALUE_F4; value++) {
        uint8_t stored[8];
        if (lod_value_bytes(dtype, value) && lod_values_forms(dtype, 1u << value, &word, 1)) {
            lod_values_narrow(dtype, value, &word, 1, stored);
            cr_assert_eq(widen(dtype, value, stored), word);
            found |= 1u << value;
        }
    }
    return found;
}

#define OWN (1u << LOD_TOC_VALUE_OWN)
#define U1  (1u << LOD_TOC_VALUE_U1)
#define U2  (1u << LOD_TOC_VALUE_U2)
#define U4  (1u << LOD_TOC_VALUE_U4)
#define I1  (1u << LOD_TOC_VALUE_I1)
#define I2  (1u << LOD_TOC_VALUE_I2)
#define I4  (1u << LOD_TOC_VALUE_I4)
#define F4  (1u << LOD_TOC_VALUE_F4)

Test(values, a_double_has_the_forms_that_keep_its_bits)
{
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(0)), OWN | U1 | U2 | U4 | I1 | I2 | I4 | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(255)), OWN | U1 | U2 | U4 | I2 | I4 | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(-129)), OWN | I2 | I4 | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(4294967295.0)), OWN | U4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(4294967296.0)), OWN | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(-0.0)), OWN | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(1.5)), OWN | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(0.1)), OWN);
    cr_assert_eq(forms(LOD_DTYPE_F8, bits_of(INFINITY)), OWN | F4);
    cr_assert_eq(forms(LOD_DTYPE_F8, UINT64_C(0x7ff0000000000001)), OWN, "a signalling NaN");
    cr_assert_eq(forms(LOD_DTYPE_F8, UINT64_C(0xfff8000000000000)), OWN, "a quiet one");
}

Test(values, whole_numbers_and_small_types)
{
    cr_assert_eq(forms(LOD_DTYPE_I8, UINT64_MAX), OWN | I1 | I2 | I4);
    cr_assert_eq(forms(LOD_DTYPE_U8, UINT64_MAX), OWN | I1 | I2 | I4, "modulo 2^64");
    cr_assert_eq(forms(LOD_DTYPE_I4, 0x80000000), OWN);
    cr_assert_eq(forms(LOD_DTYPE_U2, 256), OWN);
    cr_assert_eq(forms(LOD_DTYPE_U1, 1), OWN);
    cr_assert_eq(forms(LOD_DTYPE_F4, 0x3f800000), OWN | U1 | U2 | I1 | I2);
    cr_assert_eq(forms(LOD_DTYPE_F2, 0x5bf8), OWN | U1, "255");
    cr_assert_eq(forms(LOD_DTYPE_F2, 0xd800), OWN | I1, "-128");
    cr_assert_eq(forms(LOD_DTYPE_F2, 0x0001), OWN, "a subnormal");
    cr_assert_eq(lod_value_bytes(LOD_DTYPE_I8, LOD_TOC_VALUE_F4), 0, "no float");
    cr_assert_eq(lod_value_bytes(LOD_DTYPE_F4, LOD_TOC_VALUE_F4), 0, "no narrower");
    cr_assert_eq(lod_value_bytes(LOD_DTYPE_F8, 8), 0);
}

/* Loops over many words give the same results as one word at a time. */
Test(values, many_words_are_taken_as_one_by_one)
{
    const double numbers[] = {0,    1,     255,   256,          -1,  -128,
                              -129, 65535, 65536, 4294967295.0, 1.5, -0.0};
    const uint8_t dtypes[] = {LOD_DTYPE_F8, LOD_DTYPE_F8 | LOD_DTYPE_BIG_ENDIAN, LOD_DTYPE_I8,
                              LOD_DTYPE_F4, LOD_DTYPE_U2};
    const unsigned all = 0xff;

    for (size_t d = 0; d < sizeof(dtypes); d++) {
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            const unsigned shift = 64 - 8 * lod_dtype_bytes(dtypes[d]);
            uint64_t words[2] = {bits_of(numbers[0]), bits_of(numbers[i]) >> shift};
            const unsigned both = forms(dtypes[d], words[0]) & forms(dtypes[d], words[1]);
            unsigned has = 0;
            for (uint8_t v = 0; v <= LOD_TOC_VALUE_F4; v++) {
                has |= lod_value_bytes(dtypes[d], v) ? 1u << v : 0;
            }
            cr_assert_eq(lod_values_forms(dtypes[d], all & has, words, 2), both, "%zu %zu", d, i);
            cr_assert_eq(lod_values_forms(dtypes[d], OWN, words, 2), OWN);
            for (uint8_t v = 0; v <= LOD_TOC_VALUE_F4; v++) {
                const unsigned bytes = lod_value_bytes(dtypes[d], v);
                uint8_t stored[16] = {0};
                if (!(both >> v & 1)) {
                    continue;
                }
                lod_values_narrow(dtypes[d], v, words, 2, stored);
                cr_assert_eq(widen(dtypes[d], v, stored + bytes), words[1], "%zu %zu %u", d, i, v);
            }
        }
    }
}
