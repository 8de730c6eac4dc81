/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_copy.h"

#include <errno.h>

#include "store/store_fixture.h"

#define BYTES ((3u << 20) + 12345u)

static struct fixture begin(struct lod_object **object)
{
    struct fixture f = fixture_create();
    char path[100];

    snprintf(path, sizeof(path), "%s/index", f.folder);
    FILE *file = fopen(path, "w");
    for (uint32_t i = 0; i < BYTES; i++) {
        fputc((int)(i * 2654435761u >> 24), file);
    }
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(lod_object_open(f.store, "index", object), 0);
    return f;
}

/* Waits until the copy has these bytes. */
static void await(struct lod_index_copy *copy, uint64_t offset, uint8_t *into, size_t bytes)
{
    for (unsigned i = 0; !lod_index_copy_read(copy, offset, into, bytes); i++) {
        cr_assert_lt(i, 20000);
        usleep(1000);
    }
}

Test(index_copy, has_all_bytes_in_the_end_and_leaves_no_file)
{
    struct lod_index_copy *copy = NULL;
    struct lod_object *object = NULL;
    struct fixture f = begin(&object);
    uint8_t *a = malloc(BYTES), *b = malloc(BYTES);

    cr_assert_eq(lod_index_copy_start(object, 2, false, &copy), 0);
    await(copy, 0, a, BYTES);
    cr_assert_eq(lod_object_pread(object, 0, b, BYTES), 0);
    cr_assert_eq(memcmp(a, b, BYTES), 0);
    await(copy, BYTES - 1, a, 1);
    cr_assert_eq(a[0], b[BYTES - 1]);
    cr_assert_not(lod_index_copy_read(copy, BYTES, a, 1 << 20), "there is nothing behind it");
    lod_index_copy_end(copy);
    lod_object_close(object);
    free(a);
    free(b);
    fixture_destroy(&f);
}

Test(index_copy, may_end_at_any_moment)
{
    struct lod_object *object = NULL;
    struct fixture f = begin(&object);

    for (unsigned i = 0; i < 50; i++) {
        struct lod_index_copy *copy = NULL;
        cr_assert_eq(lod_index_copy_start(object, 1, false, &copy), 0);
        usleep(i * 50);
        lod_index_copy_end(copy);
    }
    cr_assert_null(lod_index_copy_end(NULL));
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(index_copy, needs_a_folder_that_can_be_written)
{
    struct lod_index_copy *copy = NULL;
    struct lod_object *object = NULL;
    struct fixture f = begin(&object);

    setenv("TMPDIR", "/proc", 1);
    cr_assert_lt(lod_index_copy_start(object, 1, false, &copy), 0);
    lod_object_close(object);
    fixture_destroy(&f);
}
