/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host as a device. It runs a kernel's C twin for one work group after another: on the thread
 * pool if that is given and idle, else in the calling thread. It is in every build and is the
 * reference for all other devices.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "device.h"

struct lod_device {
    struct lod_pool *pool;
    pthread_mutex_t pool_lock; /* held by the job that uses the pool */
    uint8_t *memory[LOD_GPU_LANES];
    uint32_t bytes[LOD_GPU_LANES];
};

static int host_open(struct lod_pool *pool, struct lod_device **ret_device,
                     char label[LOD_GPU_LABEL], char *why)
{
    struct lod_device *device = calloc(1, sizeof(*device));
    if (!device) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    device->pool = pool;
    pthread_mutex_init(&device->pool_lock, NULL);
    lod_device_why(0, label, "the processor");
    *ret_device = device;
    return 0;
}

static void host_close(struct lod_device *device)
{
    for (unsigned lane = 0; lane < LOD_GPU_LANES; lane++) {
        free(device->memory[lane]);
    }
    pthread_mutex_destroy(&device->pool_lock);
    free(device);
}

static int host_reserve(struct lod_device *device, unsigned lane, uint32_t bytes,
                        uint8_t **ret_memory, char *why)
{
    if (device->bytes[lane] < bytes) {
        free(device->memory[lane]);
        device->bytes[lane] = 0;
        device->memory[lane] = aligned_alloc(LOD_GPU_ALIGN, bytes);
        if (!device->memory[lane]) {
            return lod_device_why(-ENOMEM, why, "out of memory");
        }
        device->bytes[lane] = bytes;
    }
    *ret_memory = device->memory[lane];
    return 0;
}

static int run_group(void *ctx, uint64_t index)
{
    const struct lod_gpu_job *job = ctx;

    job->kernel->twin(job, (uint32_t)index);
    return 0;
}

static int host_run(struct lod_device *device, const struct lod_gpu_job *job,
                    const struct lod_gpu_layout *layout, char *why)
{
    struct lod_gpu_job copy = *job;
    int error = 0;

    (void)layout;
    (void)why;
    if (device->pool && pthread_mutex_trylock(&device->pool_lock) == 0) {
        error = lod_pool_each(device->pool, job->groups, run_group, &copy);
        pthread_mutex_unlock(&device->pool_lock);
        return error;
    }
    for (uint32_t group = 0; group < job->groups; group++) {
        job->kernel->twin(job, group);
    }
    return 0;
}

const struct lod_device_kind lod_device_host = {
    .name = "host",
    .open = host_open,
    .close = host_close,
    .reserve = host_reserve,
    .run = host_run,
};
