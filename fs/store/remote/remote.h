/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the back ends http:// and s3://. It owns the connections, the limit of
 * requests in flight, the budget of retries and the last error. remote_read.h sends requests,
 * remote_object.h has the objects of the back end.
 */
#ifndef LOD_REMOTE_H
#define LOD_REMOTE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/store.h"
#include "backend/why.h"
#include "compiler.h"
#include "http/http_lane.h"
#include "http/http_hedge.h"
#include "http/http_retry.h"
#include "http/url.h"
#include "keys/s3_wait.h"

#define LOD_REMOTE_WRONG_RANGES 64u
#define LOD_REMOTE_ERROR_BYTES  400

/* The place of the store, and the keys of its user. A row of the back-end table fills it. */
struct lod_remote_site {
    char base[LOD_URL_BYTES]; /* the URL of the store's folder, without a slash at its end */
    size_t bucket_bytes;      /* S3: the length of the bucket's URL, which `base` begins with */
    struct lod_http_keys keys;
    struct lod_http_settings http;
    char *ca_file, *netrc_file; /* owned; those of `settings` */
    void *ctx;                  /* owned; freed by `finish` */
    uint64_t renew_ns;          /* when the keys are read again; 0: never */
    /* If the answer says that the bucket is in another region, changes base and keys to that region
     * and returns true. The lock of the store is held. */
    bool (*move)(struct lod_remote_site *site, const struct lod_http_answer *answer);
    /* Reads the keys again: sets all of `ret_keys` except the provider. It may take seconds, so no
     * lock is held. It may use only those fields of `ctx` that never change. NULL: there are no
     * keys. */
    int (*renew)(void *ctx, const struct lod_s3_wait *wait, struct lod_http_keys *ret_keys,
                 uint64_t *ret_renew_ns, struct lod_why *why);
    void (*finish)(void *ctx);
};

struct lod_remote_lane {
    struct lod_http_lane *lane;
    struct lod_remote_lane *next; /* in the list of idle or of busy lanes */
    unsigned generation;
};

struct lod_remote {
    unsigned connections;
    atomic_bool stopped;
    bool (*is_over)(void *ctx); /* see struct lod_store_settings; may be NULL */
    void *over_ctx;
    pthread_mutex_t renewing; /* held while keys are read; taken before `lock` */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t freed; /* some requests have ended */
    struct lod_remote_site site;
    unsigned keys_count;    /* how often the keys were read, so it identifies the present ones */
    uint64_t keys_tried_ns; /* when reading them was last tried */
    unsigned in_flight;
    struct lod_remote_lane *idle, *busy;
    unsigned generation; /* of connections; connections of an earlier generation are closed */
    struct lod_retry_budget budget;
    bool answered; /* the server has answered correctly at least once */
    bool failing;  /* a request failed after its last retry, and none has succeeded since */
    uint64_t latency_ns;
    struct lod_hedge hedge;                         /* when a request is late, and recent hedges */
    uint64_t wrong_ranges[LOD_REMOTE_WRONG_RANGES]; /* a ring: hashes of the ranges that were
                                                       reported wrong */
    unsigned wrong_count;
    uint32_t random;
    struct lod_store_stats stats;
    uint64_t last_error_ns; /* 0: none */
    char last_error[LOD_REMOTE_ERROR_BYTES];
};

/*
 * Ends the `open` of a back end: makes the state from the site, and takes ownership of the site,
 * also on error. `error` is the result of filling in the site. `settings` may be NULL. Returns
 * `error`, -ENOMEM, or -ENOSYS without libcurl.
 */
LOD_MUST_CHECK int lod_remote_open(struct lod_remote_site *site, int error,
                                   const struct lod_store_settings *settings, void **ret_state,
                                   struct lod_why *why);

/*
 * Blocks until at least one request may be sent. Returns how many may be sent, at most `want`, and
 * the lane for them. Returns -EINTR if the store was stopped, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_remote_begin(struct lod_remote *remote, unsigned want,
                                    struct lod_remote_lane **ret_lane);
/* Returns whether a hedge may be sent (http_hedge.h). If so, reserves a place for it, which
 * lod_remote_end returns together with the others. */
bool lod_remote_begin_hedge(struct lod_remote *remote);
/* Records that a request for a range was sent. */
void lod_remote_note_sent(struct lod_remote *remote, bool is_hedge);
/* Returns whether the store was stopped, or the program that opened it asks to stop. */
bool lod_remote_is_over(struct lod_remote *remote);

void lod_remote_end(struct lod_remote *remote, struct lod_remote_lane *lane, unsigned granted);

/*
 * Reads the keys again after a server called those of `keys_count` expired, unless another thread
 * has done so. Returns whether there are new ones. Blocks while another thread reads them.
 */
bool lod_remote_renew(struct lod_remote *remote, unsigned keys_count);
/* Reads the keys again if their time has come. One thread does; the others continue with the old
 * keys. */
void lod_remote_renew_early(struct lod_remote *remote);

/* Sets the last error, such as "records/000001.pcr: HTTP 503: ..". */
void lod_remote_note_error(struct lod_remote *remote, const char *name, const char *text);

/* Members of the back-end table, whose state is a struct lod_remote. */
void lod_remote_close(void *state);
void lod_remote_stop(void *state);
bool lod_remote_last_error(void *state, char *text, size_t room);
void lod_remote_stats(void *state, struct lod_store_stats *ret_stats);
bool lod_remote_is_far(const void *state);
unsigned lod_remote_loads(const void *state);
unsigned lod_remote_ranges(const void *state);

/* The members of a row that do not depend on the site. */
#define LOD_REMOTE_MEMBERS                                                                         \
    .close = lod_remote_close, .object_open = lod_remote_object_open,                              \
    .object_close = lod_remote_object_close, .object_read = lod_remote_object_read,                \
    .object_load = lod_remote_object_load, .object_report_wrong = lod_remote_object_report_wrong,  \
    .loads = lod_remote_loads, .ranges = lod_remote_ranges, .is_far = lod_remote_is_far,           \
    .stop = lod_remote_stop, .last_error = lod_remote_last_error, .stats = lod_remote_stats

#endif
