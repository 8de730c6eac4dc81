/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over stored and constant pieces. */
#include "reader_fixture.h"

static struct lod_item item_of(uint32_t number);

static void begin(void)
{
    items_of = item_of;
    setup();
}

TestSuite(reader, .init = begin, .fini = teardown);

static struct lod_item item_of(uint32_t number)
{
    (void)number;
    return item;
}

static const uint8_t end_marker[] = {0xff, 0xd9};
/* Like an image: a header in the middle of a segment, groups of odd lengths, an end marker. */
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

/* The whole file, computed from the plan. */
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

Test(reader, any_range_returns_exactly_its_bytes)
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

Test(reader, a_frame_is_read_once_and_only_on_demand)
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

Test(reader, records_groups_and_frames_are_distinct)
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

Test(reader, errors_of_the_store_become_eio_and_others_stay)
{
    struct lod_plan plan = image();
    struct lod_read read;
    static const int given[] = {-EBADMSG, -EIO,   -EILSEQ, -ENOTSUP, -ENOENT,
                                -ENOMEM,  -EINTR, -ETIME,  -EMFILE};
    static const int wanted[] = {-EIO, -EIO, -EIO, -EIO, -EIO, -ENOMEM, -EINTR, -ETIME, -EMFILE};

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

    /*
     * 23 pieces of 2 bytes, each across the edge of a frame, and a piece of 1 MiB that starts at
     * the last byte of a frame.
     */
    for (unsigned i = 0; i < LOD_PIECES_MAX - 1; i++) {
        cr_assert_eq(lod_plan_add_stored(&plan, 1 + i % 12, FRAME_BYTES * (1 + i) - 1, 2), 0);
    }
    cr_assert_eq(lod_plan_add_stored(&plan, 1, FRAME_BYTES - 1, 2 * LOD_READ_BYTES_MAX), 0);
    cr_assert_eq(lod_reader_read(reader, &item, &plan, 0, LOD_READ_BYTES_MAX, &read), 0);
    cr_assert_eq(read.bytes, LOD_READ_BYTES_MAX);
    lod_read_finish(&read);
}

Test(reader, a_cache_of_zero_bytes_still_reads)
{
    struct lod_plan plan = image();
    uint8_t *whole = expected(&plan);
    struct lod_reader *kept = reader;

    cr_assert_eq(
        lod_reader_create(
            NULL, &(struct lod_reader_options){.cache_bytes = 0, .work_bytes = 0, .threads = true},
            &reader),
        0);
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
