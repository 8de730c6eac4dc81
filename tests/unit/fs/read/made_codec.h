/* SPDX-License-Identifier: Apache-2.0 */
/* A codec whose files are made, for the tests of the reader over made pieces. */
#ifndef MADE_CODEC_H
#define MADE_CODEC_H

#include "reader_fixture.h"

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

static struct lod_reader *reader_with(uint64_t cache_bytes, uint64_t work_bytes)
{
    const struct lod_reader_options options = {.cache_bytes = cache_bytes,
                                               .work_bytes = work_bytes};
    struct lod_reader *made = NULL;

    cr_assert_eq(lod_reader_create(NULL, &options, &made), 0);
    return made;
}

/* The beginning of a test. */
static void begin(void)
{
    items_of = item_of;
    setup();
}

#endif
