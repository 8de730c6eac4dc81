/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL 1.2 back end. It opens the first GPU of any platform, else the first device of any
 * kind, such as PoCL, which runs on the processor and tests the kernels. Each lane has a queue and
 * buffers; its pinned host memory is a mapped buffer. The first call that fails ends the use of the
 * device.
 *
 * opencl_api.c loads libOpenCL.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_table.h"
#include "device.h"
#include "opencl_api.h"
#include "prelude.h"

#define PLATFORMS_MAX 16

struct lane {
    cl_command_queue queue;
    cl_mem pinned, memory;
    uint8_t *host; /* `pinned`, mapped */
    uint32_t bytes;
    cl_kernel kernel[LOD_KERNEL_TABLE_MAX]; /* one a lane, since a thread sets its arguments */
};

struct lod_device {
    struct lod_opencl_api cl;
    cl_device_id id;
    cl_context context;
    struct lane lane[LOD_GPU_LANES];
    struct lod_kernel_table kernels;
    cl_program program[LOD_KERNEL_TABLE_MAX]; /* indexed by the number in `kernels` */
};

static int failed(char *why, const char *call, cl_int code)
{
    return lod_device_why(-EIO, why, "%s: OpenCL error %d", call, (int)code);
}

static bool first_device(struct lod_device *device, const cl_platform_id *platforms, cl_uint count,
                         cl_device_type type)
{
    for (cl_uint i = 0; i < count; i++) {
        if (device->cl.clGetDeviceIDs(platforms[i], type, 1, &device->id, NULL) == CL_SUCCESS) {
            return true;
        }
    }
    return false;
}

static int find_device(struct lod_device *device, char label[LOD_GPU_LABEL], char *why)
{
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = 0;
    cl_bool available = CL_FALSE;

    cl_int code = device->cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count);
    count = count < PLATFORMS_MAX ? count : PLATFORMS_MAX;
    if (code != CL_SUCCESS || (!first_device(device, platforms, count, CL_DEVICE_TYPE_GPU) &&
                               !first_device(device, platforms, count, CL_DEVICE_TYPE_ALL))) {
        return lod_device_why(-ENODEV, why, "OpenCL has no device here");
    }
    code = device->cl.clGetDeviceInfo(device->id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(available),
                                      &available, NULL);
    if (code != CL_SUCCESS || !available) {
        return lod_device_why(-ENODEV, why, "the OpenCL device has no compiler");
    }
    code = device->cl.clGetDeviceInfo(device->id, CL_DEVICE_NAME, LOD_GPU_LABEL, label, NULL);
    if (code != CL_SUCCESS) {
        lod_device_why(0, label, "an OpenCL device");
    }
    return 0;
}

static int open_queues(struct lod_device *device, char *why)
{
    cl_int code = CL_SUCCESS;

    device->context = device->cl.clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        return failed(why, "clCreateContext", code);
    }
    for (unsigned i = 0; i < LOD_GPU_LANES; i++) {
        device->lane[i].queue =
            device->cl.clCreateCommandQueue(device->context, device->id, 0, &code);
        if (code != CL_SUCCESS) {
            return failed(why, "clCreateCommandQueue", code);
        }
    }
    return 0;
}

/*
 * Works in any state of the device. The results of releasing are ignored: nothing depends on them.
 */
static void free_memory(struct lod_device *device, struct lane *lane)
{
    if (lane->host) {
        (void)device->cl.clEnqueueUnmapMemObject(lane->queue, lane->pinned, lane->host, 0, NULL,
                                                 NULL);
        (void)device->cl.clFinish(lane->queue);
    }
    if (lane->pinned) {
        (void)device->cl.clReleaseMemObject(lane->pinned);
    }
    if (lane->memory) {
        (void)device->cl.clReleaseMemObject(lane->memory);
    }
    lane->host = NULL;
    lane->pinned = lane->memory = NULL;
    lane->bytes = 0;
}

static void close_lane(struct lod_device *device, struct lane *lane)
{
    free_memory(device, lane);
    for (unsigned i = 0; i < LOD_KERNEL_TABLE_MAX; i++) {
        if (lane->kernel[i]) {
            (void)device->cl.clReleaseKernel(lane->kernel[i]);
        }
    }
    if (lane->queue) {
        (void)device->cl.clReleaseCommandQueue(lane->queue);
    }
}

static void opencl_close(struct lod_device *device)
{
    for (unsigned i = 0; i < LOD_GPU_LANES; i++) {
        close_lane(device, &device->lane[i]);
    }
    for (unsigned i = 0; i < device->kernels.count; i++) {
        (void)device->cl.clReleaseProgram(device->program[i]);
    }
    if (device->context) {
        (void)device->cl.clReleaseContext(device->context);
    }
    lod_opencl_api_unload(&device->cl);
    lod_kernel_table_finish(&device->kernels);
    free(device);
}

static int opencl_open(struct lod_pool *pool, struct lod_device **ret_device,
                       char label[LOD_GPU_LABEL], char *why)
{
    struct lod_device *device = calloc(1, sizeof(*device));

    (void)pool;
    if (!device) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    int error = lod_opencl_api_load(&device->cl, why);
    if (error) {
        free(device);
        return error;
    }
    lod_kernel_table_init(&device->kernels);
    error = find_device(device, label, why);
    error = error ? error : open_queues(device, why);
    if (error) {
        opencl_close(device);
        return error;
    }
    *ret_device = device;
    return 0;
}

