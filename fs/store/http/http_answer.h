/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the answer to one request for a range, header line by header line, and classifies it (RFC
 * 9110, 14.4 and 15). Pure: no I/O and no clock. Lines come from an untrusted server.
 */
#ifndef LOD_HTTP_ANSWER_H
#define LOD_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOD_HTTP_HEADERS_MAX (64u << 10) /* bytes of all header lines of an answer */
#define LOD_HTTP_ETAG_MAX    127u
#define LOD_HTTP_WORD_MAX    63u
#define LOD_HTTP_ERROR_MAX   (4u << 10) /* bytes that are read of the body of an error */

/* All zero: nothing was received yet. */
struct lod_http_answer {
    unsigned status;
    size_t header_bytes;
    bool has_range, has_length;
    uint64_t first, last, total; /* of Content-Range */
    uint64_t length;             /* of Content-Length */
    bool encoded;                /* by a Content-Encoding */
    uint32_t retry_after_s;
    char etag[LOD_HTTP_ETAG_MAX + 1];         /* a strong one; else empty */
    char region[LOD_HTTP_WORD_MAX + 1];       /* of x-amz-bucket-region */
    char content_hash[LOD_HTTP_WORD_MAX + 1]; /* of x-amz-meta-lodfs */
    char code[LOD_HTTP_WORD_MAX + 1];         /* the <Code> of S3's error document */
};

/* The range of an object that a request names. */
struct lod_http_range {
    uint64_t first, last;
    uint64_t total;   /* bytes of the object; 0: not known */
    const char *etag; /* ETag of the object in an earlier answer; empty: not known */
};

enum lod_http_verdict {
    LOD_HTTP_RIGHT,     /* the requested bytes follow */
    LOD_HTTP_BROKEN,    /* malformed, by a mistake of a server or proxy: a retry may help */
    LOD_HTTP_BUSY,      /* a later retry helps: 408, 429, 5xx but 501 */
    LOD_HTTP_SLOW_DOWN, /* the same, and the server wants fewer requests */
    LOD_HTTP_MISSING,   /* 404, 410 */
    LOD_HTTP_CHANGED,   /* the object was replaced by another one */
    LOD_HTTP_EXPIRED,   /* newer keys may help */
    LOD_HTTP_DENIED,    /* 401, 403 */
    LOD_HTTP_MOVED,     /* the bucket is in another region; or a redirect that is not followed */
    LOD_HTTP_NO_RANGES, /* the server sends whole files only */
    LOD_HTTP_REFUSED,   /* any other answer */
};

/* Takes one header line, with or without its line end. A status line begins a new answer, as after
 * a redirect. Returns false if there are more header lines than LOD_HTTP_HEADERS_MAX. */
bool lod_http_answer_line(struct lod_http_answer *answer, const char *line, size_t bytes);

/* Takes the first bytes of the body of an error. */
void lod_http_answer_body(struct lod_http_answer *answer, const char *body, size_t bytes);

enum lod_http_verdict lod_http_answer_judge(const struct lod_http_answer *answer,
                                            const struct lod_http_range *range);

/* The same for a request that names no range: 200, 201 and 204 are RIGHT. */
enum lod_http_verdict lod_http_answer_judge_whole(const struct lod_http_answer *answer);

/* "HTTP 403 AccessDenied: the keys may not read it". NUL-terminated, cut at `room`. */
void lod_http_answer_text(const struct lod_http_answer *answer, enum lod_http_verdict verdict,
                          char *text, size_t room);

#endif
