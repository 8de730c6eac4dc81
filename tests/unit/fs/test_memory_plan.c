/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares of memory. The test fails if a default ignores the available memory, or overrides the
 * user.
 */
#include "mount/memory_plan.h"

#include <criterion/criterion.h>

#define MIB (1ull << 20)

static struct lod_memory_plan plan(uint64_t cache_bytes, uint64_t available)
{
    const struct lod_fuse_options options = {.cache_bytes = cache_bytes, .threads = 4};

    return lod_memory_plan_make(&options, 0, available);
}

Test(memory_plan, an_automatic_cache_follows_the_memory)
{
    cr_assert_eq(plan(LOD_OPTION_AUTO, 24576 * MIB).cache, 6144 * MIB);
    cr_assert_eq(plan(LOD_OPTION_AUTO, 64 * MIB).cache, 16 * MIB);
    cr_assert_eq(plan(LOD_OPTION_AUTO, UINT64_MAX).cache, 256 * MIB);
}

Test(memory_plan, a_size_from_the_user_is_kept)
{
    cr_assert_eq(plan(5 * MIB, 24576 * MIB).cache, 5 * MIB);
    cr_assert_eq(plan(5 * MIB, 24576 * MIB).cache_min, 5 * MIB);
    cr_assert_eq(plan(0, 24576 * MIB).cache, 0);
}

Test(memory_plan, pressure_leaves_a_part_of_the_cache)
{
    cr_assert_eq(plan(LOD_OPTION_AUTO, 24576 * MIB).cache_min, 64 * MIB);
    cr_assert_eq(plan(LOD_OPTION_AUTO, 64 * MIB).cache_min, 4 * MIB);
}

Test(memory_plan, the_work_of_makers_is_limited_on_small_machines)
{
    cr_assert_eq(plan(0, 24576 * MIB).work, 256 * MIB);
    cr_assert_eq(plan(0, UINT64_MAX).work, 256 * MIB);
    cr_assert_eq(plan(0, 400 * MIB).work, 100 * MIB);
    cr_assert_eq(plan(0, 10 * MIB).work, 16 * MIB);
}
