/* SPDX-License-Identifier: Apache-2.0 */
#include "rebuild_samples.h"
#include "pcr/exact/rebuild_run.h"
#include "pcr/exact/varint.h"

Test(rebuild, both_forms_of_rebuild_data_come_apart_again)
{
    struct lod_rebuild_made made = {0};
    struct lod_buf own = {0}, shared = {0};
    struct lod_rebuild e;

    cr_assert_eq(lod_buf_append(&made.header, "header", 6), 0);
    cr_assert_eq(lod_buf_append(&made.tail, "tail", 4), 0);
    cr_assert_eq(lod_rebuild_join(&made, &own), 0);
    cr_assert_eq(lod_rebuild_split(lod_buf_span(&own), &e), 0);
    cr_assert(!e.shared && same_bytes(e.header, lod_buf_span(&made.header)));
    cr_assert(same_bytes(e.tail, lod_buf_span(&made.tail)));
    cr_assert_eq(lod_rebuild_join_shared(0x1234, lod_buf_span(&made.tail), &shared), 0);
    cr_assert_eq(lod_rebuild_split(lod_buf_span(&shared), &e), 0);
    cr_assert(e.shared && e.slot == 0x1234 && e.header.bytes == 0);
    cr_assert(same_bytes(e.tail, lod_buf_span(&made.tail)));
    lod_rebuild_made_finish(&made);
    lod_buf_finish(&own);
    lod_buf_finish(&shared);
}

Test(rebuild, malformed_rebuild_data_is_refused)
{
    const struct {
        uint8_t data[8];
        size_t bytes;
    } bad[] = {
        {{0}, 0},
        {{LOD_REBUILD_OWN}, 1},
        {{LOD_REBUILD_OWN, 2, 0}, 3},
        {{LOD_REBUILD_OWN, 0xff, 0xff, 0xff, 0xff, 0x0f}, 6},
        {{LOD_REBUILD_OWN, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 7},
        {{LOD_REBUILD_SHARED, 1}, 2},
        {{LOD_REBUILD_SHARED + 1, 0, 0}, 3},
    };
    struct lod_rebuild e;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lod_span data = {.at = bad[i].data, .bytes = bad[i].bytes};
        cr_assert_eq(lod_rebuild_split(data, &e), -EILSEQ, "%zu", i);
    }
}

Test(rebuild, numbers_come_back_from_as_many_bytes_as_they_need)
{
    const uint32_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX};
    struct lod_buf buf = {0};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        cr_assert_eq(lod_buf_append_varint(&buf, numbers[i]), 0);
    }
    cr_assert_eq(buf.bytes, 1 + 1 + 1 + 2 + 2 + 3 + 5);
    struct lod_cursor c = lod_cursor(buf.data, buf.bytes);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        cr_assert_eq(lod_take_varint(&c), numbers[i]);
    }
    cr_assert(!c.short_of_bytes && c.left == 0);
    for (int value = -70000; value <= 70000; value += 7) {
        cr_assert_eq(lod_zigzag_decode(lod_zigzag_encode(value)), value);
    }
    cr_assert(lod_zigzag_encode(0) == 0 && lod_zigzag_encode(-1) == 1 && lod_zigzag_encode(1) == 2);
    lod_buf_finish(&buf);
}

/* Makes an image whose rebuild data has every kind of entry. */
static struct exact_case make_sample(unsigned kind, struct lod_buf *ret_source)
{
    const struct sample samples[] = {
        {.width = 40, .height = 30, .h = {2}, .v = {2}, .comment_bytes = 30, .trailing = "end"},
        {.width = 40, .height = 30, .restart = 2, .optimized = true, .icc_bytes = 100},
        {.width = 40, .height = 30, .h = {2}, .v = {2}, .progressive = true},
        {.width = 30, .height = 40, .components = 1, .optimized = true},
    };
    *ret_source = sample_jpeg(&samples[kind % 4]);
    struct exact_case e = exact_make(lod_buf_span(ret_source));

    cr_assert(!e.whole && !e.error);
    return e;
}

