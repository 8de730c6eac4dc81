/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over made-up frames: the dataset's functions it calls are this file's own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "reader.h"

#define SHIFT       16
#define FRAME_BYTES (1u << SHIFT)

static struct lod_item item_of(uint32_t number);
static unsigned frames_read;
static int item_error; /* what lod_dataset_item_failed was told last */
static int frame_error;
static uint32_t lender = 1, bad_item; /* whose frames cannot be read, and its row says too much */
static uint64_t frame_short;          /* bytes missing at the end of each frame */

/* Byte `at` of a segment, different for each group and item. */
static uint8_t byte_of(const struct lod_item *item, unsigned group, uint64_t at)
{
    return (uint8_t)((at * 2654435761u >> 13) + group * 17 + item->number);
}

int lod_dataset_frame(struct lod_dataset *dataset, const struct lod_item *item, unsigned group,
                      uint64_t frame, struct lod_blob **ret_blob)
{
    struct lod_blob *blob = NULL;

    (void)dataset;
    frames_read++;
    if (frame_error || bad_item == item->number) {
        return frame_error ? frame_error : -EIO;
    }
    cr_assert_eq(lod_blob_create(FRAME_BYTES - frame_short, &blob), 0);
    for (uint64_t i = 0; i < blob->bytes; i++) {
        blob->data[i] = byte_of(item, group, frame * FRAME_BYTES + i);
    }
    *ret_blob = blob;
    return 0;
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    *ret_item = item_of(number);
    return 0;
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item, int error)
{
    (void)dataset;
    (void)item;
    item_error = error;
    return -EIO;
}

static const uint8_t end_marker[] = {0xff, 0xd9};
static struct lod_item item = {
    .number = 12, .recd = {.number = 3, .first_item = 10, .items = 5, .frame_shift = SHIFT}};
static struct lod_reader *reader;

static void setup(void)
{
    cr_assert_eq(lod_reader_create(NULL, 64 << 20, 64 << 20, &reader), 0);
}

static void teardown(void)
{
    lod_reader_destroy(reader);
}

TestSuite(reader, .init = setup, .fini = teardown);

/* Like an image: a head in the middle of a segment, groups of odd lengths, an end marker. */
static struct lod_plan image(void)
{
    struct lod_plan plan = {0};
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 5, 100), 0);
    cr_assert_eq(lod_plan_add_mem(&plan, (const uint8_t *)"Exif", 4), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 105, 3 * FRAME_BYTES), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 0, FRAME_BYTES), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 3, FRAME_BYTES - 1, 2), 0);
    cr_assert_eq(lod_plan_add_mem(&plan, end_marker, sizeof(end_marker)), 0);
    return plan;
}

/* The whole file, straight from the plan. */
static uint8_t *expected(const struct lod_plan *plan)
{
    uint8_t *bytes = malloc(plan->bytes), *at = bytes;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        for (uint64_t j = 0; j < piece->bytes; j++) {
            *at++ = piece->kind == LOD_PIECE_MEM ? piece->mem[j]
                                                 : byte_of(&item, piece->group, piece->offset + j);
        }
    }
    return bytes;
}

static void check(const struct lod_plan *plan, const uint8_t *whole, uint64_t offset,
                  uint64_t bytes)
{
    uint64_t left = offset < plan->bytes ? plan->bytes - offset : 0, done = 0;
    uint64_t want = bytes < left ? bytes : left;
    struct lod_read read;

    cr_assert_eq(lod_reader_read(reader, &item, plan, offset, bytes, &read), 0);
    cr_assert_eq(read.bytes, want);
    for (unsigned i = 0; i < read.count; i++) {
        cr_assert_gt(read.iov[i].iov_len, 0);
        cr_assert_eq(memcmp(read.iov[i].iov_base, whole + offset + done, read.iov[i].iov_len), 0,
                     "span %u of [%llu, +%llu)", i, (unsigned long long)offset,
                     (unsigned long long)bytes);
        done += read.iov[i].iov_len;
    }
    cr_assert_eq(done, want);
    lod_read_finish(&read);
}

Test(reader, any_range_is_exactly_its_bytes)
{
    struct lod_plan plan = image();
    uint8_t *whole = expected(&plan);
    static const uint64_t edges[] = {0,
                                     1,
                                     99,
                                     100,
                                     101,
                                     104,
                                     105,
                                     FRAME_BYTES - 1,
                                     FRAME_BYTES,
                                     FRAME_BYTES + 4,
                                     2 * FRAME_BYTES,
                                     3 * FRAME_BYTES + 104,
                                     4 * FRAME_BYTES + 104};
    for (unsigned i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        for (unsigned j = 0; j < sizeof(edges) / sizeof(edges[0]); j++) {
            check(&plan, whole, edges[i], edges[j]);
            check(&plan, whole, plan.bytes - edges[i] % plan.bytes, edges[j]);
        }
    }
    check(&plan, whole, plan.bytes + 10, 4096);
    check(&plan, whole, UINT64_MAX - 5, LOD_READ_BYTES_MAX);
    check(&plan, whole, 0, LOD_READ_BYTES_MAX);
    free(whole);
}

