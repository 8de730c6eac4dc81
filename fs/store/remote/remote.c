/* SPDX-License-Identifier: Apache-2.0 */
/* See remote.h. */
#include "remote/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

/* In flight: a single one uses only half of a line of 1 Gbit/s with a latency of 20 ms. */
#define LOADS          4u
#define LAST_ERROR_NS  (60 * LOD_SECOND_NS)
#define RENEW_NS       (10 * LOD_SECOND_NS) /* shortest time between two readings of the keys */
#define RENEW_LATER_NS (60 * LOD_SECOND_NS) /* the same after a reading that failed */

static void finish_site(struct lod_remote_site *site)
{
    if (site->finish) {
        site->finish(site->ctx);
    }
    free(site->ca_file);
    free(site->netrc_file);
    explicit_bzero(site, sizeof(*site));
}

static int try_lane(const struct lod_http_settings *settings, struct lod_why *why)
{
    struct lod_http_lane *lane = NULL;
    int error = lod_http_lane_create(settings, &lane);

    lod_http_lane_destroy(lane); /* it was created only to find out whether libcurl is there */
    if (error == -ENOSYS) {
        lod_refuse(why, error, "libcurl.so.4 cannot be opened; install libcurl4");
    }
    return error;
}

/* For an address without TLS, a file of certificates is checked only if the user named it. */
static int try_certificates(const struct lod_remote_site *site,
                            const struct lod_store_settings *settings, struct lod_why *why)
{
    const bool counts = site->ca_file && (site->http.https || (settings && settings->ca_file));
    struct stat st;

    if (!counts) {
        return 0;
    }
    int error = access(site->ca_file, R_OK) || stat(site->ca_file, &st) ? -errno
                : S_ISDIR(st.st_mode)                                   ? -EISDIR
                                                                        : 0;
    if (error) {
        lod_refuse(why, -EINVAL, "ca_file '%s' cannot be read (%s): name a file of certificates",
                   site->ca_file, strerrordesc_np(-error));
    }
    return error ? -EINVAL : 0;
}

int lod_remote_open(struct lod_remote_site *site, int error,
                    const struct lod_store_settings *settings, void **ret_state,
                    struct lod_why *why)
{
    struct lod_remote *remote = NULL;

    error = error ? error : try_certificates(site, settings, why);
    error = error ? error : try_lane(&site->http, why);
    if (error || !(remote = calloc(1, sizeof(*remote)))) {
        finish_site(site);
        return error ? error : -ENOMEM;
    }
    remote->site = *site;
    explicit_bzero(site, sizeof(*site));
    remote->connections =
        settings && settings->connections ? settings->connections : LOD_CONNECTIONS_DEFAULT;
    remote->is_over = settings ? settings->is_over : NULL;
    remote->over_ctx = settings ? settings->over_ctx : NULL;
    remote->random = (uint32_t)lod_clock_ns();
    pthread_mutex_init(&remote->renewing, NULL);
    pthread_mutex_init(&remote->lock, NULL);
    lod_clock_cond_init(&remote->freed);
    lod_retry_budget_init(&remote->budget, lod_clock_ns());
    *ret_state = remote;
    return 0;
}

static void destroy_lane(struct lod_remote_lane *lane)
{
    lod_http_lane_destroy(lane->lane);
    free(lane);
}

void lod_remote_close(void *state)
{
    struct lod_remote *remote = state;

    for (struct lod_remote_lane *lane; (lane = remote->idle);) {
        remote->idle = lane->next;
        destroy_lane(lane);
    }
    finish_site(&remote->site);
    pthread_cond_destroy(&remote->freed);
    pthread_mutex_destroy(&remote->lock);
    pthread_mutex_destroy(&remote->renewing);
    free(remote);
}

/* ---------------------------------------------------------------------------------- lanes */

/* The lock is held. Lanes with connections that delivered wrong bytes are moved to
 * a separate list. */
static struct lod_remote_lane *take_idle(struct lod_remote *remote, struct lod_remote_lane **old)
{
    struct lod_remote_lane *lane;

