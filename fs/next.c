/* SPDX-License-Identifier: Apache-2.0 */
/* A mailbox of one letter; see next.h. */
#include "next.h"

static bool await(struct lod_next *next, uint32_t *ret_item, unsigned *ret_last)
{
    pthread_mutex_lock(&next->lock);
    while (!next->has_item && !next->over) {
        pthread_cond_wait(&next->told, &next->lock);
    }
    bool more = !next->over;
    if (more) {
        *ret_item = next->item;
        *ret_last = next->last;
        next->has_item = false;
    }
    pthread_mutex_unlock(&next->lock);
    return more;
}

static void *run(void *ctx)
{
    struct lod_next *next = ctx;
    uint32_t item = 0;
    unsigned last = 0;

    while (await(next, &item, &last)) {
        next->each(next->ctx, item, last);
    }
    return NULL;
}

void lod_next_init(struct lod_next *next, lod_next_each each, void *ctx)
{
    *next = (struct lod_next){.each = each, .ctx = ctx};
    pthread_mutex_init(&next->lock, NULL);
    pthread_cond_init(&next->told, NULL);
}

void lod_next_tell(struct lod_next *next, uint32_t item, unsigned last)
{
    pthread_mutex_lock(&next->lock);
    if (!next->has_thread && !next->over) {
        next->has_thread = pthread_create(&next->thread, NULL, run, next) == 0;
    }
    next->item = item;
    next->last = last;
    next->has_item = true;
    pthread_cond_signal(&next->told);
    pthread_mutex_unlock(&next->lock);
}

void lod_next_finish(struct lod_next *next)
{
    pthread_mutex_lock(&next->lock);
    next->over = true;
    bool has_thread = next->has_thread;
    pthread_cond_signal(&next->told);
    pthread_mutex_unlock(&next->lock);
    if (has_thread) {
        pthread_join(next->thread, NULL);
    }
    pthread_cond_destroy(&next->told);
    pthread_mutex_destroy(&next->lock);
}
