/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted array; see ahead_held.h. */
#include "frames/ahead_held.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns the place of the first record whose number is `record` or above. */
static size_t place_of(const struct lod_ahead_held *held, uint32_t record)
{
    size_t from = 0, to = held->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (held->at[middle].record < record) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

struct lod_ahead_record *lod_ahead_held_find(const struct lod_ahead_held *held, uint32_t record)
{
    const size_t place = place_of(held, record);

    return place < held->count && held->at[place].record == record ? &held->at[place] : NULL;
}

bool lod_ahead_is_loaded(const struct lod_ahead_record *at)
{
    return at->state == LOD_AHEAD_READY || at->state == LOD_AHEAD_RECHECK;
}

bool lod_ahead_held_ready(const struct lod_ahead_held *held, uint32_t record, unsigned first,
                          unsigned last)
{
    const struct lod_ahead_record *at = lod_ahead_held_find(held, record);

    return at && lod_ahead_is_loaded(at) && at->first <= first && at->last >= last;
}

int lod_ahead_held_reserve(struct lod_ahead_held *held, size_t count)
{
    void *at = count > held->room ? realloc(held->at, count * sizeof(*held->at)) : held->at;

    if (count > held->room) {
        if (!at) {
            return -ENOMEM;
        }
        held->at = at;
        held->room = count;
    }
    return 0;
}

/* Returns a new entry for the record, which is not there. */
static struct lod_ahead_record *add(struct lod_ahead_held *held, uint32_t record)
{
    const size_t place = place_of(held, record);

    struct lod_ahead_record *at = &held->at[place];

    assert(held->count < held->room);
    memmove(at + 1, at, (held->count - place) * sizeof(*at));
    held->count++;
    *at = (struct lod_ahead_record){.record = record};
    return at;
}

void lod_ahead_held_put(struct lod_ahead_held *held, uint32_t record, unsigned first, unsigned last,
                        enum lod_ahead_state state, struct lod_frame_pins *pins)
{
    struct lod_ahead_record *at = lod_ahead_held_find(held, record);

    at = at ? at : add(held, record);
    at->state = (uint8_t)state;
    at->first = (uint8_t)first;
    at->last = (uint8_t)last;
    lod_frame_pins_merge(&at->pins, pins);
}

void lod_ahead_held_sweep(struct lod_ahead_held *held)
{
    size_t kept = 0;

    for (size_t i = 0; i < held->count; i++) {
        struct lod_ahead_record *at = &held->at[i];
        if (!at->marked) {
            lod_frame_pins_finish(&at->pins);
            continue;
        }
        at->marked = false;
        held->at[kept++] = *at;
    }
    held->count = kept;
}

void lod_ahead_held_again(struct lod_ahead_held *held, enum lod_ahead_state state)
{
    for (size_t i = 0; i < held->count; i++) {
        if (held->at[i].state == state) {
            held->at[i].state = LOD_AHEAD_PART;
        }
    }
}

void lod_ahead_held_recheck(struct lod_ahead_held *held)
{
    for (size_t i = 0; i < held->count; i++) {
        if (held->at[i].state == LOD_AHEAD_READY && !held->at[i].pins.count) {
            held->at[i].state = LOD_AHEAD_RECHECK;
        }
    }
}

void lod_ahead_held_finish(struct lod_ahead_held *held)
{
    for (size_t i = 0; i < held->count; i++) {
        lod_frame_pins_finish(&held->at[i].pins);
    }
    free(held->at);
    *held = (struct lod_ahead_held){0};
}
