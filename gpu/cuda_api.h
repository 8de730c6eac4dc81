/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of CUDA's driver and of its run-time compiler that we call, found at run time: a
 * machine without either runs the same binary. The compiler may be missing where the driver is not.
 */
#ifndef LOD_CUDA_API_H
#define LOD_CUDA_API_H

#include <cuda.h>
#include <nvrtc.h>

#include "compiler.h"
#include "gpu.h"

/* cuda.h renames many of these to their present version by macros: the names here are expanded. */
#define LOD_CUDA_CALLS(X)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuInit)                                                                                      \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuCtxPushCurrent)                                                                            \
    X(cuCtxPopCurrent)                                                                             \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemFreeHost)                                                                               \
    X(cuMemcpyHtoDAsync)                                                                           \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemcpyDtoDAsync)                                                                           \
    X(cuModuleLoadData)                                                                            \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunction)                                                                         \
    X(cuLaunchKernel)

#define LOD_NVRTC_CALLS(X)                                                                         \
    X(nvrtcGetNumSupportedArchs)                                                                   \
    X(nvrtcGetSupportedArchs)                                                                      \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcGetPTXSize)                                                                             \
    X(nvrtcGetPTX)                                                                                 \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)

struct lod_cuda_api {
    void *driver;
    void *compiler; /* NULL: none here */
#define LOD_CUDA_POINTER(name) __typeof__(name) *name;
    LOD_CUDA_CALLS(LOD_CUDA_POINTER)
    LOD_NVRTC_CALLS(LOD_CUDA_POINTER)
#undef LOD_CUDA_POINTER
};

/* -ENODEV with a reason in why[LOD_GPU_LABEL]: no driver here. */
LOD_MUST_CHECK int lod_cuda_api_load(struct lod_cuda_api *api, char *why);
void lod_cuda_api_unload(struct lod_cuda_api *api);

/* "CUDA_ERROR_NO_BINARY_FOR_GPU"; static. */
const char *lod_cuda_error(const struct lod_cuda_api *api, CUresult code);

/*
 * The kernel as a module of the context that is current: what was compiled at build time, or its
 * text compiled here. -ENOTSUP: there is no compiler here; -EIO; -ENOMEM. A reason in
 * why[LOD_GPU_LABEL], of both ways if both were gone.
 */
LOD_MUST_CHECK int lod_cuda_load(const struct lod_cuda_api *api, CUdevice device,
                                 const struct lod_kernel *kernel, CUmodule *ret_module, char *why);

#endif
