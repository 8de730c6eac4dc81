/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of loads over simulated lines: each connection has a limit of speed, and all together
 * have one. Fails if the window grows without being faster, stays where a larger one would be
 * faster, or does not shrink.
 */
#include <criterion/criterion.h>

#include "frames/load_window.h"

#define LOADS_MAX 16u
#define BYTES     5000000ull
#define MS        1000000ull
#define SECOND    (1000 * MS)

/* Loads in flight, each with the time when it will have ended. */
struct line {
    struct lod_load_window window;
    uint64_t now_ns, begun_ns[LOADS_MAX];
    double left[LOADS_MAX]; /* bytes; 0: none in flight */
    double each, all;       /* bytes a second: of a connection, of the line */
    unsigned wanted;        /* loads that readers ask for at a time */
};

static unsigned in_flight(const struct line *line)
{
    unsigned count = 0;

    for (unsigned i = 0; i < LOADS_MAX; i++) {
        count += line->left[i] > 0;
    }
    return count;
}

static void begin_loads(struct line *line)
{
    const unsigned most = line->window.limit < line->wanted ? line->window.limit : line->wanted;

    for (unsigned i = 0; i < LOADS_MAX && in_flight(line) < most; i++) {
        if (line->left[i] <= 0) {
            line->left[i] = BYTES * (.9 + .2 * (double)(line->now_ns / MS % 7) / 6);
            line->begun_ns[i] = line->now_ns;
        }
    }
}

static void end_load(struct line *line, unsigned i, bool slowed)
{
    const struct lod_load_ended ended = {
        .begun_ns = line->begun_ns[i], .ended_ns = line->now_ns, .bytes = BYTES, .slowed = slowed};

    line->left[i] = 0;
    lod_load_window_add(&line->window, &ended);
    cr_assert(line->window.limit >= 1 && line->window.limit <= line->window.most);
}

/* Lets a millisecond pass. */
static void pass(struct line *line)
{
    begin_loads(line);
    const double shared = line->all / in_flight(line);
    const double speed = shared < line->each ? shared : line->each;
    line->now_ns += MS;
    for (unsigned i = 0; i < LOADS_MAX; i++) {
        if (line->left[i] > 0) {
            line->left[i] -= speed / 1000;
            if (line->left[i] <= 0) {
                end_load(line, i, false);
            }
        }
    }
}

static struct line begin(unsigned first, unsigned most, double each, double all)
{
    return (struct line){.window = {.limit = first, .most = most},
                         .now_ns = SECOND,
                         .each = each,
                         .all = all,
                         .wanted = LOADS_MAX};
}

static const struct {
    const char *name;
    unsigned first, most;
    double each, all;                 /* MB/s */
    unsigned wanted, least, greatest; /* the window after 20 s, while no larger one is tried */
} rows[] = {
    {"a line that four loads fill", 4, 12, 49, 120, LOADS_MAX, 4, 5},
    {"connections of 20 MB/s", 4, 12, 20, 1000, LOADS_MAX, 12, 12},
    {"the same, and a line that ends it", 4, 16, 20, 160, LOADS_MAX, 7, 10},
    {"one load fills the line", 4, 12, 100, 100, LOADS_MAX, 4, 5},
    {"few loads are asked for", 4, 12, 20, 1000, 2, 4, 4},
    {"a disk", 1, 1, 100, 1000, LOADS_MAX, 1, 1},
    {"memory for six", 4, 6, 20, 1000, LOADS_MAX, 6, 6},
};

Test(load_window, it_grows_while_that_makes_loads_faster)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct line line =
            begin(rows[i].first, rows[i].most, rows[i].each * 1e6, rows[i].all * 1e6);
        line.wanted = rows[i].wanted;
        while (line.now_ns < 20 * SECOND) {
            pass(&line);
        }
        cr_expect(line.window.limit >= rows[i].least && line.window.limit <= rows[i].greatest,
                  "%s: %u loads", rows[i].name, line.window.limit);
    }
}

Test(load_window, a_larger_one_that_gives_nothing_rests_for_five_seconds)
{
    struct line line = begin(4, 12, 49e6, 120e6);
    unsigned larger_ms = 0;

    while (line.now_ns < 31 * SECOND) {
        pass(&line);
        larger_ms += line.window.limit > 4;
    }
    cr_assert(larger_ms > 500 && larger_ms < 6000, "%u ms of 30 s", larger_ms);
}

Test(load_window, a_store_that_asks_for_fewer_gets_half_at_once_and_no_more_for_five_seconds)
{
    struct line line = begin(8, 12, 20e6, 1000e6);

    for (unsigned i = 0; i < 100; i++) {
        pass(&line);
    }
    const unsigned before = line.window.limit;
    for (unsigned i = 0; i < 6; i++) { /* all were in flight together */
        end_load(&line, i, true);
    }
    cr_assert_eq(line.window.limit, before / 2);
    const uint64_t until = line.now_ns + 49 * SECOND / 10;
    while (line.now_ns < until) {
        pass(&line);
        cr_assert_eq(line.window.limit, before / 2);
    }
    while (line.now_ns < until + 5 * SECOND) {
        pass(&line);
    }
    cr_assert_gt(line.window.limit, before / 2);
    for (unsigned i = 0; i < 10; i++) {
        line.now_ns += SECOND;
        line.begun_ns[0] = line.now_ns;
        end_load(&line, 0, true);
    }
    cr_assert_eq(line.window.limit, 1);
}
