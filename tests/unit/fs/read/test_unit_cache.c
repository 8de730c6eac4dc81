/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over pieces that a codec makes. */
#include "made_codec.h"

TestSuite(unit_cache, .init = begin, .fini = teardown);

static const uint8_t end_marker[] = {0xff, 0xd9};

Test(unit_cache, each_unit_is_made_once_for_any_ranges)
{
    struct lod_item made = item_of(item.number);
    struct lod_plan plan = {0};
    static const uint64_t at[] = {0, 1, 999, 1000, 1001, 2500, 4499};

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, MADE_BYTES), 0);
    cr_assert_eq(lod_plan_add_mem(&plan, end_marker, 2), 0);
    for (unsigned k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
        struct lod_read read;
        uint64_t done = at[k];
        cr_assert_eq(lod_reader_read(reader, &made, &plan, at[k], 10000, &read), 0);
        cr_assert_eq(read.bytes, MADE_BYTES + 2 - at[k]);
        for (unsigned i = 0; i < read.count; i++) {
            for (size_t j = 0; j < read.iov[i].iov_len && done < MADE_BYTES; j++, done++) {
                cr_assert_eq(((uint8_t *)read.iov[i].iov_base)[j], made_byte(&made, done));
            }
        }
        lod_read_finish(&read);
    }
    cr_assert_eq(units_made, 5, "made %u times", units_made);
    struct lod_reader_stats stats;
    lod_reader_stats(reader, &stats);
    cr_assert_eq(stats.made, 5);
    cr_assert_eq(stats.made_bytes, MADE_BYTES);
}

Test(unit_cache, forms_of_one_item_are_distinct_and_text_comes_from_the_plan)
{
    struct lod_item made = item_of(item.number);
    struct lod_read read;

    for (unsigned turn = 0; turn < 4; turn++) {
        unsigned form = turn % 2 ? LOD_FORMS_MAX - 1 : 0;
        struct lod_plan plan = {0};
        cr_assert_eq(lod_plan_add_text(&plan, "head", 4), 0);
        cr_assert_eq(lod_plan_add_made(&plan, form, 0, MADE_BYTES), 0);
        cr_assert_eq(lod_reader_read(reader, &made, &plan, 2, 3, &read), 0);
        cr_assert_eq(memcmp(read.iov[0].iov_base, "ad", 2), 0);
        cr_assert_eq(*(uint8_t *)read.iov[1].iov_base, (uint8_t)(made_byte(&made, 0) + form));
        lod_read_finish(&read);
    }
    cr_assert_eq(units_made, 2);
}

Test(unit_cache, a_unit_that_cannot_be_made_is_reported_once)
{
    struct lod_item made = item_of(item.number);
    struct lod_plan plan = {0};
    struct lod_read read;
    static const struct {
        uint32_t lender, bad, cost;
        int make_error, told;
    } cases[] = {
        {2, 0, 0, 0, -EILSEQ}, /* the slot itself */
        {3, 0, 0, 0, -EILSEQ}, /* a later slot */
        {1, 0, (64 << 20) + 1, 0, -E2BIG},
        {1, 0, 0, -EILSEQ, -EILSEQ},
        {1, 11, 0, 0, -EIO},
    };

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, MADE_BYTES), 0);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        teardown();
        setup();
        lender = cases[i].lender;
        made_cost = cases[i].cost;
        make_error = cases[i].make_error;
        bad_item = cases[i].bad;
        item_error = 0;
        cr_assert_eq(lod_reader_read(reader, &made, &plan, 0, 100, &read), -EIO);
        cr_assert_eq(item_error, cases[i].told);
        item_error = 0;
        cr_assert_eq(lod_reader_read(reader, &made, &plan, 5, 100, &read), -EIO);
        cr_assert_eq(item_error, 0, "remembered, not tried again");
    }
}

typedef int reading(struct lod_reader *from, const struct lod_item *of, const struct lod_plan *plan,
                    uint64_t offset, uint8_t *into, size_t bytes);

