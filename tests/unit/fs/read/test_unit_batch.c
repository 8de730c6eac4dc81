/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of units over invented frames: the units that are made and cached. */
#include "read/unit_batch.h"
#include "reader_fixture.h"

static struct lod_item item_of(uint32_t number);

static void set_up(void)
{
    items_of = item_of;
    setup();
}

TestSuite(unit_batch, .init = set_up, .fini = teardown);

#define UNIT 1000u
#define WORK (16u << 20)
/* a batch may take this share of the makers' memory */
#define SHARE (2 * LOD_READAHEAD_THREADS_MAX)

static unsigned batches, units_made, largest, made_alone;
static uint32_t odd_item; /* fails alone */
static int batch_error;
static uint64_t unit_cost;

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return UNIT;
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return unit_cost;
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    (void)row;
    (void)form;
    if (inputs->count) {
        return 0;
    }
    struct lod_input *own = &inputs->input[inputs->count++];
    own->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&own->plan, 1, unit * UNIT, UNIT);
}

static void fill_unit(const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        into[i] = (uint8_t)~inputs->input[0].data.at[i];
    }
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    (void)row;
    (void)form;
    (void)unit;
    made_alone++;
    fill_unit(inputs, into, bytes);
    return 0;
}

static int make_many(struct lod_gpu *gpu, struct lod_unit *units, unsigned count)
{
    cr_assert_null(gpu);
    batches++;
    largest = count > largest ? count : largest;
    for (unsigned i = 0; i < count; i++) {
        units_made++;
        units[i].error = lod_get_le32(units[i].row) == odd_item ? -EILSEQ : 0;
        fill_unit(units[i].inputs, units[i].into, units[i].bytes);
    }
    return batch_error;
}

static const struct lod_maker maker = {
    .unit_bytes = unit_bytes, .cost = cost, .need = need, .make = make, .make_many = make_many};
static const struct lod_codec codec = {.name = "maker", .groups = 2, .maker = &maker};

static struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item;

    of.number = number;
    of.codec = &codec;
    lod_put_le32(of.row, number);
    return of;
}

struct bench {
    struct lod_byte_limit limit;
    struct lod_frames *frames;
    struct lod_cache *cache;
    struct lod_memory_semaphore work;
    struct lod_unit_cache_in in;
    struct lod_readahead_unit units[LOD_READAHEAD_BATCH_MAX];
};

/* Units of items 10 .. 14 in turn. */
static void begin(struct bench *b, unsigned count)
{
    *b = (struct bench){.limit.bytes_max = 32u << 20};
    lod_memory_semaphore_init(&b->work, WORK);
    cr_assert_eq(
        lod_frames_create(NULL,
                          &(struct lod_frames_options){.limit = &b->limit, .budget_bytes = 1 << 20},
                          &b->frames),
        0);
    cr_assert_eq(lod_cache_create_in(&b->limit, lod_frames_shrink, b->frames, &b->cache), 0);
    b->in = (struct lod_unit_cache_in){.frames = b->frames, .cache = b->cache, .work = &b->work};
    for (unsigned i = 0; i < count; i++) {
        b->units[i] = (struct lod_readahead_unit){
            .item = item_of(10 + i % 5), .unit = i / 5, .made_bytes = 20 * UNIT};
    }
}

static void end(struct bench *b)
{
    cr_assert_eq(b->work.bytes, 0, "a reservation was not released");
    lod_cache_destroy(b->cache);
    lod_frames_destroy(b->frames);
    lod_memory_semaphore_finish(&b->work);
}

/* Reads unit `i`. It is not made again if it was cached. */
static bool was_left(struct bench *b, unsigned i)
{
    const struct lod_readahead_unit *unit = &b->units[i];
    const struct lod_unit_part part = {.item = &unit->item,
                                       .made_bytes = unit->made_bytes,
                                       .unit_bytes = UNIT,
                                       .at = unit->unit * UNIT,
                                       .bytes = 1};
    const unsigned before = made_alone;
    struct lod_blob *blob = NULL;

    cr_assert_eq(lod_unit_cache_get(&b->in, &part, &blob), 0);
    for (unsigned k = 0; k < UNIT; k++) {
        cr_assert_eq(blob->data[k], (uint8_t)~byte_of(&unit->item, 1, unit->unit * UNIT + k));
    }
    lod_blob_unref(blob);
    return made_alone == before;
}

Test(unit_batch, units_of_several_items_are_made_at_once_and_cached)
{
    struct bench b;

    begin(&b, 30);
    lod_unit_batch(&b.in, NULL, b.units, 30);
    cr_assert(batches == 1 && units_made == 30 && made_alone == 0);
    for (unsigned i = 0; i < 30; i++) {
        cr_assert(was_left(&b, i), "unit %u", i);
    }
    lod_unit_batch(&b.in, NULL, b.units, 30);
    cr_assert_eq(units_made, 30, "what is there is not made again");
    end(&b);
}

Test(unit_batch, a_unit_that_fails_does_not_affect_the_others)
{
    struct bench b;

    begin(&b, 10);
    odd_item = 12;
    bad_item = 11; /* its frames cannot be read */
    lod_unit_batch(&b.in, NULL, b.units, 10);
    cr_assert_eq(units_made, 8, "%u", units_made);
    bad_item = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (i % 5 != 1) { /* failed frames are remembered */
            cr_assert_eq(was_left(&b, i), i % 5 != 2, "unit %u", i);
        }
    }
    end(&b);
}

Test(unit_batch, a_failed_batch_caches_nothing)
{
    struct bench b;

    begin(&b, 10);
    batch_error = -ENOMEM;
    lod_unit_batch(&b.in, NULL, b.units, 10);
    cr_assert_eq(units_made, 10);
    for (unsigned i = 0; i < 10; i++) {
        cr_assert(!was_left(&b, i));
    }
    end(&b);
}

Test(unit_batch, batches_stay_within_their_share_of_the_memory)
{
    struct bench b;

    begin(&b, 32);
    unit_cost = WORK / SHARE / 4;
    lod_unit_batch(&b.in, NULL, b.units, 32);
    cr_assert(batches == 8 && largest == 4 && units_made == 32, "%u of %u", batches, largest);
    end(&b);
    begin(&b, 2);
    unit_cost = WORK; /* each one takes all memory */
    lod_unit_batch(&b.in, NULL, b.units, 2);
    cr_assert(units_made == 34 && batches == 10);
    unit_cost = WORK + 1;
    b.units[0].unit = 7;
    lod_unit_batch(&b.in, NULL, b.units, 1);
    cr_assert_eq(units_made, 34, "more than the budget");
    end(&b);
}