Test(rebuild, only_the_right_size_is_accepted)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct lod_buf source;
        struct exact_case e = make_sample(kind, &source);
        uint8_t *out = malloc(source.bytes + 100);

        cr_assert_not_null(out);
        for (size_t bytes = 0; bytes < source.bytes + 100;
             bytes += bytes < source.bytes - 50 ? 41u : 1u) {
            int error = lod_rebuild_file(lod_buf_span(&e.full), lod_buf_span(&e.made.header),
                                         lod_buf_span(&e.made.tail), out, bytes);
            cr_assert_eq(error, bytes == source.bytes ? 0 : -EILSEQ, "%zu bytes", bytes);
        }
        free(out);
        lod_buf_finish(&source);
        exact_case_finish(&e);
    }
}

Test(rebuild, more_than_the_memory_limit_is_refused_before_it_is_taken)
{
    struct lod_buf source;
    struct exact_case e = make_sample(0, &source);
    uint8_t out[1];

    cr_assert_eq(lod_rebuild_file(lod_buf_span(&e.full), lod_buf_span(&e.made.header),
                                  lod_buf_span(&e.made.tail), out, LOD_REBUILD_MEMORY_MAX),
                 -E2BIG);
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

/* Runs one operation of a header on a sample's full file. It may write up to `room` bytes. */
static int run_parts(const struct exact_case *e, const void *header, size_t bytes,
                     struct lod_span tail, size_t room)
{
    struct lod_rebuild_parts *parts = malloc(sizeof(*parts));
    struct lod_span span = {.at = header, .bytes = bytes};
    struct lod_rebuild_trace trace;
    struct lod_jpeg *jpeg = NULL;
    uint8_t *out = malloc(room);

    cr_assert(out && parts);
    cr_assert_eq(lod_rebuild_parts_read(lod_buf_span(&e->full), parts), 0);
    cr_assert_eq(lod_scans_read(parts->full, 1u << 20, &jpeg), 0);
    int error = lod_rebuild_run(parts, jpeg, span, tail, out, room, &bytes, &trace);
    lod_jpeg_destroy(jpeg);
    free(parts);
    free(out);
    return error;
}

static int run_header(const struct exact_case *e, const void *header, size_t bytes, size_t room)
{
    return run_parts(e, header, bytes, (struct lod_span){0}, room);
}

struct header {
    uint8_t bytes[24];
    size_t count;
};

/* The correct versions of the malformed operations below. */
Test(rebuild, operations_run_alone)
{
    const struct header good[] = {
        {{0x02, 1, 1}, 3},
        {{0x0f, 2, 1, 1}, 4},
        {{0x12, 1, 1}, 3},
        {{0x21, 1}, 2},
        {{0x21, 0x11}, 2},
        {{0x31, 0xc1}, 2},
        {{0x41, 0x53}, 2},
        {{0x41, 0xc0, 0x67, 0, 1, 1, 0, 0, 63, 0}, 10},
        {{0x52, 1, 0}, 3},
        {{0x67, 0, 1, 1, 0, 0, 63, 0}, 8},
        {{0x69, 4, 1, 0, 1, 1, 0, 0, 63, 0}, 10},
        {{0x31, 0xc2, 0x67, 0, 1, 1, 0, 0, 0, 0x01}, 10},
        {{0x70}, 1},
    };
    struct lod_buf source;
    struct exact_case e = make_sample(0, &source);

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        cr_assert_eq(run_header(&e, good[i].bytes, good[i].count, 100000), 0, "%zu", i);
        cr_assert_eq(run_header(&e, good[i].bytes, good[i].count, 2), -EILSEQ, "%zu: room", i);
    }
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

Test(rebuild, malformed_operations_are_refused)
{
    const struct header bad[] = {
        {{0x02, 1}, 2},                                      /* arguments end early */
        {{0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f}, 6},           /* 4 GiB of them */
        {{0x90}, 1},                                         /* an undefined operation */
        {{0x12, 9, 1}, 3},                                   /* no such segment */
        {{0x12, 1, 100}, 3},                                 /* segments past the last */
        {{0x21, 3}, 2},                                      /* a table that `full` does not have */
        {{0x21, 0x20}, 2},                                   /* an undefined precision */
        {{0x31, 0xc3}, 2},                                   /* lossless */
        {{0x41, 0x84}, 2},                                   /* table 4 */
        {{0x41, 0xc0}, 2},                                   /* optimal, but for no scan */
        {{0x41, 0x00}, 2},                                   /* custom, but missing */
        {{0x51, 1}, 2},                                      /* half an interval */
        {{0x67, 0, 1, 9, 0, 0, 63, 0}, 8},                   /* component 9 */
        {{0x67, 8, 1, 1, 0, 0, 63, 0}, 8},                   /* an undefined flag */
        {{0x67, 0, 1, 1, 0x40, 0, 63, 0}, 8},                /* table 4 in a scan */
        {{0x69, 4, 0, 0, 1, 1, 0, 0, 63, 0}, 10},            /* runs of 0 blocks */
        {{0x31, 0xc2, 0x67, 0, 1, 1, 0, 5, 64, 0}, 10},      /* a band past 63 */
        {{0x31, 0xc2, 0x67, 0, 1, 1, 0, 1, 5, 0x31}, 10},    /* down by 2 bits */
        {{0x31, 0xc2, 0x69, 0, 2, 1, 0, 2, 0, 1, 5, 0}, 12}, /* AC of two components */
        {{0x67, 2, 1, 1, 0, 0, 63, 0}, 8},                   /* a patch that is missing */
        {{0x71, 0}, 2},                                      /* EOI with an argument */
        {{0x80}, 1},                                         /* padding that is missing */
    };
    struct lod_buf source;
    struct exact_case e = make_sample(0, &source);

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(run_header(&e, bad[i].bytes, bad[i].count, 100000), -EILSEQ, "%zu", i);
    }
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

Test(rebuild, changes_outside_the_scan_are_refused)
{
    const uint8_t scan[] = {0x67, LOD_REBUILD_PATCHED, 1, 1, 0, 0, 63, 0};
    const struct header good[] = {
        {{0, 0, 0}, 3},                   /* no padding at all */
        {{1, 0, 1, 9, 0, 0}, 6},          /* the first byte */
        {{2, 3, 1, 9, 2, 1, 9, 1, 0}, 9}, /* two bytes, and the last one cut */
        {{0, 1, 3, 9, 9, 9}, 6},          /* the last one cut, three added */
        {{0, 0, 0, 'e', 'n', 'd'}, 6},    /* and bytes behind EOI */
    };
    const struct header bad[] = {
        {{1, 0}, 2},                      /* cut short */
        {{1, 0, 4, 9, 0, 0}, 6},          /* fewer bytes than it says */
        {{1, 0xff, 0x7f, 1, 9, 0, 0}, 7}, /* a position after the scan */
        {{1, 0xff, 0xff, 0xff, 0xff, 15, 0, 0, 0}, 9},
        {{0, 0xff, 0x7f, 0}, 4}, /* more cut than there is */
        {{0, 0xff, 0xff, 0xff, 0xff, 15, 0}, 7},
        {{0, 0, 9, 1}, 4}, /* fewer bytes added than it says */
        {{0, 0}, 2},
    };
    struct lod_buf source;
    struct exact_case e = make_sample(3, &source);

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct lod_span tail = {.at = good[i].bytes, .bytes = good[i].count};
        cr_assert_eq(run_parts(&e, scan, sizeof(scan), tail, 100000), 0, "%zu", i);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lod_span tail = {.at = bad[i].bytes, .bytes = bad[i].count};
        cr_assert_eq(run_parts(&e, scan, sizeof(scan), tail, 100000), -EILSEQ, "%zu", i);
    }
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

Test(rebuild, padding_blocks_outside_a_block_are_refused)
{
    const struct header good[] = {
        {{0, 1, 0, 0xff, 0x0f}, 5},        /* the first one: DC -1; then no other */
        {{1, 2, 1, 62, 1, 0xff, 0x0f}, 7}, /* the second: DC 1, coefficient 63 is -1 */
    };
    const struct header bad[] = {
        {{0}, 1},
        {{0, 0xff, 0xff, 0xff, 0xff, 15, 0, 0xff, 0x0f}, 9}, /* DC past 16 bits */
        {{0, 0, 64, 0xff, 0x0f}, 5},                         /* 64 AC coefficients */
        {{0, 0, 1, 63, 1, 0xff, 0x0f}, 7},                   /* coefficient 64 */
        {{0, 0, 1, 255, 1, 0xff, 0x0f}, 7},
        {{0, 0, 2, 40, 1, 22, 1, 0xff, 0x0f}, 9},
        {{0, 0, 1, 0, 0xff, 0xff, 0x7f, 0xff, 0x0f}, 9}, /* AC past 16 bits */
    };
    struct lod_buf source;
    struct exact_case e = make_sample(0, &source);

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct lod_span tail = {.at = good[i].bytes, .bytes = good[i].count};
        cr_assert_eq(run_parts(&e, "\x80", 1, tail, 100), 0, "%zu", i);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lod_span tail = {.at = bad[i].bytes, .bytes = bad[i].count};
        cr_assert_eq(run_parts(&e, "\x80", 1, tail, 100), -EILSEQ, "%zu", i);
    }
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

/* Scans without end: the work is limited, not only the bytes. */
Test(rebuild, more_scans_than_the_limit_are_refused)
{
    const uint8_t scan[] = {0x67, 0, 1, 1, 0, 0, 63, 0};
    struct lod_buf source, header = {0};
    struct exact_case e = make_sample(3, &source);
    size_t room = 2 * LOD_JPEG_SCANS_MAX * source.bytes;

    for (unsigned i = 0; i < LOD_JPEG_SCANS_MAX; i++) {
        cr_assert_eq(lod_buf_append(&header, scan, sizeof(scan)), 0);
    }
    cr_assert_eq(run_header(&e, header.data, header.bytes, room), 0);
    cr_assert_eq(lod_buf_append(&header, scan, sizeof(scan)), 0);
    cr_assert_eq(run_header(&e, header.data, header.bytes, room), -EILSEQ);
    lod_buf_finish(&header);
    lod_buf_finish(&source);
    exact_case_finish(&e);
}

static void damage(struct lod_buf *buf, uint64_t *state)
{
    if (!buf->bytes) {
        return;
    }
    for (unsigned n = 1 + sample_random(state) % 4; n; n--) {
        size_t at = sample_random(state) % buf->bytes;
        buf->data[at] = (uint8_t)(sample_random(state) % 3 ? sample_random(state)
                                                           : buf->data[at] ^ 1u << at % 8);
    }
    if (sample_random(state) % 4 == 0) {
        buf->bytes = sample_random(state) % buf->bytes;
    }
}

static struct lod_buf copy(const struct lod_buf *from)
{
    struct lod_buf made = {0};
    cr_assert_eq(lod_buf_append(&made, from->data, from->bytes), 0);
    return made;
}

/* No byte of a store is trusted: no crash, no write past the end. */
Test(rebuild, damaged_data_never_writes_past_the_end, .timeout = 600)
{
    unsigned refused = 0, same = 0;
    uint64_t state = 5;

    for (unsigned kind = 0; kind < 4; kind++) {
        struct lod_buf source;
        struct exact_case e = make_sample(kind, &source);
        for (unsigned i = 0; i < 3000; i++) {
            struct lod_buf full = copy(&e.full), header = copy(&e.made.header),
                           tail = copy(&e.made.tail);
            bool equal;
            damage(i % 8 == 7 ? &full : i % 8 == 6 && tail.bytes ? &tail : &header, &state);
            refused += exact_rebuild(lod_buf_span(&full), lod_buf_span(&header),
                                     lod_buf_span(&tail), lod_buf_span(&source), &equal) != 0;
            same += equal;
            lod_buf_finish(&full);
            lod_buf_finish(&header);
            lod_buf_finish(&tail);
        }
        lod_buf_finish(&source);
        exact_case_finish(&e);
    }
    cr_assert_gt(refused, 3000);
    cr_assert_lt(same, 6000);
}
