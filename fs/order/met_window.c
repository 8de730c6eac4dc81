/* SPDX-License-Identifier: Apache-2.0 */
/* See met_window.h. */
#include "order/met_window.h"

#include <assert.h>
#include <string.h>

/* A window does not grow any more once its oldest extents were repeated this often. */
#define REPEATS_OF_LARGEST 3u

uint64_t lod_met_window_bytes(const struct lod_met_rules *rules, const struct lod_met_moment *now,
                              uint32_t oldest)
{
    const uint32_t seen = oldest ? oldest : 1;
    const uint32_t rf =
        rules->policy == LOD_MET_FIXED ? lod_met_rules_rf_max(rules, now->epoch) : seen;

    /* With N repeats, one N-th of the window is replaced each time, and room for that is left free.
     * A quarter is left in any case, since a cache never holds exactly the bytes that are meant for
     * it. */
    if (rules->shape == LOD_MET_SLIDE) {
        return rf < REPEATS_OF_LARGEST ? now->room / (rf + 1) * rf : now->room / 4 * 3;
    }
    return now->room / 2;
}

uint32_t lod_met_window_extents(const struct lod_met_window *window)
{
    uint32_t sum = 0;

    for (uint32_t g = 0; g < window->count; g++) {
        sum += window->groups[g].extents;
    }
    return sum;
}

/* ------------------------------------------------------------------------------- a change */

/* A window while it is moved: extents [first, end) of the chain. */
struct moving {
    const struct lod_met_chain *chain;
    struct lod_met_window window;
    uint32_t first, end;
    uint64_t bytes, bytes_max;
};

static uint32_t oldest_repeats(const struct moving *m)
{
    return m->window.groups[0].repeats;
}

static void leave(struct moving *m)
{
    struct lod_met_window *window = &m->window;

    m->bytes -= m->chain->bytes[m->first++];
    if (--window->groups[0].extents == 0) {
        window->count--;
        memmove(window->groups, window->groups + 1, window->count * sizeof(window->groups[0]));
    }
}

static bool is_empty(const struct moving *m)
{
    return m->first == m->end;
}

static bool fits(const struct moving *m)
{
    return m->end < m->chain->count &&
           (is_empty(m) ||
            (m->bytes < m->bytes_max && m->chain->bytes[m->end] <= m->bytes_max - m->bytes));
}

static void enter(struct moving *m)
{
    struct lod_met_window *window = &m->window;
    struct lod_met_group *last = window->count ? &window->groups[window->count - 1] : NULL;

    m->bytes += m->chain->bytes[m->end++];
    if (last && (!last->repeats || window->count == LOD_MET_GROUPS_MAX)) {
        last->extents++;
    } else {
        window->groups[window->count++] = (struct lod_met_group){.extents = 1};
    }
}

static void fill(struct moving *m)
{
    while (fits(m)) {
        enter(m);
    }
}

/* Returns whether all extents that fit in the room are loaded, so that the store is idle. */
static bool is_idle(const struct lod_met_chain *chain, const struct lod_met_moment *now)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < chain->count && i <= now->loaded; i++) {
        bytes += chain->bytes[i];
    }
    return bytes > now->room;
}

/* A growing window leaves less room for the next part. So if the store is idle for want of room,
 * the window shrinks to the size for extents that are dealt once. */
static uint64_t bytes_for(const struct lod_met_window *window, const struct lod_met_rules *rules,
                          const struct lod_met_chain *chain, const struct lod_met_moment *now)
{
    const uint32_t oldest = window->count ? window->groups[0].repeats : 0;

    return lod_met_window_bytes(rules, now, is_idle(chain, now) ? 0 : oldest);
}

static struct moving begin(const struct lod_met_window *window, const struct lod_met_rules *rules,
                           const struct lod_met_chain *chain, const struct lod_met_moment *now)
{
    struct moving m = {.chain = chain, .window = *window, .end = lod_met_window_extents(window)};

    assert(m.end <= chain->count);
    for (uint32_t i = 0; i < m.end; i++) {
        m.bytes += chain->bytes[i];
    }
    for (uint32_t g = 0; g < m.window.count; g++) {
        m.window.groups[g].repeats++;
    }
    m.bytes_max = bytes_for(&m.window, rules, chain, now);
    return m;
}

/* ---------------------------------------------------------------------------------- cutting */

/* Of n extents and N repeats, extent i has N - 1 - floor(i N / n) repeats behind it. */
static void stagger(struct lod_met_window *window, uint32_t rf)
{
    const uint32_t extents = lod_met_window_extents(window);

    window->count = 0;
    for (uint32_t i = 0; i < extents; i++) {
        const uint32_t behind = rf - 1 - (uint32_t)((uint64_t)i * rf / extents);
        struct lod_met_group *last = window->count ? &window->groups[window->count - 1] : NULL;
        if (last && last->repeats == behind) {
            last->extents++;
        } else {
            window->groups[window->count++] =
                (struct lod_met_group){.extents = 1, .repeats = behind};
        }
    }
}

void lod_met_window_cut(struct lod_met_window *window, const struct lod_met_rules *rules,
                        const struct lod_met_chain *chain, const struct lod_met_moment *now)
{
    const struct lod_met_window none = {.count = 0};
    struct moving m = begin(&none, rules, chain, now);

    fill(&m);
    *window = m.window;
    if (rules->policy == LOD_MET_FIXED && rules->shape == LOD_MET_SLIDE) {
        stagger(window, lod_met_rules_rf_max(rules, now->epoch));
    }
}

