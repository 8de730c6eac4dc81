/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the kernel and their values. The test fails if a field, a unit or a limit is misread. */
#include "memory/available.h"

#include <criterion/criterion.h>

#define MIB (1ull << 20)

Test(available, meminfo_is_parsed_by_field)
{
    cr_assert_eq(lod_available_of_meminfo("MemTotal:  100 kB\nMemAvailable:   2048 kB\nX: 1\n"),
                 2 * MIB);
    cr_assert_eq(lod_available_of_meminfo("MemTotal:  100 kB\n"), UINT64_MAX);
    cr_assert_eq(lod_available_of_meminfo("NotMemAvailable: 5 kB"), UINT64_MAX);
    cr_assert_eq(lod_available_of_meminfo(""), UINT64_MAX);
    cr_assert_eq(lod_available_of_meminfo("MemAvailable: 18446744073709551615 kB"), UINT64_MAX);
}

Test(available, free_memory_and_droppable_cache_of_a_group_are_available)
{
    cr_assert_eq(lod_available_of_group("67108864\n", "50331648\n", "inactive_file 8388608\n"),
                 24 * MIB);
    cr_assert_eq(lod_available_of_group("67108864", "50331648",
                                        "inactive_file 1\ntotal_inactive_file 8388608\n"),
                 24 * MIB, "version 1 counts the groups below");
    cr_assert_eq(lod_available_of_group("67108864", "50331648", ""), 16 * MIB);
    cr_assert_eq(lod_available_of_group("100", "200", ""), 0);
    cr_assert_eq(lod_available_of_group("100", "50", "inactive_file 70"), 100);
    cr_assert_eq(lod_available_of_group("max\n", "50331648", ""), UINT64_MAX);
    cr_assert_eq(lod_available_of_group("9223372036854771712\n", "5", ""), UINT64_MAX);
    cr_assert_eq(lod_available_of_group("", "", ""), UINT64_MAX);
}

Test(available, the_default_cache_is_a_quarter_or_256_mib_if_as_much_remains)
{
    cr_assert_eq(lod_available_cache_bytes(24576 * MIB), 6144 * MIB);
    cr_assert_eq(lod_available_cache_bytes(800 * MIB), 256 * MIB);
    cr_assert_eq(lod_available_cache_bytes(512 * MIB), 256 * MIB);
    cr_assert_eq(lod_available_cache_bytes(400 * MIB), 144 * MIB);
    cr_assert_eq(lod_available_cache_bytes(300 * MIB), 75 * MIB);
    cr_assert_eq(lod_available_cache_bytes(64 * MIB), 16 * MIB);
    cr_assert_eq(lod_available_cache_bytes(0), MIB);
    cr_assert_eq(lod_available_cache_bytes(UINT64_MAX), 256 * MIB, "nothing can be read");
}

Test(available, this_machine_has_available_memory)
{
    cr_assert_gt(lod_available_bytes(), MIB);
}
