/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by number; see built.h. */
#include "built.h"

#include <errno.h>

#include "device.h"

void lod_built_init(struct lod_built *built)
{
    *built = (struct lod_built){0};
    pthread_mutex_init(&built->lock, NULL);
}

void lod_built_finish(struct lod_built *built)
{
    pthread_mutex_destroy(&built->lock);
}

int lod_built_number(struct lod_built *built, const struct lod_kernel *kernel,
                     struct lod_device *device,
                     int (*build)(struct lod_device *device, const struct lod_kernel *kernel,
                                  unsigned number, char *why),
                     unsigned *ret_number, char *why)
{
    unsigned number = 0;
    int error = 0;

    pthread_mutex_lock(&built->lock);
    while (number < built->count && built->kernel[number] != kernel) {
        number++;
    }
    if (number == LOD_BUILT_MAX) {
        error = lod_device_why(-E2BIG, why, "more than %u kernels", LOD_BUILT_MAX);
    } else if (number == built->count) {
        error = build(device, kernel, number, why);
        built->kernel[number] = error ? NULL : kernel;
        built->count += !error;
    }
    pthread_mutex_unlock(&built->lock);
    if (!error) {
        *ret_number = number;
    }
    return error;
}
