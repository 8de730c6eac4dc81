/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A speed is measured over twice as many requests as are in flight; requests that began before the
 * measurement are left out. The result counts only if the window was full meanwhile: otherwise the
 * readers, not the store, determined the speed. In a full window the durations of these requests
 * add up to about .8 of its places times the time.
 */
#include "frames/load_window.h"

#include "clock.h"

#define FASTER_PERCENT 108u /* a larger window is kept only if it is faster by this factor */
#define FULL_PERCENT   60u
#define RETRY_PAUSE_NS (5 * LOD_SECOND_NS)

static unsigned quarter_more(const struct lod_load_window *window)
{
    const unsigned more = window->limit + (window->limit < 4 ? 1 : window->limit / 4);

    return more < window->most ? more : window->most;
}

static void measure_again(struct lod_load_window *window, uint64_t from_ns)
{
    window->from_ns = from_ns;
    window->bytes = window->busy_ns = 0;
    window->loads = 0;
}

static void try_more(struct lod_load_window *window)
{
    window->tried = window->limit < window->most ? window->limit : 0;
    window->limit = quarter_more(window);
}

/* Halves the window, once for all requests that were in flight together. */
static void halve(struct lod_load_window *window, const struct lod_load_ended *ended)
{
    if (ended->begun_ns < window->halved_ns) {
        return;
    }
    window->limit = window->limit > 1 ? window->limit / 2 : 1;
    window->tried = 0;
    window->halved_ns = ended->ended_ns;
    window->retry_at_ns = ended->ended_ns + RETRY_PAUSE_NS;
    measure_again(window, ended->ended_ns);
}

/* Judges the measured speed. */
static void judge(struct lod_load_window *window, uint64_t now_ns)
{
    const uint64_t us = (now_ns - window->from_ns) / 1000;
    const uint64_t speed = us ? window->bytes * 1000000 / us : 0;

    if (window->busy_ns / 10 < us * window->limit * FULL_PERCENT) {
        return;
    }
    if (window->tried && speed * 100 < window->speed * FASTER_PERCENT) {
        window->limit = window->tried;
        window->tried = 0;
        window->retry_at_ns = now_ns + RETRY_PAUSE_NS;
        return;
    }
    window->speed = speed;
    window->tried = 0;
    if (now_ns >= window->retry_at_ns) {
        try_more(window);
    }
}

void lod_load_window_add(struct lod_load_window *window, const struct lod_load_ended *ended)
{
    if (window->most <= 1) {
        return;
    }
    if (ended->slowed) {
        halve(window, ended);
        return;
    }
    if (!window->from_ns) {
        measure_again(window, ended->ended_ns);
    } else if (ended->begun_ns >= window->from_ns) {
        window->bytes += ended->bytes;
        window->busy_ns += ended->ended_ns - ended->begun_ns;
        window->loads++;
    }
    if (window->loads >= 2 * window->limit) {
        judge(window, ended->ended_ns);
        measure_again(window, ended->ended_ns);
    }
}
