/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch table of devices, the lanes, and the fallback to the host. Each open device has a
 * host device as its fallback: jobs of a device that failed run there, in the memory already
 * filled. The devices themselves are in host.c, opencl.c and cuda.c.
 */
#include "gpu.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

static const struct lod_device_kind *const kinds[] = {
#ifdef LOD_CUDA
    &lod_device_cuda,
#endif
#ifdef LOD_OPENCL
    &lod_device_opencl,
#endif
    &lod_device_host,
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct lod_gpu {
    const struct lod_device_kind *kind;
    struct lod_device *device;
    struct lod_device *host; /* equal to `device` if that is the host */
    uint64_t job_bytes_max;
    char label[LOD_GPU_LABEL];
    char failure[LOD_GPU_LABEL]; /* written once, before `dropped` is set */
    atomic_bool dropped;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    bool busy[LOD_GPU_LANES]; /* guarded by lock */
    bool failing;             /* guarded by lock: `failure` is being or was written */
    struct lod_gpu_layout layout[LOD_GPU_LANES]; /* of the job that holds the lane */
};

const char *lod_gpu_name(unsigned index)
{
    return index < KINDS ? kinds[index]->name : NULL;
}

static const struct lod_device_kind *kind_of(const char *name)
{
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i]->name, name) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}

static int open_devices(struct lod_gpu *gpu, struct lod_pool *pool, char *why)
{
    char label[LOD_GPU_LABEL];

    int error = gpu->kind->open(pool, &gpu->device, gpu->label, why);
    if (error || gpu->kind == &lod_device_host) {
        gpu->host = gpu->device;
        return error;
    }
    error = lod_device_host.open(pool, &gpu->host, label, why);
    if (error) {
        gpu->kind->close(gpu->device);
    }
    return error;
}

int lod_gpu_open_kind(const struct lod_device_kind *kind, struct lod_pool *pool,
                      struct lod_gpu **ret_gpu, char *why, size_t why_room)
{
    char reason[LOD_GPU_LABEL] = "out of memory";
    int error = -ENOMEM;
    struct lod_gpu *gpu = calloc(1, sizeof(*gpu));

    if (gpu) {
        gpu->kind = kind;
        gpu->job_bytes_max = LOD_GPU_JOB_BYTES_MAX;
        error = open_devices(gpu, pool, reason);
    }
    if (error) {
        snprintf(why, why_room, "%s", reason);
        free(gpu);
        return error;
    }
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_cond_init(&gpu->freed, NULL);
    *ret_gpu = gpu;
    return 0;
}

int lod_gpu_open(const char *name, struct lod_pool *pool, struct lod_gpu **ret_gpu, char *why,
                 size_t why_room)
{
    const struct lod_device_kind *kind = kind_of(name);

    if (!kind) {
        snprintf(why, why_room, "this build has no device called %s", name);
        return -ENODEV;
    }
    return lod_gpu_open_kind(kind, pool, ret_gpu, why, why_room);
}

struct lod_gpu *lod_gpu_close(struct lod_gpu *gpu)
{
    if (gpu) {
        if (gpu->host != gpu->device) {
            lod_device_host.close(gpu->host);
        }
        gpu->kind->close(gpu->device);
        pthread_cond_destroy(&gpu->freed);
        pthread_mutex_destroy(&gpu->lock);
        free(gpu);
    }
    return NULL;
}

const char *lod_gpu_kind(struct lod_gpu *gpu)
{
    return atomic_load(&gpu->dropped) ? lod_device_host.name : gpu->kind->name;
}

const char *lod_gpu_label(struct lod_gpu *gpu)
{
    return gpu->label;
}

const char *lod_gpu_failure(struct lod_gpu *gpu)
{
    return atomic_load(&gpu->dropped) ? gpu->failure : NULL;
}

static void drop(struct lod_gpu *gpu, const char *why)
{
    pthread_mutex_lock(&gpu->lock);
    if (!gpu->failing) {
        gpu->failing = true;
        lod_device_why(0, gpu->failure, "%s", why);
        atomic_store(&gpu->dropped, true);
    }
    pthread_mutex_unlock(&gpu->lock);
}

void lod_gpu_limit(struct lod_gpu *gpu, uint32_t job_bytes_max)
{
    gpu->job_bytes_max = job_bytes_max;
}

static bool on_device(struct lod_gpu *gpu)
{
    return gpu->host != gpu->device && !atomic_load(&gpu->dropped);
}

static unsigned lane_take(struct lod_gpu *gpu)
{
    unsigned lane = 0;

    pthread_mutex_lock(&gpu->lock);
    for (lane = 0; gpu->busy[lane]; lane = (lane + 1) % LOD_GPU_LANES) {
        if (lane == LOD_GPU_LANES - 1) {
            pthread_cond_wait(&gpu->freed, &gpu->lock);
        }
    }
    gpu->busy[lane] = true;
    pthread_mutex_unlock(&gpu->lock);
    return lane;
}

