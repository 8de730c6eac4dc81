/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store_fixture.h"

/* Items of 0, 1, a frame - 1, a frame, a frame + 1 and some frames. */
static const uint64_t lengths[] = {0, 1, 65535, 65536, 65537, 200000, 5};
#define ITEMS (sizeof(lengths) / sizeof(lengths[0]))

static uint8_t byte_at(uint32_t slot, uint64_t at)
{
    return (uint8_t)(slot * 31 + at * 7 + (at >> 8));
}

static uint8_t *contents(uint32_t slot)
{
    uint8_t *bytes = malloc(lengths[slot] + 1);
    for (uint64_t i = 0; i < lengths[slot]; i++) {
        bytes[i] = byte_at(slot, i);
    }
    return bytes;
}

static void raw_slots(struct lod_record_slot *slots, char paths[ITEMS][16])
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        snprintf(paths[i], 16, "d/file%u", i);
        slots[i] = (struct lod_record_slot){.path = paths[i], .mtime = 5ll << 30, .mode = 0644};
        lod_put_le64(slots[i].row + 8, lengths[i]);
    }
}

static struct lod_record_desc write_raw(struct fixture *f)
{
    struct lod_record_slot slots[ITEMS];
    struct lod_record_writer *writer;
    struct lod_record_desc recd;
    char paths[ITEMS][16];

    raw_slots(slots, paths);
    cr_assert_eq(lod_record_writer_create(f->records_fd, "000000.raw", &lod_codec_raw, 3, slots,
                                          ITEMS, &writer),
                 0);
    for (uint32_t i = ITEMS; i-- > 0;) {
        uint8_t *bytes = contents(i);
        uint64_t first = lengths[i] < 65536 ? lengths[i] : 65536; /* two puts where possible */
        cr_assert_eq(lod_record_writer_put(writer, i, 1, 0, bytes, first), 0);
        if (lengths[i] > first) {
            cr_assert_eq(
                lod_record_writer_put(writer, i, 1, first, bytes + first, lengths[i] - first), 0);
        }
        free(bytes);
    }
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);
    return recd;
}

/* Reads every frame: it is right, or its read fails. Returns how many failed. */
static unsigned read_all(struct lod_record *record)
{
    uint8_t frame_bytes[65536];
    unsigned failed = 0;

    for (uint32_t slot = 0; slot < ITEMS; slot++) {
        cr_assert_eq(lod_record_segment_bytes(record, slot, 1), lengths[slot]);
        for (uint64_t frame = 0; frame << 16 < lengths[slot]; frame++) {
            uint32_t bytes = lod_record_frame_bytes(record, slot, 1, frame);
            int error = lod_record_read_frame(record, slot, 1, frame, frame_bytes);
            if (error) {
                cr_assert(error == -EBADMSG || error == -EIO);
                failed++;
                continue;
            }
            uint32_t right = 0; /* an assertion for each byte would take most of the time */
            while (right < bytes && frame_bytes[right] == byte_at(slot, (frame << 16) + right)) {
                right++;
            }
            cr_assert_eq(right, bytes);
        }
    }
    return failed;
}

Test(record, what_is_written_is_read_back)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    struct lod_record *record;

    cr_assert_eq(recd.items, ITEMS);
    cr_assert_eq(recd.cut, 3);
    cr_assert_str_eq(recd.path, "000000.raw");
    cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
    cr_assert_eq(read_all(record), 0);
    lod_record_close(record);
    fixture_destroy(&f);
}

Test(record, one_flipped_payload_bit_affects_one_frame)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    uint64_t payload = LOD_RECORD_HEADER + recd.metadata_bytes;
    struct lod_record *record;

    for (uint64_t at = payload; at < recd.file_bytes; at += 9973) {
        fixture_flip(f.records_fd, "000000.raw", at, (unsigned)at % 8);
        cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
        cr_assert_eq(read_all(record), 1);
        lod_record_close(record);
        fixture_flip(f.records_fd, "000000.raw", at, (unsigned)at % 8);
    }
    fixture_destroy(&f);
}