/* ----------------------------------------------------------------------------------- moving */

/* Returns the verdict on an extent or a window that was repeated `done` times. To replace it,
 * `extents` extents of the chain have to be loaded. */
static enum lod_met_verdict decide(const struct moving *m, const struct lod_met_rules *rules,
                                   const struct lod_met_scores *scores,
                                   const struct lod_met_moment *now, uint32_t done,
                                   uint32_t extents)
{
    const bool loaded = extents <= now->loaded || now->loaded == m->chain->count;
    const enum lod_met_verdict verdict = lod_met_decide(rules, scores, done, now->epoch, loaded);

    return verdict == LOD_MET_WAIT && now->tired ? LOD_MET_ADVANCE : verdict;
}

/* Removes the extents whose repeats are all done; others take their room. */
static enum lod_met_verdict slide_fixed(struct moving *m, const struct lod_met_rules *rules,
                                        const struct lod_met_scores *scores,
                                        const struct lod_met_moment *now)
{
    while (!is_empty(m)) {
        const enum lod_met_verdict verdict =
            decide(m, rules, scores, now, oldest_repeats(m), m->end + m->first + 1);
        if (verdict == LOD_MET_WAIT) {
            return LOD_MET_WAIT;
        }
        if (verdict == LOD_MET_REPEAT) {
            break;
        }
        leave(m);
    }
    fill(m);
    return LOD_MET_ADVANCE;
}

/*
 * Returns whether the oldest extent has to leave. It does at its limit of N repeats, and before if
 * too many extents would reach the limit at the same time: on a slow store they would all be
 * replaced at once. As in a staggered window of so many extents, at most ceil(extents (N - r) / N)
 * may have had r repeats or more.
 */
static bool is_due(const struct moving *m, const struct lod_met_rules *rules, uint32_t extents,
                   uint32_t rf)
{
    uint64_t stay = 0;

    for (uint32_t g = 0; g < m->window.count; g++) {
        const struct lod_met_group *group = &m->window.groups[g];
        const uint64_t left = group->repeats < rf ? rf - group->repeats : 0;
        stay += group->extents;
        if (group->repeats && stay > (extents * left + rf - 1) / rf) {
            return oldest_repeats(m) >= rules->rf_min;
        }
    }
    return false;
}

/* Slides the window: extents that are loaded enter. To make room the oldest leave, but only after
 * their minimum of repeats. */
static enum lod_met_verdict slide_loaded(struct moving *m, const struct lod_met_rules *rules,
                                         const struct lod_met_scores *scores,
                                         const struct lod_met_moment *now)
{
    const uint32_t rf = lod_met_rules_rf_max(rules, now->epoch);
    uint32_t most = 0;
    bool short_of_loaded = false;

    while (!is_empty(m)) {
        const bool loaded = m->end < now->loaded && m->end < m->chain->count;
        most = m->end - m->first > most ? m->end - m->first : most;
        const uint32_t done = is_due(m, rules, most, rf) ? rf : oldest_repeats(m);
        const enum lod_met_verdict verdict = decide(m, rules, scores, now, done, m->end + 1);
        if (verdict == LOD_MET_WAIT) {
            return LOD_MET_WAIT;
        }
        if (loaded && fits(m)) {
            enter(m);
        } else if (verdict == LOD_MET_ADVANCE) {
            leave(m);
            short_of_loaded = short_of_loaded || !loaded;
        } else {
            break;
        }
    }
    while (fits(m) && (short_of_loaded || is_empty(m) || m->end < now->loaded)) {
        enter(m);
    }
    return LOD_MET_ADVANCE;
}

/* Repeats or replaces the whole window. */
static enum lod_met_verdict move_block(struct moving *m, const struct lod_met_rules *rules,
                                       struct lod_met_scores *scores,
                                       const struct lod_met_moment *now)
{
    struct moving next = *m;

    while (!is_empty(&next)) {
        leave(&next);
    }
    fill(&next);
    const enum lod_met_verdict verdict = decide(m, rules, scores, now, oldest_repeats(m), next.end);
    if (verdict == LOD_MET_ADVANCE) {
        *m = next;
        lod_met_scores_renew(scores);
    }
    return verdict;
}

enum lod_met_verdict
lod_met_window_move(struct lod_met_window *window, const struct lod_met_rules *rules,
                    struct lod_met_scores *scores, const struct lod_met_chain *chain,
                    const struct lod_met_moment *now, struct lod_met_left *ret_left)
{
    struct moving m = begin(window, rules, chain, now);
    enum lod_met_verdict verdict;

    const uint64_t most = lod_met_window_bytes(rules, now, REPEATS_OF_LARGEST);
    while (m.end - m.first > 1 && m.bytes > most) { /* the room has shrunk */
        leave(&m);
    }
    const uint32_t repeats = oldest_repeats(&m);
    if (rules->shape == LOD_MET_BLOCK) {
        verdict = move_block(&m, rules, scores, now);
    } else if (rules->policy == LOD_MET_FIXED) {
        verdict = slide_fixed(&m, rules, scores, now);
    } else {
        verdict = slide_loaded(&m, rules, scores, now);
    }
    if (verdict == LOD_MET_WAIT) {
        return LOD_MET_WAIT;
    }
    scores->reported = false;
    *window = m.window;
    *ret_left = (struct lod_met_left){.extents = m.first, .repeats = repeats};
    return m.first ? LOD_MET_ADVANCE : LOD_MET_REPEAT;
}
