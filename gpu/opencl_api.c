/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads libOpenCL.so.1, the loader that every OpenCL driver installs. It stays in memory until the
 * process ends: drivers keep threads that must not outlive their code.
 */
#include "opencl_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "device.h"

static int find(void *library, const char *name, void *ret_function, char *why)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        return lod_device_why(-ENODEV, why, "libOpenCL.so.1 has no %s", name);
    }
    memcpy(ret_function, &symbol, sizeof(symbol));
    return 0;
}

int lod_opencl_api_load(struct lod_opencl_api *api, char *why)
{
    int error = 0;

    api->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library) {
        return lod_device_why(-ENODEV, why, "there is no libOpenCL.so.1 here");
    }
#define FIND(name) error = error ? error : find(api->library, #name, &api->name, why);
    LOD_OPENCL_CALLS(FIND)
#undef FIND
    if (error) {
        lod_opencl_api_unload(api);
    }
    return error;
}

void lod_opencl_api_unload(struct lod_opencl_api *api)
{
    dlclose(api->library);
}
