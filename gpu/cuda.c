/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's first device through the driver API, in its primary context, so that addresses are those
 * other users of the device know (PyTorch, CuPy). A stream, pinned memory and device memory a lane:
 * copies of one lane overlap the kernel of the other. Every return code is checked; the first bad
 * one ends the device.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "device.h"
#include "prelude.h"

#define PROGRAMS_MAX 16

struct lane {
    CUstream stream;
    uint8_t *host;
    CUdeviceptr memory;
    uint32_t bytes;
};

struct lod_device {
    struct lod_cuda_api cuda;
    CUdevice number;
    CUcontext context;
    struct lane lane[LOD_GPU_LANES];
    pthread_mutex_t lock;
    struct {
        const struct lod_kernel *kernel;
        CUmodule module;
        CUfunction entry;
    } built[PROGRAMS_MAX]; /* guarded by lock; an entry does not change once it is there */
    unsigned count;        /* guarded by lock */
};

static int check(CUresult code, char *why, const char *call)
{
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    return lod_device_why(code == CUDA_ERROR_OUT_OF_MEMORY ? -ENOMEM : -EIO, why,
                          "%s: CUDA error %d", call, (int)code);
}

static int enter(struct lod_device *device, char *why)
{
    return check(device->cuda.cuCtxPushCurrent(device->context), why, "cuCtxPushCurrent");
}

static void leave(struct lod_device *device)
{
    CUcontext ours = NULL;

    (void)device->cuda.cuCtxPopCurrent(&ours);
}

static int find_device(struct lod_device *device, char label[LOD_GPU_LABEL], char *why)
{
    if (device->cuda.cuInit(0) != CUDA_SUCCESS ||
        device->cuda.cuDeviceGet(&device->number, 0) != CUDA_SUCCESS) {
        return lod_device_why(-ENODEV, why, "CUDA has no device here");
    }
    if (device->cuda.cuDeviceGetName(label, LOD_GPU_LABEL, device->number) != CUDA_SUCCESS) {
        lod_device_why(0, label, "a CUDA device");
    }
    return check(device->cuda.cuDevicePrimaryCtxRetain(&device->context, device->number), why,
                 "cuDevicePrimaryCtxRetain");
}

static int open_streams(struct lod_device *device, char *why)
{
    int error = enter(device, why);

    if (error) {
        return error;
    }
    for (unsigned i = 0; i < LOD_GPU_LANES && !error; i++) {
        error = check(device->cuda.cuStreamCreate(&device->lane[i].stream, CU_STREAM_NON_BLOCKING),
                      why, "cuStreamCreate");
    }
    leave(device);
    return error;
}

/* What freeing answers changes nothing: it may be the echo of an earlier failure. */
static void free_memory(struct lod_device *device, struct lane *lane)
{
    if (lane->host) {
        (void)device->cuda.cuMemFreeHost(lane->host);
    }
    if (lane->memory) {
        (void)device->cuda.cuMemFree(lane->memory);
    }
    lane->host = NULL;
    lane->memory = 0;
    lane->bytes = 0;
}

static void close_all(struct lod_device *device)
{
    for (unsigned i = 0; i < LOD_GPU_LANES; i++) {
        free_memory(device, &device->lane[i]);
        if (device->lane[i].stream) {
            (void)device->cuda.cuStreamDestroy(device->lane[i].stream);
        }
    }
    for (unsigned i = 0; i < device->count; i++) {
        (void)device->cuda.cuModuleUnload(device->built[i].module);
    }
}

