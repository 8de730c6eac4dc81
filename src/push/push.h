/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a store from its folder to S3. Records and index are created first, the manifest last: it
 * is the commit. No object is ever replaced, so readers of the same key see no store or a whole
 * one, whatever else writes there. An interrupted push is continued by the next one. A push of a
 * part does not create the manifest; the last push does, after checking all objects again.
 */
#ifndef LOD_PUSH_H
#define LOD_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/store_settings.h"
#include "backend/why.h"
#include "compiler.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"

struct lod_push {
    const char *store, *url;
    const struct lod_store_settings *settings; /* of the URL */
    unsigned threads;
    uint64_t request_bytes; /* of objects sent in many requests: see lod_upload_open */
    uint32_t part,
        parts;      /* send part 1 .. parts of records and index; 0, 0: all and the manifest */
    bool look_only; /* sends nothing */
    struct lod_progress *progress;
    struct lod_cancel *cancel;
};

struct lod_push_counts {
    uint64_t sent, sent_bytes; /* objects; with look_only those that would be sent */
    uint64_t there;            /* that lay there before */
};

/*
 * -ENOENT: no store in the folder. -EEXIST: the key holds something else. -EINVAL: no URL of S3, or
 * unusable options. -EBADMSG: the folder's store is damaged. -EINTR. Others as of
 * lod_upload_create. `why` gets a sentence, whose names are not escaped.
 */
LOD_MUST_CHECK int lod_push_run(const struct lod_push *push, struct lod_push_counts *ret_counts,
                                struct lod_why *why);

#endif
