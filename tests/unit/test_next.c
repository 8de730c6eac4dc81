/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <unistd.h>

#include "next.h"

static atomic_uint calls, last_item, last_last;
static atomic_bool hold;

static void each(void *ctx, uint32_t item, unsigned last)
{
    (void)ctx;
    last_item = item;
    last_last = last;
    calls++;
    while (hold) {
        usleep(1000);
    }
}

static void await_calls(unsigned count)
{
    for (unsigned ms = 0; calls < count && ms < 5000; ms++) {
        usleep(1000);
    }
    cr_assert_eq(calls, count);
}

Test(next, the_newest_counts)
{
    struct lod_next next;

    lod_next_init(&next, each, NULL);
    hold = true;
    lod_next_tell(&next, 1, 4);
    await_calls(1);
    cr_assert_eq(last_last, 4);
    lod_next_tell(&next, 2, 4);
    lod_next_tell(&next, 3, 11);
    hold = false;
    await_calls(2);
    cr_assert_eq(last_item, 3);
    cr_assert_eq(last_last, 11);
    lod_next_finish(&next);
    cr_assert_eq(calls, 2);
}

Test(next, who_is_told_nothing_ends_at_once)
{
    struct lod_next next;

    lod_next_init(&next, each, NULL);
    lod_next_finish(&next);
    cr_assert_eq(calls, 0);
}