static bool opencl_is_apart(const struct lod_device *device)
{
    cl_device_type type = 0;

    return device->cl.clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL) ==
               CL_SUCCESS &&
           !(type & CL_DEVICE_TYPE_CPU);
}

static int opencl_reserve(struct lod_device *device, unsigned index, uint32_t bytes,
                          uint8_t **ret_memory, char *why)
{
    struct lane *lane = &device->lane[index];
    cl_int code = CL_SUCCESS;

    if (lane->bytes < bytes) {
        free_memory(device, lane);
        lane->pinned = device->cl.clCreateBuffer(
            device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
        if (code != CL_SUCCESS) {
            return failed(why, "clCreateBuffer, pinned", code);
        }
        lane->memory =
            device->cl.clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        if (code != CL_SUCCESS) {
            return failed(why, "clCreateBuffer", code);
        }
        lane->host = device->cl.clEnqueueMapBuffer(lane->queue, lane->pinned, CL_TRUE,
                                                   CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                                                   NULL, &code);
        if (code != CL_SUCCESS) {
            return failed(why, "clEnqueueMapBuffer", code);
        }
        lane->bytes = bytes;
    }
    *ret_memory = lane->host;
    return 0;
}

/* Reports a failed build with the first line of the compiler's log. */
static int build_failed(struct lod_device *device, cl_program program, cl_int code, char *why)
{
    char log[4096] = "";

    if (device->cl.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1,
                                         log, NULL) != CL_SUCCESS) {
        return failed(why, "clBuildProgram", code);
    }
    log[strcspn(log, "\n")] = '\0';
    return lod_device_why(-EIO, why, "clBuildProgram: %d: %.80s", (int)code, log);
}

static int build(struct lod_device *device, const struct lod_kernel *kernel, unsigned number,
                 char *why)
{
    const char *texts[] = {lod_gpu_prelude, kernel->source};
    cl_int code = CL_SUCCESS;

    cl_program program =
        device->cl.clCreateProgramWithSource(device->context, 2, texts, NULL, &code);
    if (code != CL_SUCCESS) {
        return failed(why, "clCreateProgramWithSource", code);
    }
    code = device->cl.clBuildProgram(program, 1, &device->id, "-cl-std=CL1.2", NULL, NULL);
    if (code != CL_SUCCESS) {
        int error = build_failed(device, program, code, why);
        (void)device->cl.clReleaseProgram(program);
        return error;
    }
    device->program[number] = program;
    return 0;
}

/* Returns the lane's kernel object with the arguments of this job. */
static int set_up(struct lod_device *device, struct lane *lane, const struct lod_gpu_job *job,
                  const struct lod_gpu_layout *layout, cl_kernel *ret_kernel, char *why)
{
    const cl_uint places[] = {layout->in[0], layout->in[1], layout->in[2], layout->status,
                              layout->out};
    cl_int code = CL_SUCCESS;
    unsigned number = 0;

    int error = lod_kernel_table_number(&device->kernels, job->kernel, device, build, &number, why);
    if (error) {
        return error;
    }
    if (!lane->kernel[number]) {
        lane->kernel[number] =
            device->cl.clCreateKernel(device->program[number], job->kernel->name, &code);
        if (code != CL_SUCCESS) {
            lane->kernel[number] = NULL;
            return failed(why, "clCreateKernel", code);
        }
    }
    cl_kernel kernel = lane->kernel[number];
    code = device->cl.clSetKernelArg(kernel, 0, sizeof(cl_mem), &lane->memory);
    for (cl_uint i = 0; i < sizeof(places) / sizeof(places[0]) && code == CL_SUCCESS; i++) {
        code = device->cl.clSetKernelArg(kernel, i + 1, sizeof(cl_uint), &places[i]);
    }
    if (code != CL_SUCCESS) {
        return failed(why, "clSetKernelArg", code);
    }
    *ret_kernel = kernel;
    return 0;
}

static int opencl_run(struct lod_device *device, const struct lod_gpu_job *job,
                      const struct lod_gpu_layout *layout, char *why)
{
    struct lane *lane = &device->lane[job->lane];
    const size_t threads = job->kernel->threads, all = threads * job->groups;
    cl_kernel kernel = NULL;

    int error = set_up(device, lane, job, layout, &kernel, why);
    if (error) {
        return error;
    }
    cl_int code = device->cl.clEnqueueWriteBuffer(lane->queue, lane->memory, CL_FALSE, 0,
                                                  layout->out, lane->host, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        return failed(why, "clEnqueueWriteBuffer", code);
    }
    code = device->cl.clEnqueueNDRangeKernel(lane->queue, kernel, 1, NULL, &all, &threads, 0, NULL,
                                             NULL);
    if (code != CL_SUCCESS) {
        (void)device->cl.clFinish(lane->queue);
        return failed(why, "clEnqueueNDRangeKernel", code);
    }
    code = device->cl.clEnqueueReadBuffer(lane->queue, lane->memory, CL_FALSE, layout->status,
                                          layout->bytes - layout->status,
                                          lane->host + layout->status, 0, NULL, NULL);
    cl_int ended = device->cl.clFinish(lane->queue);
    if (code != CL_SUCCESS || ended != CL_SUCCESS) {
        return failed(why, "clEnqueueReadBuffer", code != CL_SUCCESS ? code : ended);
    }
    return 0;
}

const struct lod_device_kind lod_device_opencl = {
    .name = "opencl",
    .open = opencl_open,
    .close = opencl_close,
    .is_apart = opencl_is_apart,
    .reserve = opencl_reserve,
    .run = opencl_run,
};
