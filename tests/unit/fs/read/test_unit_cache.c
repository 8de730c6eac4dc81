/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over pieces that a codec makes. */
#include "reader_fixture.h"

static struct lod_item item_of(uint32_t number);

static void begin(void)
{
    items_of = item_of;
    setup();
}

TestSuite(unit_cache, .init = begin, .fini = teardown);

static const uint8_t end_marker[] = {0xff, 0xd9};

/*
 * A codec that makes MADE_BYTES bytes in units of `unit_bytes`. Each byte is the sum of three: a
 * byte of its own group 1, a byte of slot `lender`'s group 2, and the form. It requests the second
 * input after the first is there. A unit needs UNIT bytes of the first, which it repeats.
 */
#define UNIT       1000u
#define MADE_BYTES 4500u
#define LENT_BYTES 300u

static unsigned units_made;
static uint64_t unit_bytes = UNIT;
static uint32_t lender = 1;
static uint64_t made_cost;
static int make_error;

static uint64_t made_unit(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return unit_bytes;
}

static uint64_t cost_of(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return made_cost;
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    (void)row;
    (void)form;
    if (inputs->count == 0) {
        struct lod_input *own = &inputs->input[inputs->count++];
        own->slot = LOD_SLOT_OWN;
        return lod_plan_add_stored(&own->plan, 1, unit * UNIT, UNIT);
    }
    if (inputs->count == 1) {
        inputs->input[inputs->count++] = (struct lod_input){.slot = lender, .group = 2};
    }
    return 0;
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    (void)row;
    (void)unit;
    units_made++;
    for (size_t i = 0; i < bytes; i++) {
        into[i] = (uint8_t)(inputs->input[0].data.at[i % UNIT] +
                            inputs->input[1].data.at[i % LENT_BYTES] + form);
    }
    return make_error;
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    (void)row;
    memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
    ret_bytes[1] = bad_item ? 1ull << 60 : LENT_BYTES; /* larger than any memory */
    return 0;
}

static const struct lod_maker maker = {
    .unit_bytes = made_unit, .cost = cost_of, .need = need, .make = make};
static const struct lod_codec maker_codec = {
    .name = "maker", .groups = 2, .segments = segments, .maker = &maker};

static struct lod_item item_of(uint32_t number)
{
    struct lod_item made = item;

    made.number = number;
    made.codec = &maker_codec;
    return made;
}

static uint8_t made_byte(const struct lod_item *made, uint64_t at)
{
    struct lod_item from = item_of(made->recd.first_item + lender);
    const uint64_t in_unit = at % unit_bytes;

    return (uint8_t)(byte_of(made, 1, at / unit_bytes * UNIT + in_unit % UNIT) +
                     byte_of(&from, 2, in_unit % LENT_BYTES));
}

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

static struct lod_reader *reader_with(uint64_t cache_bytes, uint64_t work_bytes)
{
    const struct lod_reader_options options = {.cache_bytes = cache_bytes,
                                               .work_bytes = work_bytes};
    struct lod_reader *made = NULL;

    cr_assert_eq(lod_reader_create(NULL, &options, &made), 0);
    return made;
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

/* A unit of more bytes than one read has, as of a large photograph. Makers lend less than one. */
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

#define LARGE (2ull * LOD_READ_BYTES_MAX + 5)
#define STEPS 16u

/* An item's file is one large unit, of which a step is read at a time. */
typedef void (*read_step)(struct lod_reader *from, uint32_t k, uint64_t step);

static uint64_t step_bytes(uint64_t step)
{
    return LARGE / STEPS + (step + 1 < STEPS ? 0 : LARGE % STEPS);
}

static void answer_step(struct lod_reader *from, uint32_t k, uint64_t step)
{
    struct lod_item made = item_of(item.number + k);
    struct lod_plan plan = {0};
    struct lod_read read;
    const uint64_t at = step * (LARGE / STEPS);

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, LARGE), 0);
    cr_assert_eq(lod_reader_read(from, &made, &plan, at, step_bytes(step), &read), 0);
    cr_assert_eq(*(uint8_t *)read.iov[0].iov_base, made_byte(&made, at));
    lod_read_finish(&read);
}