static void cuda_close(struct lod_device *device)
{
    char why[LOD_GPU_LABEL];

    if (device->context) {
        if (enter(device, why) == 0) {
            close_all(device);
            leave(device);
        }
        (void)device->cuda.cuDevicePrimaryCtxRelease(device->number);
    }
    lod_cuda_api_unload(&device->cuda);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static int cuda_open(struct lod_pool *pool, struct lod_device **ret_device,
                     char label[LOD_GPU_LABEL], char *why)
{
    struct lod_device *device = calloc(1, sizeof(*device));

    (void)pool;
    if (!device) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    int error = lod_cuda_api_load(&device->cuda, why);
    if (error) {
        free(device);
        return error;
    }
    pthread_mutex_init(&device->lock, NULL);
    error = find_device(device, label, why);
    error = error ? error : open_streams(device, why);
    if (error) {
        cuda_close(device);
        return error;
    }
    *ret_device = device;
    return 0;
}

static bool cuda_is_apart(const struct lod_device *device)
{
    (void)device;
    return true;
}

static int grow(struct lod_device *device, struct lane *lane, uint32_t bytes, char *why)
{
    void *host = NULL;

    free_memory(device, lane);
    int error = check(device->cuda.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE), why,
                      "cuMemHostAlloc");
    if (error) {
        return error;
    }
    lane->host = host;
    error = check(device->cuda.cuMemAlloc(&lane->memory, bytes), why, "cuMemAlloc");
    if (error) {
        lane->memory = 0;
        return error;
    }
    lane->bytes = bytes;
    return 0;
}

static int cuda_reserve(struct lod_device *device, unsigned index, uint32_t bytes,
                        uint8_t **ret_memory, char *why)
{
    struct lane *lane = &device->lane[index];
    int error = 0;

    if (lane->bytes < bytes) {
        error = enter(device, why);
        if (!error) {
            error = grow(device, lane, bytes, why);
            leave(device);
        }
    }
    if (!error) {
        *ret_memory = lane->host;
    }
    return error;
}

/* The module compiled at build time, or the text compiled here. */
static int load_module(struct lod_device *device, const struct lod_kernel *kernel,
                       CUmodule *ret_module, char *why)
{
    int major = 0, minor = 0;
    char *text = NULL, *ptx = NULL;

    if (kernel->fatbin &&
        device->cuda.cuModuleLoadData(ret_module, kernel->fatbin) == CUDA_SUCCESS) {
        return 0;
    }
    if (device->cuda.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                          device->number) != CUDA_SUCCESS ||
        device->cuda.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                          device->number) != CUDA_SUCCESS) {
        return lod_device_why(-EIO, why, "CUDA does not say what the device can do");
    }
    if (asprintf(&text, "%s%s", lod_gpu_prelude, kernel->source) < 0) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    int error = lod_cuda_compile(&device->cuda, text, major, minor, &ptx, why);
    if (!error) {
        error = check(device->cuda.cuModuleLoadData(ret_module, ptx), why, "cuModuleLoadData");
    }
    free(text);
    free(ptx);
    return error;
}

static int build(struct lod_device *device, const struct lod_kernel *kernel, char *why)
{
    CUmodule module = NULL;
    CUfunction entry = NULL;

    if (device->count == PROGRAMS_MAX) {
        return lod_device_why(-E2BIG, why, "more than %d kernels", PROGRAMS_MAX);
    }
    int error = load_module(device, kernel, &module, why);
    if (error) {
        return error;
    }
    error = check(device->cuda.cuModuleGetFunction(&entry, module, kernel->name), why,
                  "cuModuleGetFunction");
    if (error) {
        (void)device->cuda.cuModuleUnload(module);
        return error;
    }
    device->built[device->count].kernel = kernel;
    device->built[device->count].module = module;
    device->built[device->count].entry = entry;
    device->count++;
    return 0;
}

/* The kernel's entry, built if it has not been; within enter and leave. */
static int entry_of(struct lod_device *device, const struct lod_kernel *kernel,
                    CUfunction *ret_entry, char *why)
{
    int error = 0;
    unsigned i = 0;

    pthread_mutex_lock(&device->lock);
    while (i < device->count && device->built[i].kernel != kernel) {
        i++;
    }
    if (i == device->count) {
        error = build(device, kernel, why);
    }
    if (!error) {
        *ret_entry = device->built[i].entry;
    }
    pthread_mutex_unlock(&device->lock);
    return error;
}

