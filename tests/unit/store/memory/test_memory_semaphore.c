/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that are kept in the memory of makers. Fails if makers and results together exceed the
 * limit, or if a result is freed although waiting for another maker would do.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <time.h>

#include "memory/memory_semaphore.h"

static struct lod_memory_semaphore work;
static uint64_t relieved;

static void relief(void *ctx, uint64_t bytes)
{
    relieved += bytes;
    lod_byte_limit_release(ctx, (size_t)bytes);
}

static void begin(void)
{
    lod_memory_semaphore_init(&work, 1000);
    lod_memory_semaphore_lend(&work, relief, &work.kept);
}

static void end(void)
{
    lod_memory_semaphore_finish(&work);
}

TestSuite(memory_semaphore, .init = begin, .fini = end);

Test(memory_semaphore, half_is_lent)
{
    cr_assert(lod_byte_limit_take(&work.kept, 500));
    cr_assert(!lod_byte_limit_take(&work.kept, 1));
    uint64_t taken = lod_memory_semaphore_take(&work, 500);
    cr_assert_eq(taken, 500);
    cr_assert_eq(relieved, 0, "they fit together");
    lod_memory_semaphore_release(&work, taken);
}

Test(memory_semaphore, a_reservation_of_more_gets_what_it_lacks)
{
    cr_assert(lod_byte_limit_take(&work.kept, 400));
    uint64_t taken = lod_memory_semaphore_take(&work, 701);
    cr_assert_eq(relieved, 101);
    cr_assert_eq(work.kept.bytes, 299);
    lod_memory_semaphore_release(&work, taken);
    taken = lod_memory_semaphore_take(&work, 5000);
    cr_assert_eq(taken, 1000);
    cr_assert_eq(work.kept.bytes, 0);
    lod_memory_semaphore_release(&work, taken);
}

static void *take_late(void *ctx)
{
    uint64_t *taken = ctx;

    *taken = lod_memory_semaphore_take(&work, 600);
    return NULL;
}

/*
 * Returns whether this many tickets were drawn. The thread with the last ticket waits or has its
 * bytes.
 */
static bool has_drawn(uint64_t tickets)
{
    pthread_mutex_lock(&work.lock);
    const bool drawn = work.next == tickets;
    cr_assert_eq(work.bytes, 200, "reserved in the place of kept bytes");
    pthread_mutex_unlock(&work.lock);
    return drawn;
}

Test(memory_semaphore, a_reservation_waits_for_others_before_kept_results_go)
{
    pthread_t thread;
    uint64_t late = 0;

    cr_assert(lod_byte_limit_take(&work.kept, 300));
    const uint64_t first = lod_memory_semaphore_take(&work, 200);
    cr_assert_eq(pthread_create(&thread, NULL, take_late, &late), 0);
    while (!has_drawn(2)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert_eq(relieved, 0);
    lod_memory_semaphore_release(&work, first);
    pthread_join(thread, NULL);
    cr_assert_eq(late, 600);
    cr_assert_eq(relieved, 0, "300 and 600 fit");
    lod_memory_semaphore_release(&work, late);
}
