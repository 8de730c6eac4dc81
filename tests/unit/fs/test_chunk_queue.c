/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "framecache/chunk_queue.h"

enum { CHUNKS = 5 };

static struct lod_chunk chunks[CHUNKS];

static struct lod_chunk_queue filled(void)
{
    struct lod_chunk_queue queue = {0};

    for (unsigned i = 0; i < CHUNKS; i++) {
        chunks[i] = (struct lod_chunk){.bytes = 100 + i};
        atomic_init(&chunks[i].blob.refs, 1);
        lod_chunk_push(&queue, &chunks[i]);
    }
    cr_assert_eq(queue.count, CHUNKS);
    cr_assert_eq(queue.bytes, 510);
    return queue;
}

Test(chunk_queue, chunks_leave_in_the_order_of_entry)
{
    struct lod_chunk_queue queue = filled();

    for (unsigned i = 0; i < CHUNKS; i++) {
        cr_assert_eq(lod_chunk_pop(&queue), &chunks[i]);
    }
    cr_assert(!queue.first && !queue.last && !queue.count && !queue.bytes);
    lod_chunk_push(&queue, &chunks[3]);
    cr_assert_eq(lod_chunk_pop(&queue), &chunks[3]);
}

Test(chunk_queue, chunks_in_use_stay_and_referenced_ones_are_spared_once)
{
    struct lod_chunk_queue queue = filled();

    atomic_store(&chunks[0].blob.refs, 2);
    atomic_store(&chunks[1].touched, true);
    cr_assert_eq(lod_chunk_victim(&queue, true), &chunks[2]);
    cr_assert_eq(lod_chunk_victim(&queue, true), &chunks[3]);
    cr_assert_eq(lod_chunk_victim(&queue, true), &chunks[4]);
    cr_assert_eq(lod_chunk_victim(&queue, true), &chunks[1], "its second round");
    cr_assert_null(lod_chunk_victim(&queue, true));
    cr_assert_eq(queue.count, 1);
    queue = filled();
    atomic_store(&chunks[0].touched, true);
    cr_assert_eq(lod_chunk_victim(&queue, false), &chunks[0]);
}
