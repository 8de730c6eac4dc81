/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "store_fixture.h"
#include "backend/io_buffer.h"
#include "copy_store.h"

#define MIB        (1u << 20)
#define FILE_BYTES (12u * MIB + 777)

static uint8_t byte_of(uint64_t at)
{
    return (uint8_t)(at * 2654435761u >> 19);
}

static struct lod_object *make(struct fixture *f)
{
    struct lod_object *object;
    uint8_t *truth = malloc(FILE_BYTES);
    int fd = openat(f->records_fd, "x", O_RDWR | O_CREAT | O_TRUNC, 0644);

    for (uint64_t i = 0; i < FILE_BYTES; i++) {
        truth[i] = byte_of(i);
    }
    cr_assert_eq(write(fd, truth, FILE_BYTES), (ssize_t)FILE_BYTES);
    free(truth);
    close(fd);
    cr_assert_eq(lod_object_open(f->store, "records/x", &object), 0);
    return object;
}

static void check(const struct lod_io_buffer *buffer, uint64_t from, uint64_t to)
{
    const uint8_t *at = lod_io_buffer_at(buffer, from, to - from);

    cr_assert_not_null(at);
    for (uint64_t i = from; i < to; i++) {
        cr_assert_eq(at[i - from], byte_of(i), "%llu", (unsigned long long)i);
    }
}

Test(io_buffer, a_load_reads_the_requested_range_up_to_the_buffer_size)
{
    struct fixture f = fixture_create();
    struct lod_object *object = make(&f);
    struct lod_io_buffer buffer = {0};

    cr_assert_null(lod_io_buffer_at(&buffer, 0, 1));
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 5000, 9000), 0);
    check(&buffer, 5000, 9000);
    cr_assert_null(lod_io_buffer_at(&buffer, 4000, 100), "before it");
    cr_assert_null(lod_io_buffer_at(&buffer, 9000, 5000), "behind it");
    cr_assert_null(lod_io_buffer_at(&buffer, UINT64_MAX, 2));
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 4095, FILE_BYTES), 0);
    check(&buffer, 4095, LOD_IO_BUFFER_BYTES_MAX);
    cr_assert_null(lod_io_buffer_at(&buffer, LOD_IO_BUFFER_BYTES_MAX, 1));
    cr_assert_eq(lod_io_buffer_reach(4095), LOD_IO_BUFFER_BYTES);
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 11 * MIB + 1, FILE_BYTES), 0);
    check(&buffer, 11 * MIB + 1, FILE_BYTES);
    cr_assert_null(lod_io_buffer_at(&buffer, FILE_BYTES, 1), "behind the end");
    cr_assert_eq(buffer.loads, 3);
    cr_assert_eq(buffer.bytes, 8192 + LOD_IO_BUFFER_BYTES_MAX + MIB + 777);
    lod_io_buffer_clear(&buffer);
    cr_assert_null(lod_io_buffer_at(&buffer, 11 * MIB + 1, 1));
    lod_io_buffer_finish(&buffer);
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(io_buffer, a_failed_load_empties_the_buffer)
{
    struct fixture f = fixture_create();
    struct lod_object *object = make(&f);
    struct lod_io_buffer buffer = {0};
    int fd = openat(f.records_fd, "x", O_RDWR);

    cr_assert_eq(lod_io_buffer_load(&buffer, object, 0, MIB), 0);
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 20 * MIB, 21 * MIB), -EIO);
    cr_assert_null(lod_io_buffer_at(&buffer, 0, 1));
    cr_assert_eq(ftruncate(fd, MIB), 0);
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 0, 2 * MIB), -EIO);
    cr_assert_null(lod_io_buffer_at(&buffer, 0, 1));
    cr_assert_eq(buffer.loads, 1);
    close(fd);
    lod_io_buffer_finish(&buffer);
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(io_buffer, only_bytes_of_the_store_are_offered_and_once)
{
    struct fixture f = fixture_create();
    struct lod_io_buffer buffer = {0};
    struct copy_store copy = {.copied = 8192};
    struct lod_object *object;

    lod_object_close(make(&f));
    struct lod_store *store = copy_store_create(&copy, f.folder);
    cr_assert_eq(lod_object_open(store, "records/x", &object), 0);
    lod_io_buffer_offer(&buffer, object);
    cr_assert_eq(copy.offers, 0, "nothing was loaded");
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 0, MIB), 0);
    cr_assert_eq(buffer.copied_bytes, 8192);
    lod_io_buffer_offer(&buffer, object);
    lod_io_buffer_offer(&buffer, object);
    cr_assert_eq(copy.offers, 1);
    cr_assert(copy.offset == 8192 && copy.bytes == MIB - 8192);
    cr_assert_eq(copy.first, byte_of(8192));
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 0, 8192), 0);
    lod_io_buffer_offer(&buffer, object);
    cr_assert_eq(copy.offers, 1, "all of it came from the copy");
    cr_assert_eq(lod_io_buffer_load(&buffer, object, 2 * MIB, 3 * MIB), 0);
    lod_io_buffer_clear(&buffer);
    lod_io_buffer_offer(&buffer, object);
    cr_assert_eq(copy.offers, 1, "the buffer is for another object now");
    lod_io_buffer_finish(&buffer);
    lod_object_close(object);
    lod_store_close(store);
    fixture_destroy(&f);
}
