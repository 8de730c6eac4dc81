/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "kernel_table.h"
#include "device.h"

struct lod_device {
    unsigned builds, fail;
    unsigned last; /* kernel number of the last build */
};

static int build(struct lod_device *device, const struct lod_kernel *kernel, unsigned number,
                 char *why)
{
    (void)kernel;
    device->builds++;
    device->last = number;
    return device->fail ? lod_device_why(-EIO, why, "it fails") : 0;
}

Test(kernel_table, a_kernel_is_built_once_and_again_if_that_failed)
{
    struct lod_kernel kernels[LOD_KERNEL_TABLE_MAX + 1] = {{0}};
    struct lod_device device = {.fail = 1};
    char why[LOD_GPU_LABEL] = "";
    struct lod_kernel_table table;
    unsigned number = 77;

    lod_kernel_table_init(&table);
    cr_assert_eq(lod_kernel_table_number(&table, &kernels[0], &device, build, &number, why), -EIO);
    cr_assert_eq(number, 77);
    cr_assert_str_eq(why, "it fails");
    cr_assert_eq(table.count, 0);
    device.fail = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < LOD_KERNEL_TABLE_MAX; i++) {
            cr_assert_eq(lod_kernel_table_number(&table, &kernels[i], &device, build, &number, why),
                         0);
            cr_assert_eq(number, i);
        }
    }
    cr_assert_eq(device.builds, LOD_KERNEL_TABLE_MAX + 1);
    cr_assert_eq(device.last, LOD_KERNEL_TABLE_MAX - 1);
    cr_assert_eq(lod_kernel_table_number(&table, &kernels[LOD_KERNEL_TABLE_MAX], &device, build,
                                         &number, why),
                 -E2BIG);
    cr_assert(strstr(why, "more than"));
    lod_kernel_table_finish(&table);
}

struct asker {
    struct lod_kernel_table *table;
    struct lod_kernel *kernels;
    struct lod_device *device;
};

static void *ask(void *arg)
{
    const struct asker *asker = arg;
    char why[LOD_GPU_LABEL];
    unsigned number = 0;

    for (unsigned i = 0; i < 1000; i++) {
        const struct lod_kernel *kernel = &asker->kernels[i % 4];
        cr_assert_eq(
            lod_kernel_table_number(asker->table, kernel, asker->device, build, &number, why), 0);
        cr_assert_eq(asker->table->kernel[number], kernel);
    }
    return NULL;
}

Test(kernel_table, threads_share_what_one_built)
{
    struct lod_kernel kernels[4] = {{0}};
    struct lod_device device = {0};
    struct lod_kernel_table table;
    struct asker asker = {&table, kernels, &device};
    pthread_t threads[4];

    lod_kernel_table_init(&table);
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, ask, &asker), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    cr_assert_eq(device.builds, 4);
    lod_kernel_table_finish(&table);
}
