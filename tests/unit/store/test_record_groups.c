/* SPDX-License-Identifier: Apache-2.0 */
/* Records of many groups, mistakes of the writer's caller, and a full disk. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store_fixture.h"

/* Rows of pcr items: three images with empty and long groups, one WHOLE, one KEPT. */
#define PHOTOS 5
static const uint32_t photo_groups[PHOTOS][LOD_GROUPS_MAX] = {
    {100, 1, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0},     {90, 0, 1048576, 0, 1048577, 0, 0, 0, 0, 3, 50, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3000000}, {91, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0},
    {92, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 1234},
};

static void photo_row(uint32_t slot, uint8_t row[LOD_ROW_BYTES])
{
    const uint8_t flags[PHOTOS] = {LOD_ITEM_NO_ORIGINAL, LOD_ITEM_NO_ORIGINAL, LOD_ITEM_WHOLE,
                                   LOD_ITEM_NO_ORIGINAL | LOD_ITEM_ORIENT, LOD_ITEM_KEPT};
    const uint32_t kept = photo_groups[slot][LOD_GROUPS_MAX - 1];

    memset(row, 0, LOD_ROW_BYTES);
    row[0] = flags[slot];
    lod_put_le32(row + 12, kept ? kept : 777);
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        lod_put_le32(row + 16 + 4 * g, photo_groups[slot][g]);
    }
    if (!(flags[slot] & LOD_ITEM_WHOLE)) {
        row[1] = flags[slot] & LOD_ITEM_KEPT ? 3 | 4 << 4 : 3;
        row[2] = 20;
        lod_put_le16(row + 8, 640);
        lod_put_le16(row + 10, 480);
    }
}

static uint8_t photo_byte(uint32_t slot, unsigned group, uint64_t at)
{
    return (uint8_t)(slot * 77 + group * 13 + at * 5 + (at >> 9));
}

static int put_photo(struct lod_record_writer *writer, uint32_t slot, unsigned group)
{
    uint32_t bytes = photo_groups[slot][group - 1];
    uint8_t *data = malloc((size_t)bytes + 1);

    for (uint32_t i = 0; i < bytes; i++) {
        data[i] = photo_byte(slot, group, i);
    }
    int error = lod_record_writer_put(writer, slot, group, 0, data, bytes);
    free(data);
    return error;
}

static struct lod_record_writer *photo_writer(struct fixture *f)
{
    static const char *const paths[PHOTOS] = {"0.jpg", "1.jpg", "2.jpg", "d/3.jpg", "d/4.jpg"};
    struct lod_record_slot slots[PHOTOS] = {0};
    struct lod_record_writer *writer = NULL;

    for (uint32_t slot = 0; slot < PHOTOS; slot++) {
        slots[slot].path = paths[slot];
        photo_row(slot, slots[slot].row);
    }
    cr_assert_eq(lod_record_writer_create(f->records_fd, "000000.pcr", &lod_codec_pcr, 0, slots,
                                          PHOTOS, &writer),
                 0);
    return writer;
}

static struct lod_record_desc write_photos(struct fixture *f)
{
    struct lod_record_writer *writer = photo_writer(f);
    struct lod_record_desc recd;

    for (unsigned group = LOD_GROUPS_MAX; group >= 1; group--) {
        for (uint32_t slot = 0; slot < PHOTOS; slot++) {
            cr_assert_eq(put_photo(writer, slot, group), 0);
        }
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

/* Reads every frame of every group: it is right, or fails. Returns how many failed. */
static unsigned read_photos(struct lod_record *record)
{
    uint8_t *frame_bytes = malloc(1 << 20);
    unsigned failed = 0;

    for (uint32_t slot = 0; slot < PHOTOS; slot++) {
        for (unsigned group = 1; group <= LOD_GROUPS_MAX; group++) {
            uint64_t segment = lod_record_segment_bytes(record, slot, group);
            cr_assert_eq(segment, photo_groups[slot][group - 1]);
            for (uint64_t frame = 0; frame << 20 < segment; frame++) {
                uint32_t bytes = lod_record_frame_bytes(record, slot, group, frame);
                if (lod_record_read_frame(record, slot, group, frame, frame_bytes)) {
                    failed++;
                    continue;
                }
                for (uint32_t i = 0; i < bytes; i++) {
                    cr_assert_eq(frame_bytes[i], photo_byte(slot, group, (frame << 20) + i));
                }
            }
        }
    }
    free(frame_bytes);
    return failed;
}

Test(record_groups, groups_survive_a_round_trip)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_photos(&f);
    struct lod_record *record;
    uint8_t row[LOD_ROW_BYTES];

    cr_assert_eq(recd.group_bytes[0], 100 + 90 + 91 + 92);
    cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
    cr_assert_eq(read_photos(record), 0);
    photo_row(3, row);
    cr_assert_eq(memcmp(lod_record_row(record, 3), row, LOD_ROW_BYTES), 0);
    lod_record_close(record);
    fixture_flip(f.records_fd, "000000.pcr", recd.file_bytes - 1, 7);
    cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
    cr_assert_eq(read_photos(record), 1);
    lod_record_close(record);
    fixture_destroy(&f);
}

/* A row of the index that differs from the file, with consistent sums. */
Test(record_groups, a_row_that_differs_from_the_file_is_refused)
{
    struct fixture f = fixture_create();
    const struct lod_record_desc good = write_photos(&f);
    struct lod_record *record;
    struct lod_record_desc recd = good;

    recd.group_bytes[1]++;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ, "sums");
    recd.group_bytes[0]--;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EBADMSG);
    recd = good;
    recd.group_bytes[3] = UINT64_MAX;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ);
    recd = good;
    recd.frame_shift = 19;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EBADMSG);
    recd.frame_shift = 63;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ);
    recd = good;
    recd.items = UINT32_MAX;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ);
    recd = good;
    recd.codec = LOD_CODEC_TOC;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ, "one group, not twelve");
    recd.codec = 5;
    cr_assert_eq(lod_record_open(f.store, &recd, &record), -EILSEQ);
    fixture_destroy(&f);
}

Test(record_groups, writing_bytes_twice_aborts, .signal = SIGABRT)
{
    struct fixture f = fixture_create();
    struct lod_record_writer *writer = photo_writer(&f);

    (void)!put_photo(writer, 0, 1);
    fixture_destroy(&f); /* the aborted process leaves no files */
    (void)!put_photo(writer, 0, 1);
}

Test(record_groups, omitting_bytes_aborts, .signal = SIGABRT)
{
    struct fixture f = fixture_create();
    struct lod_record_writer *writer = photo_writer(&f);
    struct lod_record_desc recd;

    fixture_destroy(&f);
    for (unsigned group = 1; group < LOD_GROUPS_MAX; group++) {
        (void)!put_photo(writer, 0, group);
    }
    (void)!lod_record_writer_finish(writer, &recd);
}

/* A full disk, by the limit of a file's size. */
Test(record_groups, a_full_disk_is_an_error)
{
    struct fixture f = fixture_create();
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct lod_record_writer *writer = photo_writer(&f);

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(put_photo(writer, 0, 1), 0);
    cr_assert_eq(put_photo(writer, 1, 3), -EFBIG);
    lod_record_writer_destroy(writer);
    fixture_destroy(&f);
}
