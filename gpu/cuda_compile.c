/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a CUDA module of a kernel: from the binary that nvcc compiled at build time, else by
 * compiling its source with NVRTC.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "device.h"
#include "prelude.h"

#define LOG_BYTES_MAX 65536
#define ARCHS_MAX     256 /* compilers know a few dozen architectures */

static int refused(const struct lod_cuda_api *api, nvrtcProgram program, char *why)
{
    char *log = NULL;
    size_t bytes = 0;

    if (api->nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes < LOG_BYTES_MAX) {
        log = calloc(1, bytes + 1);
    }
    if (log && api->nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) {
        log[strcspn(log, "\n")] = '\0';
        lod_device_why(0, why, "NVRTC: %.100s", log);
    } else {
        lod_device_why(0, why, "NVRTC refused the kernel");
    }
    free(log);
    return -EIO;
}

static int take_ptx(const struct lod_cuda_api *api, nvrtcProgram program, char **ret_ptx, char *why)
{
    size_t bytes = 0;

    if (api->nvrtcGetPTXSize(program, &bytes) != NVRTC_SUCCESS) {
        return lod_device_why(-EIO, why, "NVRTC has no PTX");
    }
    char *ptx = calloc(1, bytes + 1);
    if (!ptx) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    if (api->nvrtcGetPTX(program, ptx) != NVRTC_SUCCESS) {
        free(ptx);
        return lod_device_why(-EIO, why, "NVRTC has no PTX");
    }
    *ret_ptx = ptx;
    return 0;
}

/*
 * Returns the newest architecture that both the compiler and the device know. A device newer than
 * the compiler runs PTX (CUDA's portable assembly) of an older architecture.
 */
static int known_arch(const struct lod_cuda_api *api, int wanted)
{
    int archs[ARCHS_MAX], count = 0, best = 0;

    if (api->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > ARCHS_MAX ||
        api->nvrtcGetSupportedArchs(archs) != NVRTC_SUCCESS) {
        return wanted;
    }
    for (int i = 0; i < count; i++) {
        best = archs[i] <= wanted && archs[i] > best ? archs[i] : best;
    }
    return best ? best : wanted;
}

/*
 * Compiles the source to PTX for compute capability major.minor. The result is NUL-terminated; the
 * caller frees it.
 */
static int compile(const struct lod_cuda_api *api, const char *text, int major, int minor,
                   char **ret_ptx, char *why)
{
    char target[48];
    const char *options[] = {target, "--std=c++17"};
    nvrtcProgram program = NULL;

    if (!api->compiler) {
        return lod_device_why(-ENOTSUP, why, "there is no libnvrtc here");
    }
    snprintf(target, sizeof(target), "--gpu-architecture=compute_%d",
             known_arch(api, 10 * major + minor));
    if (api->nvrtcCreateProgram(&program, text, "kernel.cu", 0, NULL, NULL) != NVRTC_SUCCESS) {
        return lod_device_why(-EIO, why, "NVRTC cannot start");
    }
    int error = api->nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS
                    ? take_ptx(api, program, ret_ptx, why)
                    : refused(api, program, why);
    (void)api->nvrtcDestroyProgram(&program);
    return error;
}

static int load_text(const struct lod_cuda_api *api, CUdevice device,
                     const struct lod_kernel *kernel, CUmodule *ret_module, char *why)
{
    int major = 0, minor = 0;
    char *text = NULL, *ptx = NULL;

    if (api->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) !=
            CUDA_SUCCESS ||
        api->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) !=
            CUDA_SUCCESS) {
        return lod_device_why(-EIO, why, "CUDA does not report what the device can do");
    }
    if (asprintf(&text, "%s%s", lod_gpu_prelude, kernel->source) < 0) {
        return lod_device_why(-ENOMEM, why, "out of memory");
    }
    int error = compile(api, text, major, minor, &ptx, why);
    if (!error) {
        CUresult code = api->cuModuleLoadData(ret_module, ptx);
        error = code == CUDA_SUCCESS
                    ? 0
                    : lod_device_why(-EIO, why, "PTX of NVRTC: %s", lod_cuda_error(api, code));
    }
    free(text);
    free(ptx);
    return error;
}

int lod_cuda_load(const struct lod_cuda_api *api, CUdevice device, const struct lod_kernel *kernel,
                  CUmodule *ret_module, char *why)
{
    char before[LOD_GPU_LABEL / 2] = "built without nvcc", then[LOD_GPU_LABEL] = "";

    if (kernel->fatbin) {
        CUresult code = api->cuModuleLoadData(ret_module, kernel->fatbin);
        if (code == CUDA_SUCCESS) {
            return 0;
        }
        snprintf(before, sizeof(before), "built-in kernel: %s", lod_cuda_error(api, code));
    }
    int error = load_text(api, device, kernel, ret_module, then);
    return error ? lod_device_why(error, why, "%s; %.80s", before, then) : 0;
}
