/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "views/inode.h"

Test(inode, every_packed_number_unpacks_to_the_same)
{
    static const uint32_t nodes[] = {0, 1, 2, 12345, 0x7fffffff, 0xfffffffe};
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        for (unsigned i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
            struct lod_inode in = {.node = nodes[i], .fidelity = (enum lod_fidelity)f}, out;
            uint64_t number = lod_inode_pack(in);
            cr_assert_lt(number, 1ull << 36, "exact in a double");
            cr_assert_eq(lod_inode_unpack(number, &out), 0);
            cr_assert_eq(out.node, in.node);
            cr_assert_eq(out.fidelity, in.fidelity);
            cr_assert_eq(out.format, in.format);
        }
    }
}

Test(inode, formats_and_their_folders_have_distinct_numbers)
{
    for (unsigned format = LOD_FORMAT_DECODED; format < LOD_FORMATS; format++) {
        for (unsigned f = 0; f <= LOD_ORIGINAL; f++) {
            struct lod_inode in = {.node = f ? 77 : 0,
                                   .fidelity = (enum lod_fidelity)f,
                                   .format = (enum lod_format)format},
                             out;
            cr_assert_eq(lod_inode_unpack(lod_inode_pack(in), &out), 0);
            cr_assert_eq(out.node, in.node);
            cr_assert_eq(out.fidelity, in.fidelity);
            cr_assert_eq(out.format, in.format);
        }
    }
}

Test(inode, undefined_numbers_are_refused)
{
    struct lod_inode out;
    static const uint64_t bad[] = {0,
                                   LOD_INODE_PARTS + 1,
                                   1ull << 31,
                                   13ull << 32,
                                   14ull << 32,
                                   15ull << 32 | 1,
                                   1ull << 36 | 1,
                                   6ull << 36,
                                   6ull << 36 | 1ull << 32,
                                   13ull << 32 | 1ull << 36,
                                   1ull << 40,                   /* parts/1/0 without a node */
                                   1ull << 40 | 2,               /* .lodfs of a part */
                                   1ull << 40 | LOD_INODE_PARTS, /* parts of a part */
                                   2ull << 40,                   /* parts/1 without a node */
                                   2ull << 40 | 1ull << 32,      /* q1 of no part */
                                   1ull << 40 | 15ull << 32,     /* auto of a part */
                                   525825ull << 40 | 1,          /* past parts/1024 */
                                   0xfffffull << 40 | 1,         /* .. */
                                   1ull << 62,
                                   1ull << 63,
                                   UINT64_MAX};
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(lod_inode_unpack(bad[i], &out), -ENOENT, "%llx", (unsigned long long)bad[i]);
    }
    cr_assert_eq(lod_inode_unpack(LOD_INODE_ROOT, &out), 0);
    cr_assert_eq(out.fidelity, 0);
}

/* Every part, and every folder parts/<n>, has one number; they are dense. */
Test(inode, parts_have_distinct_numbers)
{
    struct lod_inode out;
    uint64_t next = 1;

    for (uint16_t n = 1; n <= LOD_PARTS_MAX; n++) {
        for (uint16_t k = 0; k <= n; k++, next++) {
            const struct lod_inode in = {.node = LOD_INODE_ROOT, .part = {n, k}};
            const uint64_t number = lod_inode_pack(in);
            cr_assert_eq(number, next << 40 | LOD_INODE_ROOT);
            cr_assert_eq(lod_inode_unpack(number, &out), 0);
            cr_assert(out.part.count == n && out.part.number == k && out.node == in.node);
        }
    }
    cr_assert_eq(next, 525825);
}

Test(inode, folders_of_parts_keep_all_fields)
{
    const struct lod_inode in = {.node = 0xfffffffe,
                                 .fidelity = LOD_Q10,
                                 .format = LOD_FORMAT_TFRECORD,
                                 .kind = 1,
                                 .part = {1024, 1023}};
    struct lod_inode out;

    cr_assert_eq(lod_inode_unpack(lod_inode_pack(in), &out), 0);
    cr_expect_eq(out.node, in.node);
    cr_expect_eq(out.fidelity, in.fidelity);
    cr_expect_eq(out.format, in.format);
    cr_expect_eq(out.kind, in.kind);
    cr_expect(out.part.count == 1024 && out.part.number == 1023);
}
