/* SPDX-License-Identifier: Apache-2.0 */
/* An array that is searched from its beginning, so that few buffers are used; see load_slots.h. */
#include "frames/load_slots.h"

#include <assert.h>
#include <stddef.h>

/* Returns the bytes of requests in flight. A request counts as LOD_IO_BUFFER_BYTES at most, and as
 * exactly that while its size is unknown. */
static uint64_t bytes_in_flight(const struct lod_load_slots *slots)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i <= slots->window.most; i++) {
        const struct lod_load *load = &slots->at[i];
        const bool small = load->expected && load->expected < LOD_IO_BUFFER_BYTES;
        bytes += !load->in_flight ? 0 : small ? load->expected : LOD_IO_BUFFER_BYTES;
    }
    return bytes;
}

/* Returns how many loads of one kind may be in flight now. Small ones fill the window by their
 * bytes, unless the store has asked for fewer requests. */
static unsigned slots_for(const struct lod_load_slots *slots, bool ahead)
{
    const struct lod_load_window *window = &slots->window;
    const bool open = window->limit >= window->first &&
                      bytes_in_flight(slots) < window->limit * (uint64_t)LOD_IO_BUFFER_BYTES;

    return (open ? window->most : window->limit) + (!ahead && window->most > 1);
}

struct lod_load *lod_load_slots_find(struct lod_load_slots *slots, uint32_t record)
{
    for (unsigned i = 0; i <= slots->window.most; i++) {
        if (slots->at[i].in_flight && slots->at[i].record == record) {
            return &slots->at[i];
        }
    }
    return NULL;
}

bool lod_load_slots_may(const struct lod_load_slots *slots, bool ahead)
{
    const bool enough = slots->ahead_most && slots->ahead >= slots->ahead_most;

    return slots->count < slots_for(slots, ahead) && !(ahead && (slots->waiting || enough));
}

struct lod_load *lod_load_slots_begin(struct lod_load_slots *slots, uint32_t record, bool ahead)
{
    struct lod_load *load = slots->at;

    while (load->in_flight) {
        load++;
    }
    assert(load <= &slots->at[slots->window.most]);
    load->record = record;
    load->in_flight = true;
    load->ahead = ahead;
    load->yields = false;
    load->unlisted = false;
    load->expected = 0;
    slots->count++;
    slots->ahead += ahead;
    return load;
}

void lod_load_slots_join(struct lod_load_slots *slots, struct lod_load *load)
{
    if (load && load->ahead && !load->yields && slots->window.most > 1) {
        load->ahead = false;
        slots->ahead--;
    }
}

void lod_load_slots_set_unlisted(struct lod_load_slots *slots, struct lod_load *load)
{
    load->unlisted = true;
    slots->unlisted++;
}

unsigned lod_load_slots_parts(const struct lod_load_slots *slots)
{
    return 1 + (slots->window.limit > slots->count ? slots->window.limit - slots->count : 0);
}

bool lod_load_slots_step(struct lod_load_slots *slots, struct lod_load *load, uint64_t bytes)
{
    const bool too_many = slots->ahead_most && slots->ahead - slots->yields > slots->ahead_most;

    load->steps++;
    load->expected -= bytes < load->expected ? bytes : load->expected;
    if (load->ahead && !load->yields && (slots->yields < slots->waiting || too_many)) {
        load->yields = true;
        slots->yields++;
    }
    return !load->yields;
}

void lod_load_slots_end(struct lod_load_slots *slots, struct lod_load *load)
{
    load->steps++;
    load->in_flight = false;
    load->expected = 0;
    slots->count--;
    slots->ahead -= load->ahead;
    slots->yields -= load->yields;
    slots->unlisted -= load->unlisted;
}

uint64_t lod_load_slots_expected(const struct lod_load_slots *slots)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i <= slots->window.most; i++) {
        bytes += slots->at[i].expected;
    }
    return bytes;
}

void lod_load_slots_finish(struct lod_load_slots *slots)
{
    for (unsigned i = 0; i <= LOD_LOADS_MAX; i++) {
        lod_io_buffer_finish(&slots->at[i].buffer);
    }
}
