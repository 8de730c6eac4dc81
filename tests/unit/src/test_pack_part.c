/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a pack: each record is in one of them, and they are runs of about equal bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "pack/parts/pack_part.h"

#define RECORDS 100u

static struct lod_order_record records[RECORDS];
static struct lod_order order = {.records = records};

static void make(uint32_t count, uint64_t bytes, uint64_t more)
{
    order.records_count = count;
    for (uint32_t i = 0; i < count; i++) {
        records[i].source_bytes = bytes + i % 7 * more;
    }
}

static struct lod_part_run run_of(uint32_t number, uint32_t count)
{
    const struct lod_pack_part part = {.number = number, .count = count};

    return lod_part_records(&order, &part);
}

/* The runs of all parts follow each other, and the numbers of records are those of the runs. */
static void check(uint32_t parts)
{
    uint32_t *numbers = calloc(RECORDS + 1, sizeof(numbers[0]));
    uint32_t next = 0;

    cr_assert_not_null(numbers);
    lod_part_numbers(&order, parts, numbers);
    for (uint32_t k = 1; k <= parts; k++) {
        const struct lod_part_run run = run_of(k, parts);
        cr_assert_eq(run.first, next);
        for (uint32_t i = 0; i < run.count; i++) {
            cr_assert_eq(numbers[run.first + i], k);
        }
        next += run.count;
    }
    cr_assert_eq(next, order.records_count);
    free(numbers);
}

Test(pack_part, each_record_is_in_one_part)
{
    for (uint32_t count = 0; count <= RECORDS; count += 33) {
        make(count, 1000, 500);
        for (uint32_t parts = 1; parts <= 210; parts += 19) {
            check(parts);
        }
    }
}

Test(pack_part, records_without_bytes_and_records_of_too_many)
{
    make(RECORDS, 0, 0);
    check(3);
    make(RECORDS, UINT64_MAX / 3, 1);
    check(3);
    check(LOD_PARTS_MAX);
}

Test(pack_part, parts_have_about_the_same_bytes)
{
    make(RECORDS, 1000, 0);
    for (uint32_t k = 1; k <= 7; k++) {
        const uint32_t count = run_of(k, 7).count;
        cr_assert(count == RECORDS / 7 || count == RECORDS / 7 + 1);
    }
    make(RECORDS, 10, 0);
    records[50].source_bytes = 100000; /* the parts behind a large record are empty */
    check(4);
    cr_assert_eq(run_of(2, 4).count, 0);
}
