/* SPDX-License-Identifier: Apache-2.0 */
/* The back end: objects with a known key are looked up in the tier first; see tier.h. */
#include "tier/tier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/format.h"
#include "clock.h"
#include "tier/tier_files.h"
#include "tier/tier_folder.h"
#include "tier/tier_state.h"

struct tier_object {
    struct lod_tier *tier;
    struct lod_object *inner;
    uint64_t key; /* 0: not kept */
};

static void destroy(struct lod_tier *tier)
{
    lod_tier_eviction_finish(&tier->eviction);
    lod_tier_space_finish(&tier->space);
    lod_tier_health_finish(&tier->health);
    pthread_cond_destroy(&tier->change);
    pthread_mutex_destroy(&tier->lock);
    close(tier->store_fd);
    close(tier->dir_fd);
    free(tier->folder);
    free(tier);
}

static void tier_close(void *state)
{
    struct lod_tier *tier = state;

    lod_tier_sum_end(tier);
    destroy(tier);
}

static int tier_object_open(void *state, const char *name, const struct lod_object_facts *facts,
                            void **ret_object, uint64_t *ret_bytes)
{
    struct tier_object *object = calloc(1, sizeof(*object));

    if (!object) {
        return -ENOMEM;
    }
    object->tier = state;
    object->key = facts ? facts->key : 0;
    int error = lod_object_open_known(object->tier->inner, name, facts, &object->inner);
    if (error) {
        free(object);
        return error;
    }
    *ret_bytes = lod_object_bytes(object->inner);
    *ret_object = object;
    return 0;
}

static void tier_object_close(void *state)
{
    struct tier_object *object = state;

    lod_object_close(object->inner);
    free(object);
}

static void count(struct lod_tier *tier, bool hit)
{
    atomic_fetch_add_explicit(hit ? &tier->hits : &tier->misses, 1, memory_order_relaxed);
}

/* Returns whether all of the range came from the tier. */
static bool read_copy(struct tier_object *object, struct lod_range *range)
{
    const bool hit = object->key && lod_tier_read(object->tier, object->key, range->offset,
                                                  range->into, range->bytes, false) == range->bytes;

    if (object->key) {
        count(object->tier, hit);
    }
    range->error = hit ? 0 : -EAGAIN;
    return hit;
}

/* The store is asked for runs of ranges that the tier lacks. */
static void tier_object_read(void *state, struct lod_range *ranges, unsigned count,
                             enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct tier_object *object = state;
    uint64_t copied = 0;

    for (unsigned i = 0; i < count; i++) {
        copied += read_copy(object, &ranges[i]) ? ranges[i].bytes : 0;
    }
    for (unsigned first = 0, end; first < count; first = end) {
        end = first + 1;
        if (ranges[first].error) {
            while (end < count && ranges[end].error) {
                end++;
            }
            const int error =
                lod_object_read(object->inner, &ranges[first], end - first, class, ret_time);
            (void)error; /* each range has its own */
        }
    }
    ret_time->ns = copied ? 0 : ret_time->ns; /* 0: the caller uses the time of the whole call */
    ret_time->copied_bytes = copied;
}

static int tier_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                            enum lod_read_class class, unsigned parts,
                            struct lod_read_time *ret_time)
{
    struct tier_object *object = state;
    size_t copied = 0;
    int error = 0;

    if (object->key) {
        const uint64_t end = lod_tier_copied(object->tier, object->key, offset, offset + bytes);
        const size_t there = (size_t)(end - offset);
        const size_t whole = there == bytes ? bytes : there - there % LOD_LOAD_ALIGN;
        copied =
            whole && lod_tier_read(object->tier, object->key, offset, into, whole, true) == whole
                ? whole
                : 0;
        count(object->tier, copied == bytes);
    }
    if (copied < bytes) {
        error = lod_object_load(object->inner, offset + copied, (uint8_t *)into + copied,
                                lod_load_whole(bytes - copied), class, parts, ret_time);
        ret_time->ns = copied ? 0 : ret_time->ns;
    }
    ret_time->copied_bytes = copied;
    return error;
}

static uint64_t tier_object_copied(void *state, uint64_t from, uint64_t to)
{
    struct tier_object *object = state;

    return object->key ? lod_tier_copied(object->tier, object->key, from, to) : from;
}

/* Whole blocks, so that the file can be read past the page cache; the last one ends the object. */
static void tier_object_offer(void *state, uint64_t offset, const void *from, size_t bytes)
{
    struct tier_object *object = state;
    const uint64_t end = offset + bytes;
    const size_t rest = end == lod_object_bytes(object->inner) ? 0 : end % LOD_LOAD_ALIGN;

    if (object->key && rest < bytes) {
        lod_tier_write(object->tier, object->key, offset, from, bytes - rest);
    }
}

