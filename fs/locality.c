/* SPDX-License-Identifier: Apache-2.0 */
/* A direct-mapped table of records, written without locks; see locality.h. */
#include "locality.h"

#define IN_TURN 4u /* reads of each near record: random reads of 16 records and more have fewer */

#define LOAD(at)         atomic_load_explicit(&(at), memory_order_relaxed)
#define STORE(at, value) atomic_store_explicit(&(at), (value), memory_order_relaxed)

static struct lod_local_record *place_of(struct lod_locality *locality, uint32_t record)
{
    return &locality->records[record % LOD_LOCAL_RECORDS];
}

uint64_t lod_locality_read(struct lod_locality *locality, uint32_t record, uint32_t item,
                           uint64_t bytes)
{
    struct lod_local_record *at = place_of(locality, record);
    uint64_t now = atomic_fetch_add_explicit(&locality->reads, 1, memory_order_relaxed) + 1;

    if (LOAD(at->record) != (uint64_t)record + 1 || LOAD(at->seen) + LOD_WINDOW < now) {
        STORE(at->record, (uint64_t)record + 1);
        STORE(at->bytes, bytes);
        STORE(at->item, item);
        STORE(at->asked, 1);
    } else {
        if (LOAD(at->item) != item) {
            STORE(at->item, item);
            STORE(at->asked, LOAD(at->asked) + 1);
        }
        if (LOAD(at->bytes) < bytes) {
            STORE(at->bytes, bytes);
        }
    }
    STORE(at->seen, now);
    return now;
}

void lod_locality_sum(const struct lod_locality *locality, uint32_t record,
                      struct lod_local *ret_local)
{
    uint64_t now = LOAD(locality->reads), others = 0, near_bytes = 0;
    struct lod_local local = {0};

    for (unsigned i = 0; i < LOD_LOCAL_RECORDS; i++) {
        const struct lod_local_record *at = &locality->records[i];
        uint64_t is = LOAD(at->record), seen = LOAD(at->seen);
        if (!is || seen + LOD_WINDOW < now) {
            continue;
        }
        local.records++;
        local.near += seen + LOD_NEAR_WINDOW >= now;
        near_bytes += seen + LOD_NEAR_WINDOW >= now ? LOAD(at->bytes) : 0;
        local.bytes += LOAD(at->bytes);
        if (is == (uint64_t)record + 1) {
            local.asked = (unsigned)LOAD(at->asked);
        } else {
            others += LOAD(at->asked);
        }
    }
    unsigned rest = local.records - (local.asked > 0);
    local.asked_mean = rest ? (unsigned)(others / rest) : 0;
    local.in_turn = local.near * IN_TURN <= LOD_NEAR_WINDOW;
    local.bytes = local.in_turn ? near_bytes : local.bytes;
    *ret_local = local;
}
