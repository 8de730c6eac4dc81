/* SPDX-License-Identifier: Apache-2.0 */
/* Sources inside of a container: reading by ranges, sums, and containers that change. */
#include "../source_fixture.h"

#include "castagnoli.h"

#define RUNS 3

static struct source_fixture f;
static struct lod_source container, source;
static struct lod_member_place *place;
static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static void begin(void)
{
    struct stat st;

    source_create(&f);
    source_text(&f, "x.tar", text);
    cr_assert_eq(fstatat(f.fd, "x.tar", &st, 0), 0);
    container = (struct lod_source){.path = "x.tar", .role = LOD_SOURCE_FILE};
    lod_source_set_stat(&container, &st);
    place = calloc(1, sizeof(*place) + RUNS * sizeof(place->run[0]));
    *place = (struct lod_member_place){
        .container = &container, .head_bytes = 2, .head = "<>", .runs = RUNS, .record = 7, .at = 9};
    place->run[0] = (struct lod_run){10, 3};
    place->run[1] = (struct lod_run){20, 0};
    place->run[2] = (struct lod_run){0, 4};
    source = (struct lod_source){
        .path = "a", .place = place, .bytes = lod_member_place_bytes(place), .names = 1};
}

static void end(void)
{
    free(place);
    source_destroy(&f);
}

TestSuite(place, .init = begin, .fini = end);

static int read_all(struct lod_buf *into)
{
    return lod_source_read(f.fd, &source, false, into);
}

Test(place, head_and_runs_are_one_source)
{
    static const char wanted[] = "<>abc0123";
    struct lod_buf bytes = {0};
    char part[16];
    int fd = -1;

    cr_assert_eq(read_all(&bytes), 0);
    cr_assert_eq(bytes.bytes, strlen(wanted));
    cr_assert_arr_eq(bytes.data, wanted, strlen(wanted));
    cr_assert_eq(lod_source_open(f.fd, &source, false, &fd), 0);
    for (size_t from = 0; from <= source.bytes; from++) {
        for (size_t count = 0; count <= source.bytes - from; count++) {
            cr_assert_eq(lod_source_pread(fd, &source, part, count, from), 0);
            cr_assert_eq(memcmp(part, wanted + from, count), 0, "%zu %zu", from, count);
        }
        cr_assert_eq(lod_source_pread(fd, &source, part, source.bytes - from + 1, from), -ESTALE);
    }
    close(fd);
    lod_buf_finish(&bytes);
}

Test(place, a_wrong_sum_is_found)
{
    struct lod_buf bytes = {0};

    place->summed = true;
    place->sum_at = 5;
    place->sum_bytes = 20;
    place->sum = lod_crc32c(0, text + 5, 20);
    cr_assert_eq(read_all(&bytes), 0);
    place->sum ^= 1;
    cr_assert_eq(read_all(&bytes), -EBADMSG);
    cr_assert_eq(lod_first_error_source(&f.first_error, 0, &source, -EBADMSG), -EBADMSG);
    cr_assert_str_eq(f.first_error.text, "x.tar: record 7 at byte 9: its checksum is wrong; "
                                         "--skip-unreadable leaves it out");
    lod_buf_finish(&bytes);
}

Test(place, a_container_that_changes_is_refused)
{
    struct lod_buf bytes = {0};

    source_text(&f, "x.tar", "0123456789abcdefghijklmnopqrstuvwxy!");
    cr_assert_eq(read_all(&bytes), -ESTALE);
    cr_assert_eq(unlinkat(f.fd, "x.tar", 0), 0);
    cr_assert_eq(read_all(&bytes), -ESTALE);
    lod_buf_finish(&bytes);
}
