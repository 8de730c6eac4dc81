/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libcurl that lodfs calls. They are looked up when the first URL is opened: a
 * program that reads folders does not load libcurl and the thirty libraries that it needs.
 */
#ifndef LOD_CURL_API_H
#define LOD_CURL_API_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* As function pointers: curl.h makes macros of some names. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define LOD_CURL_CALLS(X)                                                                          \
    X(curl_global_init)                                                                            \
    X(curl_easy_init)                                                                              \
    X(curl_easy_reset)                                                                             \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_setopt)                                                                            \
    X(curl_easy_getinfo)                                                                           \
    X(curl_easy_strerror)                                                                          \
    X(curl_multi_init)                                                                             \
    X(curl_multi_cleanup)                                                                          \
    X(curl_multi_setopt)                                                                           \
    X(curl_multi_add_handle)                                                                       \
    X(curl_multi_remove_handle)                                                                    \
    X(curl_multi_perform)                                                                          \
    X(curl_multi_poll)                                                                             \
    X(curl_multi_wakeup)                                                                           \
    X(curl_multi_info_read)                                                                        \
    X(curl_slist_append)                                                                           \
    X(curl_slist_free_all)

struct lod_curl_api {
#define LOD_CURL_POINTER(name) __typeof__(name) *name;
    LOD_CURL_CALLS(LOD_CURL_POINTER)
#undef LOD_CURL_POINTER
};

/* Returns the functions; NULL: there is no libcurl.so.4 that has them. Any thread. */
const struct lod_curl_api *lod_curl_api(void);

#endif