static void copy_step(struct lod_reader *from, uint32_t k, uint64_t step)
{
    static uint8_t into[LARGE / STEPS + STEPS];
    struct lod_item made = item_of(item.number + k);
    struct lod_plan plan = {0};
    const uint64_t at = step * (LARGE / STEPS);

    cr_assert_eq(lod_plan_add_made(&plan, 0, 0, LARGE), 0);
    cr_assert_eq(lod_reader_read_into(from, &made, &plan, at, into, step_bytes(step)), 0);
    cr_assert_eq(into[0], made_byte(&made, at));
}

/* Returns how many units are made for reading files, so many at a time in turn. */
static unsigned made_in_turn(read_step by, struct lod_reader *from, uint32_t files,
                             uint32_t at_once)
{
    const unsigned before = units_made;

    for (uint32_t first = 0; first < files; first += at_once) {
        for (uint64_t step = 0; step < STEPS; step++) {
            for (uint32_t k = first; k < first + at_once; k++) {
                by(from, k, step);
            }
        }
    }
    return units_made - before;
}

/* Makers lend room for four of these units. */
Test(unit_cache, a_large_unit_is_made_once_for_all_reads_of_it_whatever_the_cache)
{
    static const uint64_t caches[] = {0, LARGE / 5, LARGE * 4 / 5, LARGE * 6 / 5, LARGE * 3};

    unit_bytes = made_cost = LARGE;
    for (unsigned i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        struct lod_reader *small = reader_with(caches[i], 9 * LARGE);
        struct lod_reader_stats stats;
        cr_assert_eq(made_in_turn(answer_step, small, 1, 1), 1, "cache %u", i);
        cr_assert_eq(made_in_turn(answer_step, small, 12, 1), 12 - 1,
                     "one after the other, cache %u", i);
        cr_assert_eq(made_in_turn(answer_step, small, 12, 4), 12, "four in turn, cache %u", i);
        lod_reader_stats(small, &stats);
        cr_assert_eq(stats.made, 1 + 11 + 12);
        cr_assert_eq(stats.made_bytes, stats.made * LARGE);
        cr_assert_leq(stats.cache_bytes, caches[i]);
        lod_reader_destroy(small);
    }
}

Test(unit_cache, a_large_unit_that_was_copied_to_its_end_leaves_room_for_others)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);

    unit_bytes = made_cost = LARGE;
    cr_assert_eq(made_in_turn(copy_step, small, 12, 1), 12);
    cr_assert_eq(made_in_turn(copy_step, small, 12, 4), 12);
    lod_reader_destroy(small);
}

/* Of six readers, the four whose units are kept go on, and the other two have theirs made. */
Test(unit_cache, large_units_that_are_read_stay_though_more_are_read_in_turn)
{
    struct lod_reader *small = reader_with(LARGE / 5, 9 * LARGE);

    unit_bytes = made_cost = LARGE;
    const unsigned made = made_in_turn(answer_step, small, 6, 6);
    cr_assert_leq(made, 4 + 2 * STEPS, "%u", made);
    lod_reader_destroy(small);
}

/* Room for one maker: a kept unit goes when another maker needs its memory, and only then. */
Test(unit_cache, a_maker_of_all_memory_gets_that_of_kept_units)
{
    struct lod_reader *small = reader_with(LARGE / 5, 2 * LARGE + LARGE / 2);

    unit_bytes = LARGE;
    made_cost = 2 * LARGE + LARGE / 2;
    cr_assert_eq(made_in_turn(answer_step, small, 3, 1), 3);
    cr_assert_eq(made_in_turn(answer_step, small, 2, 2), 2 * STEPS);
    lod_reader_destroy(small);
}
