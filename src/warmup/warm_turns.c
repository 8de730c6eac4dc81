/* SPDX-License-Identifier: Apache-2.0 */
/* See warm_turns.h. */
#include "warmup/warm_turns.h"

#include <errno.h>

#include "backend/store.h"
#include "bytes.h"
#include "clock.h"

#define CHECK_NS (100u * 1000 * 1000) /* how often a waiting thread looks for an interrupt */
/* A load beside readers. At 20 MB/s it takes 50 ms. */
#define SMALL_BYTES (1u << 20)
#define PAUSE       4u /* times the duration of such a load */

void lod_warm_turns_init(struct lod_warm_turns *turns, unsigned threads, bool fixed,
                         const char *mount)
{
    *turns = (struct lod_warm_turns){
        .window = {.limit = fixed ? threads : 1, .most = fixed ? 1 : threads},
        .readers = {.mount = fixed ? NULL : mount}};
    pthread_mutex_init(&turns->lock, NULL);
    lod_clock_cond_init(&turns->ended);
}

void lod_warm_turns_finish(struct lod_warm_turns *turns)
{
    pthread_mutex_destroy(&turns->lock);
    pthread_cond_destroy(&turns->ended);
}

/* Returns for how long no load may begin: 0 if one may. The lock is held. */
static uint64_t wait_ns(struct lod_warm_turns *turns)
{
    const uint64_t now = lod_clock_ns();
    const bool reading = lod_warm_readers_look(&turns->readers, now);

    if (turns->loads >= (reading ? 1 : turns->window.limit)) {
        return CHECK_NS;
    }
    return reading && now < turns->next_ns ? lod_least(turns->next_ns - now, CHECK_NS) : 0;
}

int lod_warm_turns_take(struct lod_warm_turns *turns, struct lod_cancel *cancel,
                        uint64_t *ret_bytes_max)
{
    uint64_t ns;
    int error = 0;

    pthread_mutex_lock(&turns->lock);
    while (!error && (ns = wait_ns(turns)) > 0) {
        const struct timespec until = lod_clock_until(ns);
        pthread_cond_timedwait(&turns->ended, &turns->lock, &until);
        error = lod_cancel_poll(cancel);
    }
    turns->loads += !error;
    *ret_bytes_max = turns->readers.reading ? SMALL_BYTES : LOD_SLICE_BYTES;
    pthread_mutex_unlock(&turns->lock);
    return error;
}

void lod_warm_turns_end(struct lod_warm_turns *turns, const struct lod_load_ended *load)
{
    pthread_mutex_lock(&turns->lock);
    if (!turns->readers.reading || load->slowed) {
        lod_load_window_add(&turns->window, load);
    }
    if (load->bytes <= SMALL_BYTES) { /* a large one began before readers were seen */
        turns->next_ns = load->ended_ns + PAUSE * (load->ended_ns - load->begun_ns);
    }
    turns->loads--;
    pthread_cond_broadcast(&turns->ended);
    pthread_mutex_unlock(&turns->lock);
}
