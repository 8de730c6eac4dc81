/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of reading orders, by vectors that tests/spec/order_spec.py computes as well. */
#include <criterion/criterion.h>
#include <string.h>

#include "order/shuffle.h"

static const struct lod_id store = {.low = 0x0706050403020100, .high = 0x0f0e0d0c0b0a0908};

static const struct vector {
    uint64_t seed;
    uint32_t pass;
    uint64_t pass_seed, run_seed; /* of the run at extent 3 */
    uint32_t order[8];            /* of the numbers 0 .. 7 */
} vectors[] = {
    {0, 0, 0x4a2866c77ec5d756, 0xafabee59b39a8213, {1, 0, 6, 2, 4, 3, 7, 5}},
    {0, 1, 0x935495b213f96b5e, 0x1d1b09c3513d71ec, {5, 1, 3, 7, 0, 2, 6, 4}},
    {1, 0, 0x3ed236f72041ef28, 0xb6608163d44cf181, {7, 3, 4, 2, 6, 0, 1, 5}},
    {(1ull << 63) + 5,
     0xfffffffe,
     0x56e574405400290c,
     0x4bb722e2d14631b9,
     {7, 2, 5, 1, 6, 4, 3, 0}},
};

Test(shuffle, seeds_and_orders_are_those_of_the_vectors)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        const struct vector *v = &vectors[i];
        uint32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        const uint64_t seed = lod_shuffle_pass_seed(store, v->seed, v->pass);
        cr_assert_eq(seed, v->pass_seed);
        cr_assert_eq(lod_shuffle_run_seed(seed, 3, 0), v->run_seed);
        cr_assert_eq(lod_shuffle(numbers, 8, seed), 0);
        cr_assert_arr_eq(numbers, v->order, sizeof(numbers));
    }
}

Test(shuffle, the_order_does_not_depend_on_how_the_numbers_came)
{
    uint32_t up[100], down[100];

    for (uint32_t i = 0; i < 100; i++) {
        up[i] = i;
        down[i] = 99 - i;
    }
    cr_assert_eq(lod_shuffle(up, 100, 42), 0);
    cr_assert_eq(lod_shuffle(down, 100, 42), 0);
    cr_assert_arr_eq(up, down, sizeof(up));
}

Test(shuffle, another_repeat_has_another_seed)
{
    cr_assert_neq(lod_shuffle_run_seed(1, 2, 0), lod_shuffle_run_seed(1, 2, 1));
    cr_assert_neq(lod_shuffle_run_seed(1, 2, 0), lod_shuffle_run_seed(1, 3, 0));
}

Test(shuffle, an_extent_goes_to_the_node_with_the_fewest_items)
{
    static const uint32_t items[] = {5, 3, 3, 1, 9, 2};
    static const uint32_t expected[] = {0, 1, 2, 1, 2, 1};
    uint32_t node[6];
    uint64_t sums[3];

    lod_shuffle_deal(items, 6, 3, node, sums);
    cr_assert_arr_eq(node, expected, sizeof(node));
    cr_assert_eq(sums[0], 5);
    cr_assert_eq(sums[1], 6);
    cr_assert_eq(sums[2], 12);
}
