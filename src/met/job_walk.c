/* SPDX-License-Identifier: Apache-2.0 */
/* See job_walk.h. job_list.c sends the list to the mount. */
#include "met/job_walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "clock.h"
#include "met/job_list.h"
#include "mount/mountpoint.h"
#include "terminal/cmd.h"
#include "terminal/mount_client.h"
#include "terminal/open_store.h"
#include "text.h"

#define CHECK_NS 200000000
#define TIRED_NS (60 * LOD_SECOND_NS) /* after this time without a load, waiting ends */

#define NO_FOLDER "'%pE' is no folder of a mount of lodfs, such as MOUNT/q4 or MOUNT/full/train"

/* ----------------------------------------------------------------------------------- places */

static bool is_plain_text(const char *text)
{
    uint32_t character;

    for (size_t bytes = 1; *text && bytes; text += bytes) {
        bytes = lod_utf8((const uint8_t *)text, strlen(text), &character);
        if (!bytes) {
            return false;
        }
    }
    return true;
}

/* Returns the length of the folder's first component, such as q4. */
static size_t head_bytes(const struct lod_met_job *job)
{
    return strcspn(job->folder, "/");
}

/* Returns the fidelity of the folder; for `auto` the current one. */
static enum lod_fidelity fidelity_of(const struct lod_met_job *job)
{
    char path[PATH_MAX + 8], name[16];
    const size_t bytes = head_bytes(job);

    if (bytes != strlen("auto") || strncmp(job->folder, "auto", bytes) != 0) {
        return lod_fidelity_parse(job->folder, bytes);
    }
    snprintf(path, sizeof(path), "%s/auto", job->mount);
    const ssize_t got = readlink(path, name, sizeof(name));
    return got > 0 ? lod_fidelity_parse(name, (size_t)got) : (enum lod_fidelity)0;
}