    while ((lane = remote->idle)) {
        remote->idle = lane->next;
        if (lane->generation == remote->generation) {
            break;
        }
        lane->next = *old;
        *old = lane;
    }
    return lane;
}

static struct lod_remote_lane *create_lane(struct lod_remote *remote, unsigned generation)
{
    struct lod_remote_lane *lane = calloc(1, sizeof(*lane));

    if (lane && lod_http_lane_create(&remote->site.http, &lane->lane)) {
        free(lane);
        return NULL;
    }
    if (lane) {
        lane->generation = generation;
    }
    return lane;
}

static void release(struct lod_remote *remote, unsigned granted)
{
    remote->in_flight -= granted;
    pthread_cond_broadcast(&remote->freed);
}

/* Counts the requests as in flight before the lane is found. */
static unsigned await_room(struct lod_remote *remote, unsigned want)
{
    unsigned granted = 0;

    while (remote->in_flight >= remote->connections && !atomic_load(&remote->stopped)) {
        pthread_cond_wait(&remote->freed, &remote->lock);
    }
    if (!atomic_load(&remote->stopped)) {
        const unsigned left = remote->connections - remote->in_flight;
        granted = want < left ? want : left;
        granted = granted < LOD_HTTP_LANE_MAX ? granted : LOD_HTTP_LANE_MAX;
        remote->in_flight += granted;
    }
    return granted;
}

int lod_remote_begin(struct lod_remote *remote, unsigned want, struct lod_remote_lane **ret_lane)
{
    struct lod_remote_lane *old = NULL, *lane = NULL;

    pthread_mutex_lock(&remote->lock);
    const unsigned granted = await_room(remote, want), generation = remote->generation;
    lane = granted ? take_idle(remote, &old) : NULL;
    pthread_mutex_unlock(&remote->lock);
    for (struct lod_remote_lane *next; old; old = next) {
        next = old->next;
        destroy_lane(old);
    }
    if (granted && !lane) {
        lane = create_lane(remote, generation);
    }
    pthread_mutex_lock(&remote->lock);
    if (lane) {
        lane->next = remote->busy;
        remote->busy = lane;
    } else {
        release(remote, granted);
    }
    pthread_mutex_unlock(&remote->lock);
    *ret_lane = lane;
    return lane ? (int)granted : granted ? -ENOMEM : -EINTR;
}

bool lod_remote_begin_hedge(struct lod_remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    const bool may = remote->in_flight < remote->connections &&
                     lod_hedge_may_send(&remote->hedge, lod_clock_ns()) && !remote->failing;
    remote->in_flight += may;
    pthread_mutex_unlock(&remote->lock);
    return may;
}

void lod_remote_note_sent(struct lod_remote *remote, bool is_hedge)
{
    pthread_mutex_lock(&remote->lock);
    lod_hedge_add_request(&remote->hedge, is_hedge);
    remote->stats.hedges += is_hedge;
    pthread_mutex_unlock(&remote->lock);
}

void lod_remote_end(struct lod_remote *remote, struct lod_remote_lane *lane, unsigned granted)
{
    struct lod_remote_lane **at = &remote->busy;

    pthread_mutex_lock(&remote->lock);
    while (*at != lane) {
        at = &(*at)->next;
    }
    *at = lane->next;
    lane->next = remote->idle;
    remote->idle = lane;
    release(remote, granted);
    pthread_mutex_unlock(&remote->lock);
}

/* ---------------------------------------------------------------------------------- the table's */

void lod_remote_stop(void *state)
{
    struct lod_remote *remote = state;

    atomic_store(&remote->stopped, true);
    pthread_mutex_lock(&remote->lock);
    for (struct lod_remote_lane *lane = remote->busy; lane; lane = lane->next) {
        lod_http_lane_wake(lane->lane);
    }
    pthread_cond_broadcast(&remote->freed);
    pthread_mutex_unlock(&remote->lock);
}

bool lod_remote_is_over(struct lod_remote *remote)
{
    if (!atomic_load(&remote->stopped) && remote->is_over && remote->is_over(remote->over_ctx)) {
        lod_remote_stop(remote);
    }
    return atomic_load(&remote->stopped);
}

