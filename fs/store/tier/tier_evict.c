/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the tier finds slices that may be evicted; writers evict them one by one, with the
 * lock of the space. The lists of other mounts are read again each time, since they may have
 * changed.
 */
#include "tier/tier_evict.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tier/tier_state.h"

#define SEARCH_BELOW_BYTES (64u << 20) /* with less free space, search for slices to evict */
#define CHECK_NS           (30 * LOD_SECOND_NS) /* between two searches without a list */

/* ------------------------------------------------------------------------------ what is listed */

/* Returns whether a record is listed, and its list may take space for it. The lock is held. */
static bool is_claimed_locked(const struct lod_tier_eviction *eviction, uint64_t key)
{
    const struct lod_listed *at = lod_tier_keys_find(&eviction->listed, key);

    return at && at->bytes > eviction->announced.count - eviction->claims.count;
}

static bool is_claimed(struct lod_tier *tier, uint64_t key)
{
    pthread_mutex_lock(&tier->lock);
    const bool is = is_claimed_locked(&tier->eviction, key);
    pthread_mutex_unlock(&tier->lock);
    return is;
}

static bool is_listed(struct lod_tier *tier, uint64_t key)
{
    pthread_mutex_lock(&tier->lock);
    const bool is = lod_tier_keys_has(&tier->eviction.listed, key);
    pthread_mutex_unlock(&tier->lock);
    return is;
}

static int copy_keys(const struct lod_listed *from, size_t count, struct lod_tier_keys *ret_keys)
{
    struct lod_listed *at = malloc(count * sizeof(*at) + 1);

    if (!at) {
        return -ENOMEM;
    }
    if (count) {
        memcpy(at, from, count * sizeof(*at));
    }
    *ret_keys = (struct lod_tier_keys){.at = at, .count = count};
    return 0;
}

/* Returns the former keys that are not listed any more. The lock is held. */
static void note_unlisted(struct lod_tier_eviction *eviction, const struct lod_tier_keys *before)
{
    int error = 0;

    for (size_t i = 0; !error && i < before->count; i++) {
        if (!lod_tier_keys_has(&eviction->listed, before->at[i].key)) {
            /* without memory for this, it is only evicted later */
            error = LOD_LIST_ADD(&eviction->unlisted, before->at[i]);
        }
    }
}

static bool are_same(const struct lod_tier_keys *a, const struct lod_tier_keys *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count * sizeof(*a->at)));
}

/* Exchanges the keys for new ones. All count as claimed until the thread has claimed. The lock is
 * held. */
static void replace(struct lod_tier_eviction *eviction, struct lod_tier_keys *announced,
                    struct lod_tier_keys *listed)
{
    const struct lod_tier_keys announced_before = eviction->announced, before = eviction->listed;

    eviction->announced = *announced;
    eviction->listed = *listed;
    eviction->claims.count = announced->count;
    note_unlisted(eviction, &before);
    *announced = announced_before;
    *listed = before;
}

void lod_tier_list(struct lod_tier *tier, const struct lod_listed *objects, size_t count)
{
    struct lod_tier_keys announced = {0}, listed = {0};

    if (copy_keys(objects, count, &announced) || copy_keys(objects, count, &listed)) {
        free(announced.at);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        listed.at[i].bytes = count - i;
    }
    lod_tier_keys_sort(&listed);
    pthread_mutex_lock(&tier->lock);
    if (!are_same(&tier->eviction.announced, &announced)) {
        replace(&tier->eviction, &announced, &listed);
        lod_tier_wake(tier);
    }
    pthread_mutex_unlock(&tier->lock);
    free(announced.at);
    free(listed.at);
}

uint64_t lod_tier_space_for(struct lod_tier *tier, uint64_t key)
{
    pthread_mutex_lock(&tier->lock);
    const uint64_t bytes =
        is_claimed_locked(&tier->eviction, key) ? tier->eviction.victims.bytes : 0;
    pthread_mutex_unlock(&tier->lock);
    return lod_tier_space_room(&tier->space) + bytes;
}

/* ------------------------------------------------------------------------------ giving up */

/* Lets the thread search for slices, if the last search was some time ago. The lock is held. */
static void search_again(struct lod_tier *tier)
{
    if (lod_clock_ns() - tier->eviction.searched_ns > CHECK_NS) {
        tier->eviction.searched_ns = lod_clock_ns();
        lod_tier_wake(tier);
    }
}

/* The thread has created the file of this mount's lists already. */
static bool has_victims(struct lod_tier *tier)
{
    pthread_mutex_lock(&tier->lock);
    const bool has = tier->eviction.victims.next < tier->eviction.victims.count;
    if (!has) {
        search_again(tier);
    }
    pthread_mutex_unlock(&tier->lock);
    return has;
}

/* Returns the next slice of a record that no list claims. If there is none, the thread searches for
 * some. */