Test(record, a_flipped_bit_of_header_or_metadata_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    struct lod_record *record;

    for (uint64_t at = 0; at < LOD_RECORD_HEADER + recd.metadata_bytes; at++) {
        fixture_flip(f.records_fd, "000000.raw", at, (unsigned)at % 8);
        cr_assert_eq(lod_record_open(f.store, &recd, &record), -EBADMSG, "byte %u", (unsigned)at);
        fixture_flip(f.records_fd, "000000.raw", at, (unsigned)at % 8);
    }
    fixture_destroy(&f);
}

/* Index and record have right hashes, but differ in one number. */
Test(record, an_index_that_differs_from_the_record_is_refused)
{
    struct fixture f = fixture_create();
    const struct lod_record_desc sound = write_raw(&f);

    for (unsigned i = 0; i < 11; i++) {
        struct lod_record_desc recd = sound;
        struct lod_record *record = NULL;
        recd.frame_shift = (uint8_t)(recd.frame_shift + (i == 0));
        recd.id.low += i == 1;
        recd.id.high += i == 2;
        recd.items -= i == 3;
        recd.metadata_bytes -= i == 4;
        recd.group_bytes[0] += i == 4;
        recd.file_bytes += i == 5;
        recd.group_bytes[0] += i == 5;
        recd.metadata_hash += i == 6;
        recd.header_hash += i == 7;
        recd.cut += i == 8;
        recd.codec = i == 9 ? LOD_CODEC_TREE : recd.codec;
        if (i == 10) { /* the same total length, but twelve groups */
            recd.codec = LOD_CODEC_PCR;
            recd.groups = 12;
        }
        cr_assert_eq(lod_record_open(f.store, &recd, &record), -EBADMSG, "%u", i);
        cr_assert_null(record);
    }
    fixture_destroy(&f);
}

Test(record, truncated_anywhere_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    struct lod_record *record;
    int fd = openat(f.records_fd, "000000.raw", O_RDWR);

    for (uint64_t bytes = recd.file_bytes; bytes > 0;) {
        bytes -= bytes > recd.file_bytes - 4096 ? 1 : (bytes > 6000 ? 5000 : 1);
        cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
        cr_assert_eq(lod_record_open(f.store, &recd, &record), -EBADMSG);
    }
    close(fd);
    fixture_destroy(&f);
}

/* Swapped segments of equal length have right hashes, but each has that of the other's place. */
Test(record, a_frame_in_another_place_is_refused)
{
    struct fixture f = fixture_create();
    struct lod_record_slot slots[2] = {{.path = "a"}, {.path = "b"}};
    struct lod_record_writer *writer;
    struct lod_record *record;
    struct lod_record_desc recd;
    uint8_t byte;

    lod_put_le64(slots[0].row + 8, 1);
    lod_put_le64(slots[1].row + 8, 1);
    cr_assert_eq(
        lod_record_writer_create(f.records_fd, "000001.raw", &lod_codec_raw, 0, slots, 2, &writer),
        0);
    cr_assert_eq(lod_record_writer_put(writer, 0, 1, 0, "x", 1), 0);
    cr_assert_eq(lod_record_writer_put(writer, 1, 1, 0, "x", 1), 0);
    cr_assert_eq(lod_record_writer_finish(writer, &recd), 0);
    lod_record_writer_destroy(writer);

    cr_assert_neq(lod_frame_seed(recd.id, 0, 1, 0), lod_frame_seed(recd.id, 1, 1, 0));
    cr_assert_neq(lod_frame_seed(recd.id, 0, 1, 0), lod_frame_seed(recd.id, 0, 2, 0));
    cr_assert_neq(lod_frame_seed(recd.id, 0, 1, 0), lod_frame_seed(recd.id, 0, 1, 1));
    cr_assert_eq(lod_record_open(f.store, &recd, &record), 0);
    cr_assert_eq(lod_record_read_frame(record, 1, 1, 0, &byte), 0);
    lod_record_close(record);
    fixture_destroy(&f);
}

