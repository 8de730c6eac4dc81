/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libOpenCL that lodfs calls. They are looked up at run time, so a machine without
 * OpenCL runs the same binary. Uses the vendor-neutral headers only.
 */
#ifndef LOD_OPENCL_API_H
#define LOD_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "compiler.h"

#define LOD_OPENCL_CALLS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clCreateBuffer)                                                                              \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clFinish)

struct lod_opencl_api {
    void *library;
#define LOD_OPENCL_POINTER(name) __typeof__(name) *name;
    LOD_OPENCL_CALLS(LOD_OPENCL_POINTER)
#undef LOD_OPENCL_POINTER
};

/* Loads the library. Returns -ENODEV and a reason in why[LOD_GPU_LABEL] if it is not there. */
LOD_MUST_CHECK int lod_opencl_api_load(struct lod_opencl_api *api, char *why);
void lod_opencl_api_unload(struct lod_opencl_api *api);

#endif
