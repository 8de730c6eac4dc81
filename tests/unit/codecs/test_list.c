/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "list.h"

struct pair {
    uint32_t a;
    uint64_t b;
};

/* A list with a member name, and one that is the struct itself. */
struct holder {
    LOD_LIST(struct pair) pairs;
};
struct texts {
    LOD_LIST(const char *);
};

Test(list, what_was_added_stays_in_order_while_it_grows)
{
    struct holder holder = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(LOD_LIST_ADD(&holder.pairs, (struct pair){.a = i, .b = 7ull * i}), 0);
        cr_assert_eq(holder.pairs.count, i + 1);
        cr_assert_geq(holder.pairs.room, holder.pairs.count);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(holder.pairs.at[i].a, i);
        cr_assert_eq(holder.pairs.at[i].b, 7ull * i);
    }
    free(holder.pairs.at);
}

Test(list, the_struct_around_is_a_list)
{
    struct texts texts = {0};

    cr_assert_eq(LOD_LIST_RESERVE(&texts), 0);
    cr_assert_eq(texts.count, 0);
    cr_assert_gt(texts.room, 0);
    cr_assert_eq(LOD_LIST_ADD(&texts, "one"), 0);
    cr_assert_str_eq(texts.at[0], "one");
    free(texts.at);
}

Test(list, without_memory_it_is_as_before)
{
    struct texts texts = {0};
    size_t room;

    cr_assert_eq(LOD_LIST_ADD(&texts, "one"), 0);
    const char **at = texts.at;
    room = texts.room;
    cr_assert_eq(lod_list_grow(&texts.at, &texts.room, SIZE_MAX / 2), -ENOMEM);
    cr_assert_eq(texts.at, at);
    cr_assert_eq(texts.room, room);
    free(texts.at);
}
