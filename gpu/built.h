/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels a device has built, each once and for good: numbers for what back ends keep of
 * them. No device: the back end builds.
 */
#ifndef LOD_BUILT_H
#define LOD_BUILT_H

#include <pthread.h>

#include "compiler.h"
#include "gpu.h"

#define LOD_BUILT_MAX 16u /* kernels that one process runs */

struct lod_device;

struct lod_built {
    pthread_mutex_t lock;
    const struct lod_kernel *kernel[LOD_BUILT_MAX]; /* guarded by lock */
    unsigned count;                                 /* guarded by lock */
};

void lod_built_init(struct lod_built *built);
void lod_built_finish(struct lod_built *built);

/*
 * The kernel's number; if it has none, `build` is called, under the lock, to keep what it makes as
 * that of `number`. What stands there is seen by all who were given the number. -E2BIG: there are
 * too many; else what build returns. A reason in why[LOD_GPU_LABEL].
 */
LOD_MUST_CHECK int lod_built_number(struct lod_built *built, const struct lod_kernel *kernel,
                                    struct lod_device *device,
                                    int (*build)(struct lod_device *device,
                                                 const struct lod_kernel *kernel, unsigned number,
                                                 char *why),
                                    unsigned *ret_number, char *why);

#endif
