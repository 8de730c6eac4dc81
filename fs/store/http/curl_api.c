/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libcurl.so.4 once. It stays in memory until the process ends, as OpenSSL requires. */
#include "http/curl_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct lod_curl_api api;
static bool is_there; /* written once, before any reader */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);

    memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol;
}

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    is_there = library;
#define FIND(name) is_there = is_there && find(library, #name, &api.name);
    LOD_CURL_CALLS(FIND)
#undef FIND
    is_there = is_there && api.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct lod_curl_api *lod_curl_api(void)
{
    return pthread_once(&once, load) == 0 && is_there ? &api : NULL;
}
