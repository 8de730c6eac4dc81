/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's text to PTX by NVRTC, for builds that were made without nvcc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "device.h"

#define LOG_BYTES_MAX 65536

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

int lod_cuda_compile(const struct lod_cuda_api *api, const char *text, int major, int minor,
                     char **ret_ptx, char *why)
{
    char target[48];
    const char *options[] = {target, "--std=c++17"};
    nvrtcProgram program = NULL;

    if (!api->compiler) {
        return lod_device_why(-ENOTSUP, why, "built without nvcc, and there is no libnvrtc here");
    }
    snprintf(target, sizeof(target), "--gpu-architecture=compute_%d%d", major, minor);
    if (api->nvrtcCreateProgram(&program, text, "kernel.cu", 0, NULL, NULL) != NVRTC_SUCCESS) {
        return lod_device_why(-EIO, why, "NVRTC cannot start");
    }
    int error = api->nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS
                    ? take_ptx(api, program, ret_ptx, why)
                    : refused(api, program, why);
    (void)api->nvrtcDestroyProgram(&program);
    return error;
}