static bool next_victim(struct lod_tier *tier, const struct lod_tier_keys *others,
                        struct lod_tier_slice *ret_slice)
{
    struct lod_tier_eviction *eviction = &tier->eviction;
    bool found;

    pthread_mutex_lock(&tier->lock);
    do {
        found = lod_tier_victims_take(&eviction->victims, ret_slice);
    } while (found && (is_claimed_locked(eviction, ret_slice->key) ||
                       lod_tier_keys_has(others, ret_slice->key)));
    if (!found) {
        search_again(tier);
    }
    pthread_mutex_unlock(&tier->lock);
    return found;
}

void lod_tier_evict_for(struct lod_tier *tier, uint64_t key, uint64_t bytes)
{
    struct lod_tier_keys others = {0};
    struct lod_tier_slice slice;
    uint64_t gone = 0, given = 0;

    if (!is_claimed(tier, key) || !has_victims(tier) ||
        lod_tier_lists_others(&tier->eviction.lists, &others)) {
        return;
    }
    while (given < bytes && lod_tier_space_room(&tier->space) < bytes &&
           next_victim(tier, &others, &slice)) {
        if (!lod_tier_slice_evict_first(tier->dir_fd, &slice, &gone)) {
            lod_tier_space_release(&tier->space, lod_tier_space_of(gone));
            given += gone;
        }
    }
    atomic_fetch_add(&tier->evicted_bytes, given);
    free(others.at);
}

/* ------------------------------------------------------------------------------ the thread */

/* The slices of the keys go before all others. They may be listed again meanwhile. */
static void mark_unused(struct lod_tier *tier, const struct lod_tier_keys *unlisted)
{
    for (size_t i = 0; i < unlisted->count && !lod_tier_is_over(tier); i++) {
        for (uint64_t n = 0; !is_listed(tier, unlisted->at[i].key) &&
                             lod_tier_slice_bytes(tier->store_fd, unlisted->at[i].key, n);
             n++) {
            lod_tier_slice_unused(tier->store_fd, unlisted->at[i].key, n);
        }
    }
}

struct search {
    struct lod_tier *tier;
    const struct lod_tier_keys *claimed, *others; /* when it began */
    struct lod_tier_victims victims;
};

/* Visits one slice. A record that is dropped from a list during this walk is considered in the next
 * walk, which marks such records before it begins. */
static int visit_slice(void *ctx, const struct lod_tier_slice *slice)
{
    struct search *search = ctx;

    if (lod_tier_is_over(search->tier)) {
        return -EINTR;
    }
    return lod_tier_keys_has(search->claimed, slice->key) || is_claimed(search->tier, slice->key) ||
                   lod_tier_keys_has(search->others, slice->key)
               ? 0
               : lod_tier_victims_add(&search->victims, slice);
}

static void find_victims(struct lod_tier *tier, const struct lod_tier_keys *claimed,
                         const struct lod_tier_keys *others)
{
    struct search search = {.tier = tier, .claimed = claimed, .others = others};

    if (lod_tier_files_each(tier->dir_fd, visit_slice, &search)) {
        lod_tier_victims_finish(&search.victims);
        return;
    }
    lod_tier_victims_sort(&search.victims);
    pthread_mutex_lock(&tier->lock);
    struct lod_tier_victims before = tier->eviction.victims;
    tier->eviction.victims = search.victims;
    tier->eviction.searched_ns = lod_clock_ns();
    pthread_mutex_unlock(&tier->lock);
    lod_tier_victims_finish(&before);
}

void lod_tier_eviction_update(struct lod_tier *tier)
{
    struct lod_tier_keys announced = {0}, others = {0}, unlisted;

    pthread_mutex_lock(&tier->lock);
    int error = copy_keys(tier->eviction.announced.at, tier->eviction.announced.count, &announced);
    unlisted = tier->eviction.unlisted;
    tier->eviction.unlisted = (struct lod_tier_keys){0};
    pthread_mutex_unlock(&tier->lock);
    error = error ? error : lod_tier_claim(tier, &announced, &others);
    mark_unused(tier, &unlisted);
    if (!error && announced.count && lod_tier_space_room(&tier->space) < SEARCH_BELOW_BYTES) {
        lod_tier_keys_sort(&announced);
        find_victims(tier, &announced, &others);
    }
    free(announced.at);
    free(others.at);
    free(unlisted.at);
}

void lod_tier_eviction_init(struct lod_tier_eviction *eviction, int tier_fd)
{
    *eviction = (struct lod_tier_eviction){0};
    lod_tier_lists_init(&eviction->lists, tier_fd);
}

void lod_tier_eviction_finish(struct lod_tier_eviction *eviction)
{
    lod_tier_lists_finish(&eviction->lists);
    lod_tier_victims_finish(&eviction->victims);
    free(eviction->announced.at);
    free(eviction->listed.at);
    free(eviction->unlisted.at);
}
