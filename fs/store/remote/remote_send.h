/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request other than the read of a range, repeated where that may help. It is used to write a
 * store, so it has no deadline while bytes are transferred.
 */
#ifndef LOD_REMOTE_SEND_H
#define LOD_REMOTE_SEND_H

#include "remote/remote.h"

struct lod_remote_errand {
    const char *name;  /* of the object, below the store's folder; also in messages */
    const char *query; /* after a '?'; NULL: none */
    bool of_bucket;    /* the URL is the bucket's */
    enum lod_http_method method;
    const struct lod_http_body *body;
    const char *const *headers; /* up to a NULL; may be NULL */
    uint8_t *into;              /* room for the answer's document; may be NULL */
    size_t room;
    /* Results. */
    struct lod_http_answer answer;
    enum lod_http_verdict verdict;
    size_t got;
    char why[LOD_REMOTE_TROUBLE]; /* after an error */
};

/*
 * 0: the answer is 200, 201 or 204. -ENOENT, -ESTALE (a condition does not hold) and others as of
 * lod_remote_read. Errors of the body's `read` are passed on.
 */
LOD_MUST_CHECK int lod_remote_send(struct lod_remote *remote, struct lod_remote_errand *errand);

#endif