/* ---------------------------------------------------------------------------------- keys */

static bool is_over(void *ctx)
{
    return lod_remote_is_over(ctx);
}

/* `renewing` is held. */
static bool renew(struct lod_remote *remote)
{
    const struct lod_s3_wait wait = {
        .is_over = is_over, .ctx = remote, .seconds = LOD_S3_WAIT_SECONDS};
    struct lod_http_keys keys = {.id = ""};
    uint64_t renew_ns = 0;
    struct lod_why why = {.text = ""};

    int error = remote->site.renew(remote->site.ctx, &wait, &keys, &renew_ns, &why);
    pthread_mutex_lock(&remote->lock);
    remote->keys_tried_ns = lod_clock_ns();
    if (error) {
        remote->site.renew_ns = remote->site.renew_ns ? lod_clock_ns() + RENEW_LATER_NS : 0;
    } else {
        memcpy(keys.provider, remote->site.keys.provider, sizeof(keys.provider));
        remote->site.keys = keys;
        remote->site.renew_ns = renew_ns;
        remote->keys_count++;
    }
    pthread_mutex_unlock(&remote->lock);
    explicit_bzero(&keys, sizeof(keys));
    if (error && error != -EINTR) {
        lod_remote_note_error(remote, "the keys", why.text);
    }
    return !error;
}

bool lod_remote_renew(struct lod_remote *remote, unsigned keys_count)
{
    if (!remote->site.renew) {
        return false;
    }
    pthread_mutex_lock(&remote->renewing);
    pthread_mutex_lock(&remote->lock);
    bool is = remote->keys_count != keys_count;
    const bool may = !remote->keys_tried_ns || lod_clock_ns() - remote->keys_tried_ns > RENEW_NS;
    pthread_mutex_unlock(&remote->lock);
    is = is || (may && renew(remote));
    pthread_mutex_unlock(&remote->renewing);
    return is;
}

/* Returns whether it is time to read the keys again. */
static bool is_due(struct lod_remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    const bool is = remote->site.renew_ns && lod_clock_ns() >= remote->site.renew_ns;
    pthread_mutex_unlock(&remote->lock);
    return is;
}

void lod_remote_renew_early(struct lod_remote *remote)
{
    if (remote->site.renew && is_due(remote) && !pthread_mutex_trylock(&remote->renewing)) {
        (void)(is_due(remote) && renew(remote));
        pthread_mutex_unlock(&remote->renewing);
    }
}

void lod_remote_note_error(struct lod_remote *remote, const char *name, const char *text)
{
    pthread_mutex_lock(&remote->lock);
    snprintf(remote->last_error, sizeof(remote->last_error), "%s: %s", name, text);
    remote->last_error_ns = lod_clock_ns();
    pthread_mutex_unlock(&remote->lock);
}

bool lod_remote_last_error(void *state, char *text, size_t room)
{
    struct lod_remote *remote = state;

    pthread_mutex_lock(&remote->lock);
    const bool is = remote->last_error_ns && lod_clock_ns() - remote->last_error_ns < LAST_ERROR_NS;
    if (is) {
        snprintf(text, room, "%s", remote->last_error);
    }
    pthread_mutex_unlock(&remote->lock);
    return is;
}

void lod_remote_stats(void *state, struct lod_store_stats *ret_stats)
{
    struct lod_remote *remote = state;

    pthread_mutex_lock(&remote->lock);
    *ret_stats = remote->stats;
    ret_stats->first_byte_ns = remote->latency_ns;
    pthread_mutex_unlock(&remote->lock);
}

bool lod_remote_is_far(const void *state)
{
    (void)state;
    return true;
}

unsigned lod_remote_loads(const void *state)
{
    (void)state;
    return LOADS;
}

unsigned lod_remote_ranges(const void *state)
{
    const struct lod_remote *remote = state;

    return remote->connections < LOD_HTTP_LANE_MAX ? remote->connections : LOD_HTTP_LANE_MAX;
}
