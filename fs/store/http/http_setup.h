/* SPDX-License-Identifier: Apache-2.0 */
/* A request as options of libcurl, and the callbacks that take its answer. */
#ifndef LOD_HTTP_SETUP_H
#define LOD_HTTP_SETUP_H

#include "compiler.h"
#include "http/curl_api.h"
#include "http/http_request.h"

/*
 * Sets `easy`, which was just created or reset, to send the request. `ret_headers` is to be freed
 * when it is over, also on error. Pointers into the request stay with `easy`. -ENOMEM.
 */
LOD_MUST_CHECK int lod_http_setup(const struct lod_curl_api *curl,
                                  const struct lod_http_settings *settings, CURL *easy,
                                  struct lod_http_request *request,
                                  struct curl_slist **ret_headers);

/* Checks the answer by the rules of the request's method. Returns RIGHT or the kind of error. */
enum lod_http_verdict lod_http_request_judge(const struct lod_http_request *request);

#endif
