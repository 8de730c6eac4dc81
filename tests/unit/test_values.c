/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "toc/values.h"

static uint64_t bits_of(double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof(word));
    return word;
}

/* All forms that the word has, and that each brings it back. */
static unsigned forms(uint8_t dtype, uint64_t word)
{
    unsigned found = 0;

    for (uint8_t value = 0; value <= LOD_TOC_VALUE_F4; value++) {
        uint64_t stored;
        if (lod_value_narrow(dtype, value, word, &stored)) {
            cr_assert_eq(lod_value_widen(dtype, value, stored), word);
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
