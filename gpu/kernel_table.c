/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the kernels of a device; see kernel_table.h. */
#include "kernel_table.h"

#include <errno.h>

#include "device.h"

void lod_kernel_table_init(struct lod_kernel_table *table)
{
    *table = (struct lod_kernel_table){0};
    pthread_mutex_init(&table->lock, NULL);
}

void lod_kernel_table_finish(struct lod_kernel_table *table)
{
    pthread_mutex_destroy(&table->lock);
}

int lod_kernel_table_number(struct lod_kernel_table *table, const struct lod_kernel *kernel,
                            struct lod_device *device,
                            int (*build)(struct lod_device *device, const struct lod_kernel *kernel,
                                         unsigned number, char *why),
                            unsigned *ret_number, char *why)
{
    unsigned number = 0;
    int error = 0;

    pthread_mutex_lock(&table->lock);
    while (number < table->count && table->kernel[number] != kernel) {
        number++;
    }
    if (number == LOD_KERNEL_TABLE_MAX) {
        error = lod_device_why(-E2BIG, why, "more than %u kernels", LOD_KERNEL_TABLE_MAX);
    } else if (number == table->count) {
        error = build(device, kernel, number, why);
        table->kernel[number] = error ? NULL : kernel;
        table->count += !error;
    }
    pthread_mutex_unlock(&table->lock);
    if (!error) {
        *ret_number = number;
    }
    return error;
}