Test(record, records_beyond_a_limit_are_refused_at_creation)
{
    struct fixture f = fixture_create();
    struct lod_record_slot *slots = calloc(LOD_RECORD_ITEMS_MAX + 1, sizeof(*slots));
    struct lod_record_writer *writer;
    char path[LOD_PATH_MAX + 2];

    for (size_t i = 0; i < LOD_PATH_MAX; i++) {
        path[i] = i % 200 == 199 ? '/' : 'p';
    }
    path[LOD_PATH_MAX] = '\0';
    for (uint32_t i = 0; i <= LOD_RECORD_ITEMS_MAX; i++) {
        slots[i].path = path;
    }
    cr_assert_eq(lod_record_writer_create(f.records_fd, "1.raw", &lod_codec_raw, 0, slots,
                                          LOD_RECORD_ITEMS_MAX + 1, &writer),
                 -E2BIG, "items");
    cr_assert_eq(lod_record_writer_create(f.records_fd, "1.raw", &lod_codec_raw, 0, slots,
                                          LOD_RECORD_ITEMS_MAX, &writer),
                 -E2BIG, "metadata");
    lod_put_le64(slots[0].row + 8, LOD_RECORD_BYTES_MAX);
    cr_assert_eq(
        lod_record_writer_create(f.records_fd, "1.raw", &lod_codec_raw, 0, slots, 1, &writer),
        -E2BIG, "file bytes");
    slots[0].row[8] = 1;
    cr_assert_eq(
        lod_record_writer_create(f.records_fd, "1.raw", &lod_codec_raw, 0, slots, 1, &writer),
        -E2BIG, "group bytes");
    free(slots);
    fixture_destroy(&f);
}

/* Corrupt metadata under right hashes: no field may cause an access outside. */
Test(record, resealed_metadata_is_refused_or_read_within_bounds)
{
    static const uint64_t extremes[] = {0,          1,          0x7fffffff,       0x80000000,
                                        0xffffffff, UINT64_MAX, (uint64_t)1 << 63};
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    int fd = openat(f.records_fd, "000000.raw", O_RDWR);
    uint8_t *good = malloc(recd.metadata_bytes), *bad = malloc(recd.metadata_bytes);

    cr_assert_eq(pread(fd, good, recd.metadata_bytes, LOD_RECORD_HEADER), recd.metadata_bytes);
    for (size_t at = 0; at + 8 <= recd.metadata_bytes; at++) {
        for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]) + 2; i++) {
            for (unsigned width = 1; width <= 8; width *= 2) {
                struct lod_record_desc sealed = recd;
                struct lod_record *record;
                uint64_t value = i == 0   ? lod_get_le(good + at, width) + 1
                                 : i == 1 ? lod_get_le(good + at, width) - 1
                                          : extremes[i - 2];
                memcpy(bad, good, recd.metadata_bytes);
                lod_put_le(bad + at, width, value);
                if (memcmp(bad, good, recd.metadata_bytes) == 0) {
                    continue;
                }
                fixture_reseal_record(fd, bad, &sealed);
                int error = lod_record_open(f.store, &sealed, &record);
                cr_assert(error == 0 || error == -EILSEQ, "offset %zu: %d", at, error);
                if (!error) {
                    read_all(record); /* lengths are limited by the group's sum: rows are intact */
                    lod_record_close(record);
                }
            }
        }
        if (at == 200) {
            at = recd.metadata_bytes - 200; /* hashes and paths repeat; their ends are enough */
        }
    }
    free(good);
    free(bad);
    close(fd);
    fixture_destroy(&f);
}

Test(record, metadata_stays_within_its_bound)
{
    struct fixture f = fixture_create();
    struct lod_record_desc recd = write_raw(&f);
    uint64_t bound = 0;

    for (uint32_t i = 0; i < ITEMS; i++) {
        bound += lod_record_metadata_bound(&lod_codec_raw, strlen("d/file0"), lengths[i]);
    }
    cr_assert_geq(bound, recd.metadata_bytes);
    cr_assert_leq(bound, recd.metadata_bytes + 8 * ITEMS);
    fixture_destroy(&f);
}