static int cuda_prepare(struct lod_device *device, const struct lod_kernel *kernel, char *why)
{
    CUfunction entry = NULL;

    int error = enter(device, why);
    if (!error) {
        error = entry_of(device, kernel, &entry, why);
        leave(device);
    }
    return error;
}

static int launch(struct lod_device *device, const struct lod_gpu_job *job, CUfunction entry,
                  struct lod_gpu_layout layout, char *why)
{
    struct lane *lane = &device->lane[job->lane];
    void *arguments[] = {&lane->memory, &layout.in[0],  &layout.in[1],
                         &layout.in[2], &layout.status, &layout.out};

    return check(device->cuda.cuLaunchKernel(entry, job->groups, 1, 1, job->kernel->threads, 1, 1,
                                             0, lane->stream, arguments, NULL),
                 why, "cuLaunchKernel");
}

static int there_and_back(struct lod_device *device, const struct lod_gpu_job *job,
                          const struct lod_gpu_layout *layout, char *why)
{
    struct lane *lane = &device->lane[job->lane];
    const uint32_t back = job->stays ? layout->out : layout->bytes;
    CUfunction entry = NULL;

    int error = entry_of(device, job->kernel, &entry, why);
    if (error) {
        return error;
    }
    error =
        check(device->cuda.cuMemcpyHtoDAsync(lane->memory, lane->host, layout->out, lane->stream),
              why, "cuMemcpyHtoDAsync");
    error = error ? error : launch(device, job, entry, *layout, why);
    if (!error) {
        error = check(device->cuda.cuMemcpyDtoHAsync(lane->host + layout->status,
                                                     lane->memory + layout->status,
                                                     back - layout->status, lane->stream),
                      why, "cuMemcpyDtoHAsync");
    }
    CUresult ended = device->cuda.cuStreamSynchronize(lane->stream);
    return error ? error : check(ended, why, "cuStreamSynchronize");
}

static int cuda_run(struct lod_device *device, const struct lod_gpu_job *job,
                    const struct lod_gpu_layout *layout, char *why)
{
    int error = enter(device, why);

    if (!error) {
        error = there_and_back(device, job, layout, why);
        leave(device);
    }
    return error;
}

static int copy_out(struct lod_device *device, unsigned index, uint32_t offset, uint64_t bytes,
                    CUdeviceptr *ret_memory)
{
    struct lane *lane = &device->lane[index];
    char why[LOD_GPU_LABEL];
    CUdeviceptr memory = 0;

    int error = check(device->cuda.cuMemAlloc(&memory, bytes), why, "cuMemAlloc");
    if (error) {
        return error;
    }
    error =
        check(device->cuda.cuMemcpyDtoDAsync(memory, lane->memory + offset, bytes, lane->stream),
              why, "cuMemcpyDtoDAsync");
    CUresult ended = device->cuda.cuStreamSynchronize(lane->stream);
    if (error || ended != CUDA_SUCCESS) {
        (void)device->cuda.cuMemFree(memory);
        return error ? error : -EIO;
    }
    *ret_memory = memory;
    return 0;
}

static int cuda_keep(struct lod_device *device, unsigned lane, uint32_t offset, uint64_t bytes,
                     uint64_t *ret_address)
{
    char why[LOD_GPU_LABEL];
    CUdeviceptr memory = 0;

    int error = enter(device, why);
    if (error) {
        return error;
    }
    error = copy_out(device, lane, offset, bytes, &memory);
    leave(device);
    if (!error) {
        *ret_address = memory;
    }
    return error;
}

static void cuda_release(struct lod_device *device, uint64_t address)
{
    char why[LOD_GPU_LABEL];

    if (enter(device, why) == 0) {
        (void)device->cuda.cuMemFree(address);
        leave(device);
    }
}

const struct lod_device_kind lod_device_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .is_apart = cuda_is_apart,
    .reserve = cuda_reserve,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .keep = cuda_keep,
    .release = cuda_release,
};