Test(reader, a_frame_is_read_once_and_only_if_touched)
{
    struct lod_plan plan = image();
    uint8_t *whole = expected(&plan);

    check(&plan, whole, 0, 104);
    cr_assert_eq(frames_read, 1);
    for (unsigned i = 0; i < 3; i++) {
        check(&plan, whole, 0, LOD_READ_BYTES_MAX);
        cr_assert_eq(frames_read, 4 + 1 + 2);
    }
    item.number++;
    free(whole);
    whole = expected(&plan);
    check(&plan, whole, 0, 100);
    cr_assert_eq(frames_read, 8, "another item is another frame");
    item.number--;
    free(whole);
}

Test(reader, records_groups_and_frames_are_kept_apart)
{
    struct lod_plan plan = {0};
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 10), 0);
    struct lod_read read;

    for (unsigned i = 0; i < 3; i++) {
        item.recd.number = 100 + i;
        cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, 10, &read), 0);
        lod_read_finish(&read);
    }
    cr_assert_eq(frames_read, 3);
}

Test(reader, errors_are_eio_but_for_memory_and_interruption)
{
    struct lod_plan plan = image();
    struct lod_read read;
    static const int given[] = {-EBADMSG, -EIO, -EILSEQ, -ENOTSUP, -ENOENT, -ENOMEM, -EINTR};
    static const int wanted[] = {-EIO, -EIO, -EIO, -EIO, -EIO, -ENOMEM, -EINTR};

    for (unsigned i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        item.recd.number = 200 + i;
        frame_error = given[i];
        cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, 1000, &read), wanted[i]);
    }
}

Test(reader, a_frame_shorter_than_planned_is_an_error_not_a_short_read)
{
    struct lod_plan plan = image();
    struct lod_read read;

    frame_short = 10;
    cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, 1000, &read), 0);
    lod_read_finish(&read);
    cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, LOD_READ_BYTES_MAX, &read), -EIO);
    cr_assert_eq(read.count, 0);
}

Test(reader, the_worst_plan_fits_the_spans)
{
    struct lod_plan plan = {0};
    struct lod_read read;

    /* 23 pieces of 2 bytes over a frame's edge, 1 MiB in one that starts at a last byte. */
    for (unsigned i = 0; i < LOD_PIECES_MAX - 1; i++) {
        cr_assert_eq(lod_plan_add_stored(&plan, 1 + i % 12, FRAME_BYTES * (1 + i) - 1, 2), 0);
    }
    cr_assert_eq(lod_plan_add_stored(&plan, 1, FRAME_BYTES - 1, 2 * LOD_READ_BYTES_MAX), 0);
    cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, LOD_READ_BYTES_MAX, &read), 0);
    cr_assert_eq(read.bytes, LOD_READ_BYTES_MAX);
    lod_read_finish(&read);
}

Test(reader, a_cache_of_nothing_still_reads)
{
    struct lod_plan plan = image();
    uint8_t *whole = expected(&plan);
    struct lod_reader *kept = reader;

    cr_assert_eq(lod_reader_create(NULL, 0, 0, &reader), 0);
    check(&plan, whole, 0, LOD_READ_BYTES_MAX);
    check(&plan, whole, 77, 100000);
    struct lod_reader_stats stats;
    lod_reader_stats(reader, &stats);
    cr_assert_eq(stats.cache_bytes, 0);
    cr_assert_eq(stats.reads, 2);
    cr_assert_eq(stats.reads_bytes, plan.bytes + 100000);
    lod_reader_destroy(reader);
    reader = kept;
    free(whole);
}

/*
 * A codec that makes MADE_BYTES bytes in units of UNIT: each byte is the sum of one of its own
 * group 1, one of slot `lender`'s group 2, which it asks for once it has its own, and the form.
 */
#define UNIT       1000u
#define MADE_BYTES 4500u
#define LENT_BYTES 300u

static unsigned units_made;
static uint64_t made_cost;
static int make_error;

static uint64_t made_unit(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    (void)form;
    return UNIT;
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
        into[i] = (uint8_t)(inputs->input[0].data.at[i] + inputs->input[1].data.at[i % LENT_BYTES] +
                            form);
    }
    return make_error;
}

static int segments(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    (void)row;
    memset(ret_bytes, 0, LOD_GROUPS_MAX * sizeof(ret_bytes[0]));
    ret_bytes[1] = bad_item ? 1ull << 60 : LENT_BYTES; /* no memory has that much */
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
    return (uint8_t)(byte_of(made, 1, at) + byte_of(&from, 2, at % UNIT % LENT_BYTES));
}

Test(reader, made_bytes_are_made_once_a_unit_and_cut_anywhere)
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
}

Test(reader, forms_of_one_item_are_kept_apart_and_text_is_the_plans_own)
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

Test(reader, what_cannot_be_made_is_an_error_told_once)
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
