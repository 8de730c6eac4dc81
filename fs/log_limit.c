/* SPDX-License-Identifier: Apache-2.0 */
/* See log_limit.h. The table is searched linearly, since it is used only after errors. */
#include "log_limit.h"

void lod_log_limit_init(struct lod_log_limit *limit)
{
    *limit = (struct lod_log_limit){.left_out = 0};
    pthread_mutex_init(&limit->lock, NULL);
}

void lod_log_limit_finish(struct lod_log_limit *limit)
{
    pthread_mutex_destroy(&limit->lock);
}

/* Returns the entry of this object and kind, or else the one with the oldest line. */
static unsigned place_of(const struct lod_log_limit *limit, uint64_t object, uint64_t kind)
{
    unsigned oldest = 0;

    for (unsigned i = 0; i < LOD_LOG_LIMIT_OBJECTS; i++) {
        if (limit->lines[i].from_ns && limit->lines[i].object == object &&
            limit->lines[i].kind == kind) {
            return i;
        }
        oldest = limit->lines[i].from_ns < limit->lines[oldest].from_ns ? i : oldest;
    }
    return oldest;
}

bool lod_log_limit_pass(struct lod_log_limit *limit, uint64_t object, uint64_t kind,
                        uint64_t now_ns, uint64_t *ret_left_out)
{
    pthread_mutex_lock(&limit->lock);
    unsigned place = place_of(limit, object, kind);
    uint64_t from_ns = limit->lines[place].from_ns;
    bool passes = from_ns == 0 || now_ns - from_ns >= LOD_LOG_LIMIT_NS;
    if (passes) {
        limit->lines[place].object = object;
        limit->lines[place].kind = kind;
        limit->lines[place].from_ns = now_ns;
        *ret_left_out = limit->left_out;
    }
    limit->left_out = passes ? 0 : limit->left_out + 1;
    pthread_mutex_unlock(&limit->lock);
    return passes;
}

uint64_t lod_log_limit_left_out(struct lod_log_limit *limit)
{
    pthread_mutex_lock(&limit->lock);
    uint64_t left_out = limit->left_out;
    limit->left_out = 0;
    pthread_mutex_unlock(&limit->lock);
    return left_out;
}
