/* SPDX-License-Identifier: Apache-2.0 */
/* One request to an HTTP server, and its answer. */
#ifndef LOD_HTTP_REQUEST_H
#define LOD_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/http_answer.h"

/* The settings of all requests to a store. Strings are borrowed. */
struct lod_http_settings {
    const char *ca_file;    /* NULL: the system's certificates */
    const char *netrc_file; /* users and passwords by host; NULL: none */
    bool redirects;         /* redirects are followed, up to four, and never from https to http */
    bool https;             /* the URL has this scheme */
    bool direct;            /* the server is near: use no proxy, and connect within a second */
};

/* Keys of S3 for one request (AWS Signature Version 4). */
struct lod_http_keys {
    char provider[96]; /* "aws:amz:REGION:s3"; empty: requests are not signed */
    char id[129], secret[257];
    char token[4096]; /* empty: none */
};

enum lod_http_method {
    LOD_HTTP_RANGE, /* GET of a range of an object; the answer must be exactly that range */
    LOD_HTTP_GET,   /* GET of a whole, small document */
    LOD_HTTP_HEAD,  /* the facts of an object */
    LOD_HTTP_PUT,   /* these two send a body, which may be empty */
    LOD_HTTP_POST,
    LOD_HTTP_DELETE,
};

/* The body of a request. It is read again if a connection breaks, so it must not change. */
struct lod_http_body {
    uint64_t bytes;
    const char *sha256; /* in hexadecimal; NULL: not signed */
    /* Reads `bytes` bytes at `offset`. Returns 0, or a negative errno, which ends the request. */
    int (*read)(void *ctx, uint64_t offset, void *into, size_t bytes);
    void *ctx;
};

/* The caller sets the fields up to `room`. All of it must stay valid until `over` is true. */
struct lod_http_request {
    const char *url;
    enum lod_http_method method;
    struct lod_http_range range;      /* for LOD_HTTP_RANGE */
    const struct lod_http_keys *keys; /* NULL: not signed */
    const char *const *headers;       /* further header lines, ended by NULL; may be NULL */
    const struct lod_http_body *body; /* NULL: none */
    uint8_t *into;                    /* memory for the range, or `room` bytes */
    size_t room; /* size of `into` for a document; a longer document is an error */

    bool over;
    int error;        /* 0: the server answered; else an error listed at lod_http_lane_wait */
    bool certificate; /* with an error: TLS did not accept the server */
    struct lod_http_answer answer;
    enum lod_http_verdict verdict; /* of `answer`; RIGHT: bytes are in `into` */
    size_t got;                    /* how many bytes are in `into` */
    uint64_t put;                  /* bytes of the body that were sent */
    int put_error;                 /* of the body's `read` */
    uint64_t began_ns, sent_ns;    /* 0: still connecting */
    uint64_t first_ns;             /* when the first byte arrived; 0: not yet */
    bool connected;                /* a new connection was opened for it */
    char why[384];                 /* of a transport's error, and what to do */
    char text[LOD_HTTP_ERROR_MAX]; /* the body of an error's answer */
    size_t text_bytes;
    unsigned place; /* its index in the lane */
};

#endif
