/* SPDX-License-Identifier: Apache-2.0 */
/* See job_list.h. */
#include "met/job_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "met/job_walk.h"
#include "terminal/cmd.h"
#include "terminal/mount_client.h"

/* A trainer may take long for a list. */
#define KEEP_S LOD_AHEAD_KEEP_S_MAX

/* half of the bytes that prefixes take in the default cache */
#define ROOM_UNKNOWN ((uint64_t)96 << 20)

static int ask(struct lod_job_walk *walk, const struct lod_ahead_request *request,
               uint32_t *ret_ready)
{
    struct lod_ahead_answer answer = {.ready = 0};
    int error =
        walk->control < 0 ? -EPERM : lod_mount_client_ahead(walk->control, request, &answer);

    walk->accepts_lists = !error;
    if (!error) {
        walk->room = answer.bytes_room;
        walk->speed = answer.bytes_per_second;
        *ret_ready = answer.ready;
    }
    return error;
}

static struct lod_ahead_request request_of(const struct lod_job_walk *walk)
{
    return (struct lod_ahead_request){
        .job = walk->job->number, .fidelity = walk->job->state.fidelity, .keep_s = KEEP_S};
}

/* Sends the records; half as many, and so on, if the lists of all jobs are too long. */
static int send_all(struct lod_job_walk *walk, uint32_t *ret_ready)
{
    struct lod_ahead_request request = request_of(walk);
    size_t count = 0, window = 0;
    int error;

    lod_met_records(&walk->met, NULL, 0, &count, &window);
    uint32_t *records = calloc(count + 1, sizeof(*records));
    if (!records) {
        return -ENOMEM;
    }
    lod_met_records(&walk->met, records, count, &count, &window);
    request.records = records;
    request.count = (uint32_t)count;
    do {
        error = ask(walk, &request, ret_ready);
        request.count /= 2;
    } while (error == -E2BIG && request.count);
    free(records);
    return error;
}

static bool is_refused(int error)
{
    return error == -EPERM || error == -EACCES || error == -ENOTTY || error == -ENOSYS;
}

uint64_t lod_job_list_room(const struct lod_job_walk *walk)
{
    const uint64_t room = walk->accepts_lists ? walk->room : ROOM_UNKNOWN,
                   most = walk->job->room_max;

    return most && (most < room || !walk->accepts_lists) ? most : room ? room : 1;
}

/* Warns that the memory has become too small for the window and the next part together. */
static void warn_if_small(const struct lod_job_walk *walk)
{
    size_t count = 0, window = 0;

    lod_met_records(&walk->met, NULL, 0, &count, &window);
    if (count > window || !walk->accepts_lists || walk->met.state.whole) {
        return;
    }
    lod_fail(0,
             "%pE has room for %" PRIu64 " bytes of this job, too few to load the next part "
             "ahead; end other jobs, or mount with a larger cache_size or tier_size",
             walk->job->mount, lod_job_list_room(walk));
}

int lod_job_list_send(struct lod_job_walk *walk)
{
    uint32_t ready = 0;
    int error = send_all(walk, &ready);

    warn_if_small(walk);
    return error && !is_refused(error)
               ? lod_fail(LOD_EXIT_FAILED, "%pE does not take the list of records: %s",
                          walk->job->mount, strerrordesc_np(-error))
               : LOD_EXIT_OK;
}

int lod_job_list_end(struct lod_job_walk *walk, enum lod_fidelity fidelity)
{
    struct lod_ahead_request request = request_of(walk);
    uint32_t ready = 0;

    request.fidelity = fidelity;
    int error = ask(walk, &request, &ready);
    return error && !is_refused(error)
               ? lod_fail(LOD_EXIT_FAILED, "%pE: %s", walk->job->mount, strerrordesc_np(-error))
               : LOD_EXIT_OK;
}

uint32_t lod_job_list_loaded(struct lod_job_walk *walk)
{
    struct lod_ahead_request request = request_of(walk);
    size_t count = 0, window = 0;
    uint32_t ready = 0;

    lod_met_records(&walk->met, NULL, 0, &count, &window);
    request.at = (uint32_t)count;
    int error = ask(walk, &request, &ready);
    if (error && !is_refused(error)) {
        error = send_all(walk, &ready);
    }
    return error ? 0 : ready;
}
