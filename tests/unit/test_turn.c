/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <unistd.h>

#include "turn.h"

static struct lod_turn turn;
static atomic_uint begun, looked, refused;

static void *want(void *ctx)
{
    (void)ctx;
    atomic_fetch_add(lod_turn_begin(&turn) == LOD_TURN_MINE ? &begun : &looked, 1);
    return NULL;
}

static void *insist(void *ctx)
{
    (void)ctx;
    atomic_fetch_add(lod_turn_await(&turn) ? &begun : &refused, 1);
    return NULL;
}

Test(turn, others_look_again_at_each_step)
{
    pthread_t thread;

    lod_turn_init(&turn);
    cr_assert_eq(lod_turn_begin(&turn), LOD_TURN_MINE);
    pthread_create(&thread, NULL, want, NULL);
    for (unsigned ms = 0; looked == 0 && ms < 5000; ms++) {
        cr_assert(lod_turn_step(&turn));
        usleep(1000);
    }
    pthread_join(thread, NULL);
    cr_assert_eq(looked, 1);
    cr_assert_eq(begun, 0);
    lod_turn_end(&turn);
    cr_assert_eq(lod_turn_begin(&turn), LOD_TURN_MINE);
    lod_turn_end(&turn);
    lod_turn_finish(&turn);
}

Test(turn, who_insists_gets_it_unless_it_is_over)
{
    pthread_t thread;

    lod_turn_init(&turn);
    cr_assert_eq(lod_turn_begin(&turn), LOD_TURN_MINE);
    pthread_create(&thread, NULL, insist, NULL);
    usleep(20000);
    cr_assert_eq(begun, 0);
    lod_turn_end(&turn);
    pthread_join(thread, NULL);
    cr_assert_eq(begun, 1);
    pthread_create(&thread, NULL, insist, NULL);
    usleep(20000);
    lod_turn_over(&turn);
    pthread_join(thread, NULL);
    cr_assert_eq(refused, 1);
    cr_assert_not(lod_turn_step(&turn), "and who has it should end");
    lod_turn_end(&turn);
    lod_turn_finish(&turn);
}

Test(turn, nobody_waits_for_ever_for_storage_that_stalls)
{
    lod_turn_init(&turn);
    cr_assert_eq(lod_turn_begin(&turn), LOD_TURN_MINE);
    cr_assert_eq(lod_turn_begin(&turn), LOD_TURN_STUCK);
    lod_turn_end(&turn);
    lod_turn_finish(&turn);
}