/* Copies a range of a file of two units, that begins with a text, and compares it. Returns how many
 * units were made. */
static unsigned copied(reading *read, struct lod_reader *from, uint64_t offset, uint64_t left_out)
{
    struct lod_item made = item_of(item.number);
    struct lod_plan plan = {0};
    const unsigned before = units_made;

    cr_assert_eq(lod_plan_add_text(&plan, "head", 4), 0);
    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, unit_bytes + unit_bytes / 2), 0);
    cr_assert_eq(lod_plan_add_mem(&plan, end_marker, 2), 0);
    const uint64_t end = plan.bytes - left_out;
    uint8_t *into = malloc(end - offset);
    cr_assert_eq(read(from, &made, &plan, offset, into, end - offset), 0);
    for (uint64_t at = offset; at < end; at++) {
        const uint8_t wanted = at < 4                ? (uint8_t) "head"[at]
                               : at < plan.bytes - 2 ? made_byte(&made, at - 4)
                                                     : end_marker[at - (plan.bytes - 2)];
        cr_assert_eq(into[at - offset], wanted, "byte %llu", (unsigned long long)at);
    }
    free(into);
    return units_made - before;
}

/*
 * A unit with more bytes than one read can have, such as a large photograph. The memory of makers
 * cannot keep one.
 */
Test(unit_cache, a_copy_makes_a_unit_once_though_the_cache_has_no_room_for_it)
{
    struct lod_reader *none = reader_with(0, 2 * LOD_READ_BYTES_MAX);

    unit_bytes = 2 * LOD_READ_BYTES_MAX + 5;
    cr_assert_eq(copied(lod_reader_read_into, none, 0, 0), 2);
    cr_assert_eq(copied(lod_reader_read_into, none, 9, 1), 2);
    cr_assert_eq(copied(lod_reader_read_once, none, 4, 2), 2);
    cr_assert_eq(copied(lod_reader_read_once, none, 3, 100), 2);
    lod_reader_destroy(none);
}

Test(unit_cache, a_copy_for_once_keeps_no_unit)
{
    struct lod_reader *roomy = reader_with(64 << 20, 64 << 20);
    struct lod_reader_stats stats, after;

    unit_bytes = 2 * LOD_READ_BYTES_MAX + 5;
    cr_assert_eq(copied(lod_reader_read_once, roomy, 0, 0), 2);
    lod_reader_stats(roomy, &stats);
    cr_assert_lt(stats.cache_bytes, unit_bytes, "frames alone");
    cr_assert_eq(stats.made, 2);
    cr_assert_eq(stats.made_bytes, unit_bytes + unit_bytes / 2);
    cr_assert_eq(copied(lod_reader_read_into, roomy, 0, 0), 2, "none was kept");
    cr_assert_eq(copied(lod_reader_read_into, roomy, 0, 0), 0, "both were kept");
    lod_reader_stats(roomy, &after);
    cr_assert_geq(after.cache_bytes, unit_bytes + unit_bytes / 2);
    cr_assert_eq(after.made, 4);
    lod_reader_destroy(roomy);
}

Test(unit_cache, a_copy_fails_as_a_read_does)
{
    struct lod_reader *none = reader_with(0, 64 << 20);
    struct lod_item made = item_of(item.number);
    struct lod_reader_stats stats;
    struct lod_plan plan = {0};
    uint8_t into[100];

    make_error = -EILSEQ;
    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, sizeof(into)), 0);
    cr_assert_eq(lod_reader_read_once(none, &made, &plan, 0, into, sizeof(into)), -EIO);
    cr_assert_eq(item_error, -EILSEQ);
    item_error = 0;
    cr_assert_eq(lod_reader_read_into(none, &made, &plan, 1, into, 9), -EIO);
    cr_assert_eq(item_error, -EILSEQ);
    lod_reader_stats(none, &stats);
    cr_assert_eq(stats.reads_failed, 2);
    cr_assert_eq(stats.reads, 0);
    lod_reader_destroy(none);
}
