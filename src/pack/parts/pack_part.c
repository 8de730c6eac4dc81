/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides records among parts; see pack_part.h. A record belongs to the part in whose share of the
 * bytes it begins, so parts differ by a record at most, and no part has to know about another.
 */
#include "pack/parts/pack_part.h"

/* Returns the sum, or UINT64_MAX if it overflows: the numbers of a plan are untrusted. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t share_of(const struct lod_order *order, uint32_t parts)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < order->records_count; i++) {
        bytes = add(bytes, order->records[i].source_bytes);
    }
    return bytes / parts + (bytes % parts != 0 || bytes == 0);
}

/* Returns the number, from 1, of the part in which a record begins `before` bytes. */
static uint32_t part_at(uint64_t before, uint64_t share, uint32_t parts)
{
    const uint64_t part = before / share;

    return part < parts ? (uint32_t)part + 1 : parts;
}

void lod_part_numbers(const struct lod_order *order, uint32_t parts, uint32_t *ret_numbers)
{
    const uint64_t share = share_of(order, parts);
    uint64_t before = 0;

    for (size_t i = 0; i < order->records_count; i++) {
        ret_numbers[i] = part_at(before, share, parts);
        before = add(before, order->records[i].source_bytes);
    }
}

struct lod_part_run lod_part_records(const struct lod_order *order,
                                     const struct lod_pack_part *part)
{
    const uint64_t share = share_of(order, part->count);
    struct lod_part_run run = {0};
    uint64_t before = 0;

    for (size_t i = 0; i < order->records_count; i++) {
        const uint32_t at = part_at(before, share, part->count);
        run.first += at < part->number;
        run.count += at == part->number;
        before = add(before, order->records[i].source_bytes);
    }
    return run;
}
