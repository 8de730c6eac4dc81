/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of LOD_IOC_AHEAD, whole and damaged. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "mount/ahead_request.h"

static uint8_t bytes[LOD_AHEAD_BYTES];
static uint32_t numbers[LOD_AHEAD_REQUEST_RECORDS], found[LOD_AHEAD_REQUEST_RECORDS];
static struct lod_ahead_request request, read;

static void setup(void)
{
    for (uint32_t i = 0; i < LOD_AHEAD_REQUEST_RECORDS; i++) {
        numbers[i] = i * 2654435761u;
    }
    request = (struct lod_ahead_request){.job = 0x123456789abcdef0,
                                         .fidelity = 4,
                                         .at = 5,
                                         .count = LOD_AHEAD_REQUEST_RECORDS,
                                         .done = 3,
                                         .keep_s = 60,
                                         .records = numbers};
    cr_assert_eq(lod_ahead_request_write(&request, bytes), 0);
}

TestSuite(ahead_request, .init = setup);

Test(ahead_request, what_was_written_is_read)
{
    cr_assert_eq(LOD_AHEAD_REQUEST_RECORDS, 4087);
    cr_assert_eq(lod_ahead_request_read(bytes, sizeof(bytes), found, &read), 0);
    cr_assert_eq(read.job, request.job);
    cr_assert_eq(read.fidelity, 4);
    cr_assert_eq(read.at, 5);
    cr_assert_eq(read.count, LOD_AHEAD_REQUEST_RECORDS);
    cr_assert_eq(read.done, 3);
    cr_assert_eq(read.keep_s, 60);
    cr_assert_eq(read.records, found);
    cr_assert_arr_eq(found, numbers, sizeof(numbers));
}

/* These offsets are also in src/python/lodfs/mounts.py. */
Test(ahead_request, fields_have_their_places)
{
    cr_assert_eq(lod_get_le32(bytes), 1, "version");
    cr_assert_eq(lod_get_le32(bytes + 4), 4);
    cr_assert_eq(lod_get_le64(bytes + 8), request.job);
    cr_assert_eq(lod_get_le32(bytes + 28), 60);
    cr_assert_eq(lod_get_le32(bytes + 36), numbers[1]);
}

Test(ahead_request, a_message_that_is_cut_is_refused)
{
    request.count = 3;
    cr_assert_eq(lod_ahead_request_write(&request, bytes), 0);
    for (size_t count = 0; count < LOD_AHEAD_HEAD_BYTES + 12; count++) {
        uint8_t *exact = malloc(count + 1); /* AddressSanitizer sees a read past it */
        memcpy(exact, bytes, count);
        cr_assert_eq(lod_ahead_request_read(exact, count, found, &read), -EILSEQ);
        free(exact);
    }
    cr_assert_eq(lod_ahead_request_read(bytes, LOD_AHEAD_HEAD_BYTES + 12, found, &read), 0);
}

Test(ahead_request, other_versions_and_long_lists_are_refused)
{
    for (uint32_t version = 0; version < 4; version++) {
        lod_put_le32(bytes, version);
        cr_assert_eq(lod_ahead_request_read(bytes, sizeof(bytes), found, &read),
                     version == 1 ? 0 : -ENOTSUP);
    }
    setup();
    lod_put_le32(bytes + 20, LOD_AHEAD_REQUEST_RECORDS + 1);
    cr_assert_eq(lod_ahead_request_read(bytes, sizeof(bytes), found, &read), -E2BIG);
    lod_put_le32(bytes + 20, UINT32_MAX);
    cr_assert_eq(lod_ahead_request_read(bytes, sizeof(bytes), found, &read), -E2BIG);
    request.count = LOD_AHEAD_REQUEST_RECORDS + 1;
    cr_assert_eq(lod_ahead_request_write(&request, bytes), -E2BIG);
}

Test(ahead_request, an_answer_that_was_written_is_read)
{
    const struct lod_ahead_answer answer = {1, 2, 3ull << 33, 4ull << 34, 5ull << 35};
    struct lod_ahead_answer back;
    uint8_t small[LOD_AHEAD_ANSWER_BYTES];

    lod_ahead_answer_write(&answer, small);
    lod_ahead_answer_read(small, &back);
    cr_assert_eq(back.ready, 1);
    cr_assert_eq(back.total, 2);
    cr_assert_eq(back.bytes_missing, 3ull << 33);
    cr_assert_eq(back.bytes_room, 4ull << 34);
    cr_assert_eq(back.bytes_per_second, 5ull << 35);
    cr_assert_eq(lod_get_le64(small + 24), 5ull << 35);
}