static bool tier_object_report_wrong(void *state, uint64_t offset, size_t bytes)
{
    struct tier_object *object = state;

    return (object->key && lod_tier_report_wrong(object->tier, object->key, offset, bytes)) ||
           lod_object_report_wrong(object->inner, offset, bytes);
}

static bool tier_copies(const void *state, uint64_t key, uint64_t *ret_room)
{
    struct lod_tier *tier = (struct lod_tier *)(uintptr_t)state;
    const uint64_t now = lod_clock_ns();
    const bool writes =
        !lod_tier_health_is_bad(&tier->health, now) && !lod_tier_space_is_full(&tier->space, now);

    *ret_room = writes ? lod_tier_space_for(tier, key) : 0;
    return true;
}

static void tier_listed(void *state, const struct lod_listed *objects, size_t count)
{
    lod_tier_list(state, objects, count);
}

static void tier_stats(void *state, struct lod_store_stats *ret_stats)
{
    struct lod_tier *tier = state;
    const struct lod_tier_now now = lod_tier_look(tier);

    lod_store_stats(tier->inner, ret_stats);
    ret_stats->tier = (struct lod_tier_stats){
        .state = now.state,
        .lists_bytes = lod_tier_lists_room(tier, lod_tier_lists_limit(tier, &now)),
        .bytes = now.used,
        .bytes_max = tier->space.bytes_max,
        .hits = atomic_load(&tier->hits),
        .misses = atomic_load(&tier->misses),
        .read_bytes = atomic_load(&tier->read_bytes),
        .written_bytes = atomic_load(&tier->written_bytes),
        .evicted_bytes = atomic_load(&tier->evicted_bytes),
        .errors = atomic_load(&tier->errors),
    };
}

static const struct lod_store_backend backend = {
    .name = "tier",
    .close = tier_close,
    .object_open = tier_object_open,
    .object_close = tier_object_close,
    .object_read = tier_object_read,
    .object_load = tier_object_load,
    .object_copied = tier_object_copied,
    .object_offer = tier_object_offer,
    .object_report_wrong = tier_object_report_wrong,
    .copies = tier_copies,
    .listed = tier_listed,
    .stats = tier_stats,
};

/* ---------------------------------------------------------------------------------- creation */

/* Opens the files of a tier, whose folder is open. */
static int open_files(struct lod_tier *tier, const struct lod_tier_settings *settings,
                      struct lod_id store_id)
{
    int error = lod_tier_files_open(tier->dir_fd, store_id, &tier->store_fd);

    if (error) {
        return error;
    }
    error = lod_tier_space_init(&tier->space, tier->dir_fd, settings->bytes_max,
                                settings->free_percent);
    if (error) {
        close(tier->store_fd);
    }
    return error;
}

static int create(const struct lod_tier_settings *settings, struct lod_id store_id,
                  struct lod_store *inner, int dir_fd, struct lod_store **ret_store)
{
    struct lod_tier *tier = calloc(1, sizeof(*tier));
    char *folder = strdup(settings->folder);
    int error = tier && folder ? 0 : -ENOMEM;

    if (!error) {
        tier->dir_fd = dir_fd;
        error = open_files(tier, settings, store_id);
    }
    if (error) {
        free(folder);
        free(tier);
        close(dir_fd);
        return error;
    }
    tier->folder = folder;
    tier->log_line = settings->log_line;
    pthread_mutex_init(&tier->lock, NULL);
    lod_clock_cond_init(&tier->change);
    lod_tier_health_init(&tier->health);
    lod_tier_eviction_init(&tier->eviction, dir_fd);
    tier->inner = inner;
    error = lod_tier_sum_start(tier);
    if (error) {
        destroy(tier);
        return error;
    }
    error = lod_store_wrap(&backend, tier, inner, ret_store);
    if (error) {
        lod_tier_sum_end(tier);
        destroy(tier);
    }
    return error;
}

static const char *advice_of(int error)
{
    return error == -ENOSPC || error == -EDQUOT ? "free some space there, or name another folder"
           : error == -ELOOP || error == -EINVAL || error == -EISDIR || error == -ENOTDIR
               ? "remove what lies in place of its file 'used' or of the store's folder, or name "
                 "another folder"
               : "name another folder";
}

int lod_tier_create(const struct lod_tier_settings *settings, struct lod_id store_id,
                    struct lod_store *inner, struct lod_store **ret_store, struct lod_why *why)
{
    int dir_fd = -1, error = lod_tier_folder_open(settings->folder, &dir_fd, why);

    if (error) {
        return error == -ENOENT ? -ENOTDIR : error;
    }
    error = create(settings, store_id, inner, dir_fd, ret_store);
    if (error) {
        return lod_refuse(why, error, "-o tier_dir=%s: it cannot be used (%s): %s",
                          settings->folder, strerrordesc_np(-error), advice_of(error));
    }
    return 0;
}
