/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of CUDA's driver and run-time compiler (NVRTC) that lodfs calls. They are looked up
 * at run time, so a machine without CUDA runs the same binary. NVRTC may be absent where the driver
 * is present.
 */
#ifndef LOD_CUDA_API_H
#define LOD_CUDA_API_H

#include <cuda.h>
#include <nvrtc.h>

#include "compiler.h"
#include "gpu.h"

/* cuda.h defines many of these names as macros for their newest version, so the names are
 * macro-expanded here. */
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
    void *compiler; /* NVRTC's handle; NULL where NVRTC is absent */
#define LOD_CUDA_POINTER(name) __typeof__(name) *name;
    LOD_CUDA_CALLS(LOD_CUDA_POINTER)
    LOD_NVRTC_CALLS(LOD_CUDA_POINTER)
#undef LOD_CUDA_POINTER
};

/*
 * Loads the driver and, where present, NVRTC. Returns -ENODEV and a reason in why[LOD_GPU_LABEL] if
 * there is no driver.
 */
LOD_MUST_CHECK int lod_cuda_api_load(struct lod_cuda_api *api, char *why);
void lod_cuda_api_unload(struct lod_cuda_api *api);

/* Returns the name of an error code, such as "CUDA_ERROR_NO_BINARY_FOR_GPU". Static text. */
const char *lod_cuda_error(const struct lod_cuda_api *api, CUresult code);

/*
 * Loads the kernel as a module into the current context. Takes the binary compiled at build time;
 * without one, or if the device refuses it, compiles the source here. Returns -ENOTSUP if that
 * needs a compiler and there is none, -EIO or -ENOMEM, with the reason for each failed way in
 * why[LOD_GPU_LABEL].
 */
LOD_MUST_CHECK int lod_cuda_load(const struct lod_cuda_api *api, CUdevice device,
                                 const struct lod_kernel *kernel, CUmodule *ret_module, char *why);

#endif
