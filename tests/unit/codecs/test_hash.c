/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "hash.h"

Test(hash, known_values)
{
    char text[LOD_ID_TEXT_BYTES];

    cr_assert_eq(lod_hash64("", 0, 0), 0x2d06800538d394c2, "XXH3-64 of nothing");
    cr_assert_neq(lod_hash64("a", 1, 0), lod_hash64("a", 1, 1));
    lod_id_text(lod_hash128("", 0), text);
    cr_assert_str_eq(text, "99aa06d3014798d86001c324468d497f");
}

#ifdef __x86_64__
#include <cpuid.h>

/* Returns which register parts are in use, by XGETBV with 1; bit 2 is the upper halves of AVX. */
static unsigned in_use(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low;
}

Test(hash, sse_code_that_runs_afterwards_need_not_wait_for_upper_halves)
{
    static uint8_t bytes[100000];
    unsigned a = 0, b, c, d;

    if (!__builtin_cpu_supports("avx") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4)) {
        cr_skip("SKIP: no AVX, or the processor does not say what is in use");
    }
    (void)lod_hash64(bytes, sizeof(bytes), 0);
    cr_assert_eq(in_use() & 4, 0);
    (void)lod_hash128(bytes, sizeof(bytes));
    cr_assert_eq(in_use() & 4, 0);
}
#endif
