/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends one request other than the read of a range, and retries it. It is used to write a store, so
 * it has no deadline while bytes are transferred.
 */
#ifndef LOD_REMOTE_SEND_H
#define LOD_REMOTE_SEND_H

#include "remote/remote.h"

/* Bytes of a query, NUL included: room for a key whose every byte is encoded. */
#define LOD_REMOTE_QUERY_BYTES (3 * LOD_URL_BYTES + 64)

/* A request and its answer. */
struct lod_remote_exchange {
    const char *name;  /* of the object, below the store's folder; also in messages */
    const char *query; /* of LOD_REMOTE_QUERY_BYTES at most; NULL: none */
    bool of_bucket;    /* the request is for the bucket, not for an object */
    enum lod_http_method method;
    const struct lod_http_body *body;
    const char *const *headers; /* further header lines, ended by NULL; may be NULL */
    uint8_t *into;              /* room for the answer's document; may be NULL */
    size_t room;
    /* Results. */
    struct lod_http_answer answer;
    enum lod_http_verdict verdict;
    size_t got;
    char why[LOD_REMOTE_ERROR_BYTES]; /* after an error */
};

/*
 * Returns 0 if the answer is 200, 201 or 204. Returns -ESTALE if a condition such as If-None-Match
 * does not hold, an error of the body's `read`, or an error of lod_remote_read.
 */
LOD_MUST_CHECK int lod_remote_send(struct lod_remote *remote, struct lod_remote_exchange *exchange);

#endif
