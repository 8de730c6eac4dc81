/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA back end, on the driver API. It opens the first device in its primary context, which
 * PyTorch and CuPy use too, so that addresses are valid in both. Each lane has a stream, pinned
 * host memory and device memory: the copies of one lane overlap the kernel of another. The first
 * call that fails ends the use of the device.
 *
 * cuda_api.c loads the driver, and cuda_compile.c compiles the kernels.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel_table.h"
#include "cuda_api.h"
#include "device.h"

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
    struct lod_kernel_table kernels;
    struct {
        CUmodule module;
        CUfunction entry;
    } program[LOD_KERNEL_TABLE_MAX]; /* indexed by the number in `kernels` */
};

static int check(const struct lod_device *device, CUresult code, char *why, const char *call)
{
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    return lod_device_why(code == CUDA_ERROR_OUT_OF_MEMORY ? -ENOMEM : -EIO, why, "%s: %s", call,
                          lod_cuda_error(&device->cuda, code));
}

static int enter(struct lod_device *device, char *why)
{
    return check(device, device->cuda.cuCtxPushCurrent(device->context), why, "cuCtxPushCurrent");
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
    return check(device, device->cuda.cuDevicePrimaryCtxRetain(&device->context, device->number),
                 why, "cuDevicePrimaryCtxRetain");
}

static int open_streams(struct lod_device *device, char *why)
{
    int error = enter(device, why);

    if (error) {
        return error;
    }
    for (unsigned i = 0; i < LOD_GPU_LANES && !error; i++) {
        error = check(device,
                      device->cuda.cuStreamCreate(&device->lane[i].stream, CU_STREAM_NON_BLOCKING),
                      why, "cuStreamCreate");
    }
    leave(device);
    return error;
}

/* The results of freeing are ignored: CUDA may report an earlier failure here once more. */
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
    for (unsigned i = 0; i < device->kernels.count; i++) {
        (void)device->cuda.cuModuleUnload(device->program[i].module);
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
    lod_kernel_table_finish(&device->kernels);
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
    lod_kernel_table_init(&device->kernels);
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
    int error = check(device, device->cuda.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE),
                      why, "cuMemHostAlloc");
    if (error) {
        return error;
    }
    lane->host = host;
    error = check(device, device->cuda.cuMemAlloc(&lane->memory, bytes), why, "cuMemAlloc");
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

static int build(struct lod_device *device, const struct lod_kernel *kernel, unsigned number,
                 char *why)
{
    CUmodule module = NULL;
    CUfunction entry = NULL;

    int error = lod_cuda_load(&device->cuda, device->number, kernel, &module, why);
    if (error) {
        return error;
    }
    error = check(device, device->cuda.cuModuleGetFunction(&entry, module, kernel->name), why,
                  "cuModuleGetFunction");
    if (error) {
        (void)device->cuda.cuModuleUnload(module);
        return error;
    }
    device->program[number].module = module;
    device->program[number].entry = entry;
    return 0;
}

/* Returns the kernel's entry point, built on first use. Call between enter and leave. */
static int entry_of(struct lod_device *device, const struct lod_kernel *kernel,
                    CUfunction *ret_entry, char *why)
{
    unsigned number = 0;

    int error = lod_kernel_table_number(&device->kernels, kernel, device, build, &number, why);
    if (!error) {
        *ret_entry = device->program[number].entry;
    }
    return error;
}

static int launch(struct lod_device *device, const struct lod_gpu_job *job, CUfunction entry,
                  struct lod_gpu_layout layout, char *why)
{
    struct lane *lane = &device->lane[job->lane];
    void *arguments[] = {&lane->memory, &layout.in[0],  &layout.in[1],
                         &layout.in[2], &layout.status, &layout.out};

    return check(device,
                 device->cuda.cuLaunchKernel(entry, job->groups, 1, 1, job->kernel->threads, 1, 1,
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
    error = check(
        device, device->cuda.cuMemcpyHtoDAsync(lane->memory, lane->host, layout->out, lane->stream),
        why, "cuMemcpyHtoDAsync");
    error = error ? error : launch(device, job, entry, *layout, why);
    if (!error) {
        error = check(device,
                      device->cuda.cuMemcpyDtoHAsync(lane->host + layout->status,
                                                     lane->memory + layout->status,
                                                     back - layout->status, lane->stream),
                      why, "cuMemcpyDtoHAsync");
    }
    CUresult ended = device->cuda.cuStreamSynchronize(lane->stream);
    return error ? error : check(device, ended, why, "cuStreamSynchronize");
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

    int error = check(device, device->cuda.cuMemAlloc(&memory, bytes), why, "cuMemAlloc");
    if (error) {
        return error;
    }
    error = check(
        device, device->cuda.cuMemcpyDtoDAsync(memory, lane->memory + offset, bytes, lane->stream),
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
    .run = cuda_run,
    .keep = cuda_keep,
    .release = cuda_release,
};
