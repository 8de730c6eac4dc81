/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/multipart.h"

#include <criterion/criterion.h>

#define MIB       (1ull << 20)
#define PARTS_MAX 10000u

Test(multipart, parts_have_the_size_that_was_asked_for)
{
    cr_assert_eq(lod_multipart_step(1, 64 * MIB), 64 * MIB);
    cr_assert_eq(lod_multipart_step(600000 * MIB, 64 * MIB), 64 * MIB);
}

Test(multipart, the_largest_objects_need_no_more_parts_than_s3_takes)
{
    static const uint64_t parts[] = {LOD_UPLOAD_PART_MIN, LOD_UPLOAD_PART_BYTES};

    for (uint64_t bytes = MIB; bytes <= 1ull << 41; bytes = bytes * 5 / 4) {
        for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            for (uint64_t more = 0; more < 3; more++) {
                const uint64_t all = bytes / PARTS_MAX * PARTS_MAX + more - 1;
                const uint64_t step = lod_multipart_step(all, parts[i]);
                cr_assert_leq((all + step - 1) / step, PARTS_MAX, "%llu", (unsigned long long)all);
                cr_assert_geq(step, parts[i]);
            }
        }
    }
    cr_assert_eq(lod_multipart_step(PARTS_MAX * 5 * MIB, 5 * MIB), 6 * MIB);
}
