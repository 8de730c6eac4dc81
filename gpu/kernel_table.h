/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that a device has built. Each is built once and gets a number, by which the back end
 * stores its own object. The back end builds; this file only counts.
 */
#ifndef LOD_KERNEL_TABLE_H
#define LOD_KERNEL_TABLE_H

#include <pthread.h>

#include "compiler.h"
#include "gpu.h"

#define LOD_KERNEL_TABLE_MAX 16u /* more than a process uses */

struct lod_device;

struct lod_kernel_table {
    pthread_mutex_t lock;
    const struct lod_kernel *kernel[LOD_KERNEL_TABLE_MAX]; /* guarded by lock */
    unsigned count;                                        /* guarded by lock */
};

void lod_kernel_table_init(struct lod_kernel_table *table);
void lod_kernel_table_finish(struct lod_kernel_table *table);

/*
 * Returns the kernel's number. A kernel without one gets the next: `build` is called under the
 * lock, and what it stores under that number is visible to every thread that gets the number.
 * Returns -E2BIG if the table is full, else the error of `build`, with a reason in
 * why[LOD_GPU_LABEL].
 */
LOD_MUST_CHECK int
lod_kernel_table_number(struct lod_kernel_table *table, const struct lod_kernel *kernel,
                        struct lod_device *device,
                        int (*build)(struct lod_device *device, const struct lod_kernel *kernel,
                                     unsigned number, char *why),
                        unsigned *ret_number, char *why);

#endif
