/* SPDX-License-Identifier: Apache-2.0 */
/* Which large units are kept, and how much of each; see large_budget.h. */
#include "read/large_budget.h"

#include <sys/mman.h>

#include "bytes.h"

#define PAGE_BYTES 4096u

/* Reads of one file arrive out of order by at most the kernel's readahead. */
#define REORDER_BYTES_MAX (1u << 20)

/* The unit, a blob's head, the allocator's heads, and the pages that a part begins and ends in. */
#define UNIT_BYTES (sizeof(struct lod_large_unit) + sizeof(struct lod_blob) + 64 + 2 * PAGE_BYTES)

/* Without a cache small units are kept here too. The list stays short,
 * since each miss visits it. */
#define UNITS_MAX 512u

static const struct lod_key no_key = {.high = UINT64_MAX, .low = UINT64_MAX};

static uint64_t charge_of(const struct lod_large_unit *unit)
{
    const bool has_end = unit->blob && unit->to == unit->blob->bytes;

    return UNIT_BYTES + unit->to - unit->from + (has_end ? unit->blob->idle : 0);
}

/* -------------------------------------------------------------------------------- the readers */

static bool same(struct lod_key a, struct lod_key b)
{
    return a.high == b.high && a.low == b.low;
}

void lod_large_budget_init(struct lod_large_units *units)
{
    for (unsigned i = 0; i < LOD_LARGE_RECENT; i++) {
        units->recent[i] = no_key;
    }
}

void lod_large_budget_note(struct lod_large_units *units, struct lod_key key)
{
    units->recent[units->reads++ % LOD_LARGE_RECENT] = key;
}

void lod_large_budget_read(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t at,
                           uint64_t bytes)
{
    const bool ends = at + bytes == unit->blob->bytes;

    unit->at = at;
    unit->used = ends ? 0 : units->reads;
    for (unsigned i = 0; ends && i < LOD_LARGE_RECENT; i++) {
        units->recent[i] = same(units->recent[i], unit->flight.key) ? no_key : units->recent[i];
    }
}

/* Returns how many different units the last reads were of; at least 1. */
static unsigned readers(const struct lod_large_units *units)
{
    unsigned count = 0;

    for (unsigned i = 0; i < LOD_LARGE_RECENT; i++) {
        const struct lod_key key = units->recent[i];
        unsigned first = 0;
        while (!same(units->recent[first], key)) {
            first++;
        }
        count += first == i && !same(key, no_key);
    }
    return count ? count : 1;
}

static bool is_idle(const struct lod_large_units *units, const struct lod_large_unit *unit)
{
    return !unit->used || units->reads - unit->used >= LOD_LARGE_RECENT;
}

/* A unit with one reference is in no answer. Only a get adds a second one, under the lock. */
static bool is_free(const struct lod_large_unit *unit)
{
    return !unit->blob || atomic_load_explicit(&unit->blob->refs, memory_order_acquire) == 1;
}

/* -------------------------------------------------------------------------------- the memory */

/* Gives the whole pages of [from, to) of the blob's memory back to the kernel. */
static void drop(const struct lod_blob *blob, uint64_t from, uint64_t to)
{
    const uintptr_t data = (uintptr_t)blob->data;
    const uintptr_t begin = (data + from + PAGE_BYTES - 1) & -(uintptr_t)PAGE_BYTES;
    const uintptr_t end = (data + to) & -(uintptr_t)PAGE_BYTES;

    if (begin < end) {
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}

/* Trims a unit to at most `bytes` bytes from the place of its last read on, and a few before it. */
static void cut(struct lod_large_unit *unit, uint64_t bytes)
{
    const struct lod_blob *blob = unit->blob;
    const uint64_t back = lod_least(REORDER_BYTES_MAX, bytes / 4);
    const uint64_t begin = unit->at > back ? unit->at - back : 0;
    const uint64_t from = begin > unit->from ? begin : unit->from;
    const uint64_t to = from + lod_least(bytes, unit->to - from);
    const uint64_t end = unit->to == blob->bytes ? blob->bytes + blob->idle : unit->to;

    drop(blob, unit->from, from);
    if (to < unit->to) {
        drop(blob, to, end);
    }
    unit->from = from;
    unit->to = to;
}

static bool charge(struct lod_large_units *units, uint64_t bytes)
{
    const bool taken = units->count < UNITS_MAX && lod_byte_limit_take(units->limit, (size_t)bytes);

    units->bytes += taken ? bytes : 0;
    return taken;
}

static void discharge(struct lod_large_units *units, uint64_t bytes)
{
    units->bytes -= bytes;
    lod_byte_limit_release(units->limit, (size_t)bytes);
}

bool lod_large_budget_evict(struct lod_large_units *units, bool idle, struct lod_large_unit **dead)
{
    struct lod_large_unit **oldest = NULL;

    for (struct lod_large_unit **link = &units->list; *link; link = &(*link)->next) {
        const bool may_go = is_free(*link) && (!idle || is_idle(units, *link));
        oldest = may_go && (!oldest || (*link)->used <= (*oldest)->used) ? link : oldest;
    }
    if (!oldest) {
        return false;
    }
    struct lod_large_unit *unit = *oldest;
    *oldest = unit->next;
    if (unit->flight.linked) {
        lod_flight_unlink(&units->shard, &unit->flight);
    }
    discharge(units, charge_of(unit));
    units->evictions++;
    units->count--;
    unit->next = *dead;
    *dead = unit;
    return true;
}

/* No unit keeps more than `share` of the bytes that its reader has not read. */
static void share_out(struct lod_large_units *units, uint64_t share)
{
    for (struct lod_large_unit *unit = units->list; unit; unit = unit->next) {
        const uint64_t before = charge_of(unit);
        if (unit->blob && is_free(unit)) {
            cut(unit, share);
            discharge(units, before - charge_of(unit));
        }
    }
}

/* Trims a new unit to the memory that the others leave. */
static bool keep_part(struct lod_large_units *units, struct lod_large_unit *unit, uint64_t bytes)
{
    const uint64_t limit = atomic_load(&units->limit->bytes_max);
    const uint64_t share = limit / readers(units);

    share_out(units, share > UNIT_BYTES ? share - UNIT_BYTES : 0);
    const uint64_t held = atomic_load(&units->limit->bytes) + UNIT_BYTES;
    const uint64_t left = limit > held ? limit - held : 0;
    if (bytes > left / 2) {
        return false;
    }
    cut(unit, left);
    return charge(units, charge_of(unit));
}

bool lod_large_budget_keep(struct lod_large_units *units, struct lod_large_unit *unit,
                           uint64_t bytes, struct lod_large_unit **dead)
{
    const uint64_t all = charge_of(unit);
    bool kept = charge(units, all);

    while (!kept && lod_large_budget_evict(units, true, dead)) {
        kept = charge(units, all);
    }
    kept = kept || (unit->blob && keep_part(units, unit, bytes));
    if (kept) {
        unit->next = units->list;
        units->list = unit;
        units->count++;
    }
    return kept;
}