/* Splits a resolved path into the mount and the folder below it. */
static bool split_path(const char *whole, struct lod_met_job *job)
{
    size_t bytes = strlen(whole);

    while (--bytes > 0) { /* go up until the path is a mount */
        if (whole[bytes] != '/') {
            continue;
        }
        snprintf(job->mount, sizeof(job->mount), "%.*s", (int)bytes, whole);
        snprintf(job->folder, sizeof(job->folder), "%s", whole + bytes + 1);
        if (lod_mountpoint_is_lodfs(job->mount)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a path goes through the link `auto` of the mount. */
static bool goes_through_auto(const char *path, const char *mount)
{
    char above[PATH_MAX + 2], real[PATH_MAX];

    snprintf(above, sizeof(above), "%s%s", path[0] == '/' ? "" : "./", path);
    for (char *slash = strchr(above, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *next = slash + strspn(slash, "/");
        if (strcspn(next, "/") != strlen("auto") || strncmp(next, "auto", strlen("auto")) != 0 ||
            strstr(next, "/..")) {
            continue;
        }
        *slash = '\0';
        if (realpath(*above ? above : "/", real) && strcmp(real, mount) == 0) {
            return true;
        }
        *slash = '/';
    }
    return false;
}

int lod_job_walk_place(const char *path, struct lod_met_job *job)
{
    char whole[PATH_MAX];

    if (!realpath(path, whole)) {
        return lod_fail(LOD_EXIT_USAGE, "'%pE': %s; name a folder of a mount, such as MOUNT/q4",
                        path, strerrordesc_np(errno));
    }
    if (!is_plain_text(whole) || !split_path(whole, job)) {
        return lod_fail(LOD_EXIT_USAGE, NO_FOLDER, path);
    }
    if (goes_through_auto(path, job->mount)) {
        char *below = strdup(job->folder + head_bytes(job));
        if (!below) {
            return lod_fail(LOD_EXIT_FAILED, "there is too little memory");
        }
        snprintf(job->folder, sizeof(job->folder), "auto%s", below);
        free(below);
    }
    return fidelity_of(job) ? LOD_EXIT_OK : lod_fail(LOD_EXIT_USAGE, NO_FOLDER, path);
}

static const char *split_of(const struct lod_met_job *job)
{
    const char *slash = strchr(job->folder, '/');

    return slash ? slash + 1 : "";
}

/* ---------------------------------------------------------------------------------- opening */

static int open_order(struct lod_job_walk *walk, uint64_t seed)
{
    const char *split = split_of(walk->job);
    int error = lod_read_order_create(walk->dataset, split, seed, &walk->order);

    switch (error) {
    case 0:
        return LOD_EXIT_OK;
    case -ENOENT:
    case -ENOTDIR:
    case -ENODATA:
        return lod_fail(LOD_EXIT_USAGE, "there is no picture in '%pE/%pE'", walk->job->mount,
                        walk->job->folder);
    default:
        return lod_store_failed(walk->job->mount, error);
    }
}

/* Another user's mount has a control file that this user cannot open. The job works without it. */
static int open_control(struct lod_job_walk *walk)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/.lodfs/control", walk->job->mount);
    if (access(path, R_OK) < 0 && errno == EACCES) {
        return LOD_EXIT_OK;
    }
    return lod_mount_client_open(walk->job->mount, "control", &walk->control) ? LOD_EXIT_FAILED
                                                                              : LOD_EXIT_OK;
}

int lod_job_walk_open(struct lod_job_walk *walk, uint64_t seed)
{
    const struct lod_option_list words = {.count = 0};
    char *location = NULL;
    int code = lod_store_behind(walk->job->mount, &location);

    walk->control = -1;
    if (code == LOD_EXIT_OK && !location) {
        code = lod_fail(LOD_EXIT_FAILED, "%pE: no lodfs is mounted there", walk->job->mount);
    }
    if (code == LOD_EXIT_OK && !fidelity_of(walk->job)) {
        code = lod_fail(LOD_EXIT_USAGE, NO_FOLDER, walk->job->folder);
    }
    code = code ? code : lod_open_store(location, &words, &walk->dataset);
    code = code ? code : open_order(walk, seed);
    code = code ? code : open_control(walk);
    free(location);
    if (code) {
        lod_job_walk_close(walk);
    }
    return code;
}

void lod_job_walk_close(struct lod_job_walk *walk)
{
    if (walk->met.order) {
        lod_met_finish(&walk->met);
    }
    lod_read_order_destroy(walk->order);
    if (walk->dataset) {
        lod_dataset_close(walk->dataset);
    }
    lod_file_close(walk->control);
    walk->order = NULL;
    walk->dataset = NULL;
    walk->control = -1;
}

int lod_job_walk_begin(struct lod_job_walk *walk, const struct lod_met_rules *rules, uint32_t node,
                       uint32_t nodes)
{
    const enum lod_fidelity fidelity = fidelity_of(walk->job);
    uint64_t largest = 0;
    int code = lod_job_list_end(walk, fidelity); /* asks for the room */

    if (code == LOD_EXIT_OK && !walk->accepts_lists) {
        if (rules->policy != LOD_MET_FIXED) {
            return lod_fail(
                LOD_EXIT_FAILED,
                "%pE takes no list of records from this user, or is of an older version; use "
                "--rf=N",
                walk->job->mount);
        }
        lod_fail(0,
                 "%pE takes no list of records from this user, or is of an older version: "
                 "nothing is loaded ahead",
                 walk->job->mount);
    }
    if (code) {
        return code;
    }
    const uint64_t room = lod_job_list_room(walk);
    int error =
        lod_met_begin(&walk->met, walk->order, node, nodes, rules, fidelity, room, &largest);
    if (error == -EFBIG) {
        return lod_fail(
            LOD_EXIT_USAGE,
            "%" PRIu64 " bytes are the smallest part that can be loaded, but half of the job's "
            "memory is %" PRIu64
            ": mount with a larger cache_size or tier_size, take a lower fidelity, or pack "
            "with a smaller --record-size",
            largest, room / 2);
    }
    if (error) {
        return lod_fail(
            error == -ENODATA ? LOD_EXIT_USAGE : LOD_EXIT_FAILED, "cannot plan mini-epochs: %s",
            error == -ENODATA ? "this process has nothing to read" : strerrordesc_np(-error));
    }
    walk->job->state = walk->met.state;
    return lod_job_list_send(walk);
}

int lod_job_walk_resume(struct lod_job_walk *walk)
{
    const char *why = "";
    int error = lod_met_resume(&walk->met, walk->order, &walk->job->state, &why);

    if (error == -ESTALE) {
        char own[LOD_ID_TEXT_BYTES], other[LOD_ID_TEXT_BYTES];
        lod_id_text(walk->order->store, own);
        lod_id_text(walk->job->state.store, other);
        return lod_fail(LOD_EXIT_USAGE,
                        "the job cannot continue: %s (%s; %pE shows %s); mount that one, or begin "
                        "another job",
                        why, other, walk->job->mount, own);
    }
    return error ? lod_fail(LOD_EXIT_USAGE, "the job cannot continue: %s", why) : LOD_EXIT_OK;
}

/* ------------------------------------------------------------------------------------ going */

static int say_next(int error)
{
    if (error == -ENODATA) {
        return lod_fail(LOD_EXIT_USAGE,
                        "this job needs the score of the last list: --score=NUMBER");
    }
    return error ? lod_fail(LOD_EXIT_FAILED, "cannot continue: %s", strerrordesc_np(-error))
                 : LOD_EXIT_OK;
}

int lod_job_walk_next(struct lod_job_walk *walk)
{
    const struct timespec pause = {.tv_nsec = CHECK_NS};
    struct lod_met_now now = {.fidelity = fidelity_of(walk->job)};
    enum lod_met_verdict verdict = LOD_MET_WAIT;
    uint64_t changed = lod_clock_ns();
    uint32_t most = 0;
    int error = 0;

    while (!error && verdict == LOD_MET_WAIT) {
        now.loaded_records = lod_job_list_loaded(walk);
        now.room = lod_job_list_room(walk);
        changed = now.loaded_records > most ? lod_clock_ns() : changed;
        most = now.loaded_records > most ? now.loaded_records : most;
        now.tired = lod_clock_ns() - changed > TIRED_NS;
        error = lod_met_next(&walk->met, &now, &verdict);
        if (!error && verdict == LOD_MET_WAIT) {
            nanosleep(&pause, NULL);
        }
    }
    if (error) {
        return say_next(error);
    }
    walk->job->state = walk->met.state;
    return lod_job_list_send(walk);
}

static int print_path(const struct lod_job_walk *walk, uint32_t item, bool nul)
{
    struct lod_index *index = lod_dataset_index(walk->dataset);
    char path[LOD_PATH_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];
    int error = lod_index_item(index, item, row);

    error = error ? error : lod_index_node_path(index, lod_row_own_node(row), path);
    if (!error) {
        printf("%s/%.*s/%s%c", walk->job->mount, (int)head_bytes(walk->job), walk->job->folder,
               path, nul ? '\0' : '\n');
    }
    return error;
}

int lod_job_walk_print(const struct lod_job_walk *walk, bool nul)
{
    const size_t room = (size_t)lod_met_values(&walk->met);
    uint32_t *items = calloc(room + 1, sizeof(*items));
    size_t count = 0;
    int error = items ? lod_met_items(&walk->met, items, room, &count) : -ENOMEM;

    for (size_t i = 0; !error && i < count; i++) {
        error = print_path(walk, items[i], nul);
    }
    free(items);
    return error ? lod_store_failed(walk->job->mount, error) : LOD_EXIT_OK;
}

void lod_job_walk_end(struct lod_job_walk *walk)
{
    int code = lod_job_list_end(walk, fidelity_of(walk->job));

    (void)code; /* if the mount is gone, its list is gone too */
}