static void lane_give(struct lod_gpu *gpu, unsigned lane)
{
    pthread_mutex_lock(&gpu->lock);
    gpu->busy[lane] = false;
    pthread_cond_signal(&gpu->freed);
    pthread_mutex_unlock(&gpu->lock);
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + LOD_GPU_ALIGN - 1) / LOD_GPU_ALIGN * LOD_GPU_ALIGN;
}

/*
 * Computes the offsets of a job's memory. Returns -E2BIG above LOD_GPU_JOB_BYTES_MAX. No sum
 * overflows, since each size is compared before it is added.
 */
static int lay_out(const struct lod_gpu_job *job, struct lod_gpu_layout *layout)
{
    uint64_t parts[LOD_GPU_INPUTS + 2], at[LOD_GPU_INPUTS + 2], sum = 0;

    memcpy(parts, job->in_bytes, sizeof(job->in_bytes));
    parts[LOD_GPU_INPUTS] = 4ull * job->groups;
    parts[LOD_GPU_INPUTS + 1] = job->out_bytes;
    for (unsigned i = 0; i < LOD_GPU_INPUTS + 2; i++) {
        if (parts[i] > LOD_GPU_JOB_BYTES_MAX || sum > LOD_GPU_JOB_BYTES_MAX) {
            return -E2BIG;
        }
        at[i] = sum;
        sum += aligned(parts[i]);
    }
    if (sum > LOD_GPU_JOB_BYTES_MAX) {
        return -E2BIG;
    }
    for (unsigned i = 0; i < LOD_GPU_INPUTS; i++) {
        layout->in[i] = (uint32_t)at[i];
    }
    layout->status = (uint32_t)at[LOD_GPU_INPUTS];
    layout->out = (uint32_t)at[LOD_GPU_INPUTS + 1];
    layout->bytes = (uint32_t)sum;
    return 0;
}

/* Provides memory for the lane: of the device, or of the host after a failed allocation. */
static int reserve(struct lod_gpu *gpu, unsigned lane, uint32_t bytes, uint8_t **ret_memory)
{
    char why[LOD_GPU_LABEL] = "";

    if (on_device(gpu)) {
        if (gpu->kind->reserve(gpu->device, lane, bytes, ret_memory, why) == 0) {
            return 0;
        }
        drop(gpu, why);
    }
    return lod_device_host.reserve(gpu->host, lane, bytes, ret_memory, why);
}

int lod_gpu_begin(struct lod_gpu *gpu, const struct lod_kernel *kernel, uint32_t groups,
                  const uint64_t in_bytes[LOD_GPU_INPUTS], uint64_t out_bytes,
                  struct lod_gpu_job *ret_job)
{
    struct lod_gpu_job job = {
        .gpu = gpu, .kernel = kernel, .groups = groups, .out_bytes = out_bytes};
    struct lod_gpu_layout layout;
    uint8_t *memory = NULL;

    assert(groups > 0 && kernel->threads > 0 && kernel->threads <= LOD_GPU_THREADS);
    memcpy(job.in_bytes, in_bytes, sizeof(job.in_bytes));
    int error = lay_out(&job, &layout);
    if (error || layout.bytes > gpu->job_bytes_max) {
        return error ? error : -E2BIG;
    }
    job.lane = lane_take(gpu);
    error = reserve(gpu, job.lane, layout.bytes, &memory);
    if (error) {
        lane_give(gpu, job.lane);
        return error;
    }
    for (unsigned i = 0; i < LOD_GPU_INPUTS; i++) {
        job.in[i] = memory + layout.in[i];
    }
    job.status = (uint32_t *)(void *)(memory + layout.status);
    job.out = memory + layout.out;
    memset(job.status, 0, 4ull * groups);
    gpu->layout[job.lane] = layout;
    *ret_job = job;
    return 0;
}

void lod_gpu_run(struct lod_gpu_job *job)
{
    struct lod_gpu *gpu = job->gpu;
    char why[LOD_GPU_LABEL] = "";

    if (on_device(gpu)) {
        if (gpu->kind->run(gpu->device, job, &gpu->layout[job->lane], why) == 0) {
            return;
        }
        drop(gpu, why);
        memset(job->status, 0, 4ull * job->groups);
    }
    int error = lod_device_host.run(gpu->host, job, &gpu->layout[job->lane], why);
    assert(!error);
    (void)error;
}

void lod_gpu_end(struct lod_gpu_job *job)
{
    lane_give(job->gpu, job->lane);
}

int lod_gpu_keep(struct lod_gpu_job *job, uint64_t *ret_address)
{
    struct lod_gpu *gpu = job->gpu;

    if (!on_device(gpu) || !gpu->kind->keep) {
        return -ENOTSUP;
    }
    return gpu->kind->keep(gpu->device, job->lane, gpu->layout[job->lane].out, job->out_bytes,
                           ret_address);
}

void lod_gpu_release(struct lod_gpu *gpu, uint64_t address)
{
    gpu->kind->release(gpu->device, address);
}

bool lod_gpu_is_separate(struct lod_gpu *gpu)
{
    return gpu->kind->is_apart && gpu->kind->is_apart(gpu->device);
}
