/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: how many loads should be in flight. From time to time a window larger by a quarter is
 * tried, and kept if all loads together became faster. Pure functions of times and bytes: no lock,
 * no clock, no thread.
 */
#ifndef LOD_LOAD_WINDOW_H
#define LOD_LOAD_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* All zero, with `limit` and `most` set: nothing is measured yet. */
struct lod_load_window {
    unsigned limit; /* loads that may be in flight now, 1 .. most */
    unsigned most;  /* upper bound of `limit`; 1: the window never changes */
    unsigned first; /* the limit at first. A lower one: the store has asked for fewer requests */
    unsigned tried; /* while a larger limit is tried: the previous limit; else 0 */
    uint64_t speed; /* bytes a second, with the limit before; 0: not measured */
    uint64_t retry_at_ns, halved_ns;
    /* The current measurement of speed. */
    uint64_t from_ns;        /* its beginning; 0: none yet */
    uint64_t bytes, busy_ns; /* sums over the requests that have begun and ended since from_ns */
    unsigned loads;          /* the number of these requests */
};

/* A request of a load, answered. */
struct lod_load_ended {
    uint64_t begun_ns, ended_ns;
    uint64_t bytes;
    bool slowed; /* the store asked for fewer requests, or did not answer in time */
};

/* Counts a request, and changes window->limit if that follows from it. */
void lod_load_window_add(struct lod_load_window *window, const struct lod_load_ended *ended);

#endif
