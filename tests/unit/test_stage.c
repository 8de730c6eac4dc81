/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>

#include "store_fixture.h"
#include "store/stage.h"

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

static void check(const struct lod_stage *stage, uint64_t from, uint64_t to)
{
    const uint8_t *at = lod_stage_at(stage, from, to - from);

    cr_assert_not_null(at);
    for (uint64_t i = from; i < to; i++) {
        cr_assert_eq(at[i - from], byte_of(i), "%llu", (unsigned long long)i);
    }
}

Test(stage, a_load_brings_what_is_asked_and_no_more_than_it_can_hold)
{
    struct fixture f = fixture_create();
    struct lod_object *object = make(&f);
    struct lod_stage stage = {0};

    cr_assert_null(lod_stage_at(&stage, 0, 1));
    cr_assert_eq(lod_stage_load(&stage, object, 5000, 9000), 0);
    check(&stage, 5000, 9000);
    cr_assert_null(lod_stage_at(&stage, 4000, 100), "before it");
    cr_assert_null(lod_stage_at(&stage, 9000, 5000), "behind it");
    cr_assert_null(lod_stage_at(&stage, UINT64_MAX, 2));
    cr_assert_eq(lod_stage_load(&stage, object, 4095, FILE_BYTES), 0);
    check(&stage, 4095, LOD_STAGE_BYTES);
    cr_assert_null(lod_stage_at(&stage, LOD_STAGE_BYTES, 1));
    cr_assert_eq(lod_stage_reach(4095), LOD_STAGE_BYTES);
    cr_assert_eq(lod_stage_load(&stage, object, 11 * MIB + 1, FILE_BYTES), 0);
    check(&stage, 11 * MIB + 1, FILE_BYTES);
    cr_assert_null(lod_stage_at(&stage, FILE_BYTES, 1), "behind the end");
    cr_assert_eq(stage.loads, 3);
    cr_assert_eq(stage.bytes, 8192 + LOD_STAGE_BYTES + MIB + 777);
    lod_stage_clear(&stage);
    cr_assert_null(lod_stage_at(&stage, 11 * MIB + 1, 1));
    lod_stage_finish(&stage);
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(stage, a_load_that_fails_leaves_nothing)
{
    struct fixture f = fixture_create();
    struct lod_object *object = make(&f);
    struct lod_stage stage = {0};
    int fd = openat(f.records_fd, "x", O_RDWR);

    cr_assert_eq(lod_stage_load(&stage, object, 0, MIB), 0);
    cr_assert_eq(lod_stage_load(&stage, object, 20 * MIB, 21 * MIB), -EIO);
    cr_assert_null(lod_stage_at(&stage, 0, 1));
    cr_assert_eq(ftruncate(fd, MIB), 0);
    cr_assert_eq(lod_stage_load(&stage, object, 0, 2 * MIB), -EIO);
    cr_assert_null(lod_stage_at(&stage, 0, 1));
    cr_assert_eq(stage.loads, 1);
    close(fd);
    lod_stage_finish(&stage);
    lod_object_close(object);
    fixture_destroy(&f);
}
