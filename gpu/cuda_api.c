/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads libcuda.so.1, which comes with the driver, and libnvrtc, which comes with the CUDA toolkit.
 * Both stay in memory until the process ends (RTLD_NODELETE).
 */
#include "cuda_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "device.h"

#define TEXT_OF(name)   #name
#define NAME_TEXT(name) TEXT_OF(name)

static const char *const compilers[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};

static int find(void *library, const char *name, void *ret_function, char *why)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        return lod_device_why(-ENODEV, why, "the CUDA libraries here have no %s", name);
    }
    memcpy(ret_function, &symbol, sizeof(symbol));
    return 0;
}

static void load_compiler(struct lod_cuda_api *api)
{
    char ignored[LOD_GPU_LABEL];
    int error = 0;

    for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]) && !api->compiler; i++) {
        api->compiler = dlopen(compilers[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!api->compiler) {
        return;
    }
#define FIND(name)                                                                                 \
    error = error ? error : find(api->compiler, NAME_TEXT(name), &api->name, ignored);
    LOD_NVRTC_CALLS(FIND)
#undef FIND
    if (error) {
        dlclose(api->compiler);
        api->compiler = NULL;
    }
}

int lod_cuda_api_load(struct lod_cuda_api *api, char *why)
{
    int error = 0;

    api->driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->driver) {
        return lod_device_why(-ENODEV, why, "there is no libcuda.so.1 here");
    }
#define FIND(name) error = error ? error : find(api->driver, NAME_TEXT(name), &api->name, why);
    LOD_CUDA_CALLS(FIND)
#undef FIND
    if (error) {
        dlclose(api->driver);
        return error;
    }
    load_compiler(api);
    return 0;
}

void lod_cuda_api_unload(struct lod_cuda_api *api)
{
    if (api->compiler) {
        dlclose(api->compiler);
    }
    dlclose(api->driver);
}

const char *lod_cuda_error(const struct lod_cuda_api *api, CUresult code)
{
    const char *name = NULL;

    return api->cuGetErrorName(code, &name) == CUDA_SUCCESS && name ? name : "unknown CUDA error";
}
