/* SPDX-License-Identifier: Apache-2.0 */
/* See prefetch_ahead.h. */
#include "frames/prefetch_ahead.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "order/shown_groups.h"

/* Looks up how much of each told record its job reads. */
static int entries_of(struct lod_prefetch *prefetch, const struct lod_ahead_tell *tell,
                      struct lod_ahead_entry *entries)
{
    struct lod_record_desc recd;
    unsigned first, last;

    for (uint32_t i = 0; i < tell->count; i++) {
        int error = lod_dataset_record_desc(prefetch->fetch->dataset, tell->records[i], &recd);
        if (error) {
            return error;
        }
        lod_shown_groups(&recd, (enum lod_fidelity)tell->fidelity, &first, &last);
        entries[i] = (struct lod_ahead_entry){.record = tell->records[i],
                                              .first = (uint8_t)first,
                                              .last = (uint8_t)last,
                                              .bytes = lod_record_desc_bytes(&recd, first, last)};
    }
    return 0;
}

/* Answers a tell. `job` NULL: it has ended. The lock is held. */
static void answer(const struct lod_prefetch *prefetch, const struct lod_ahead_job *job,
                   uint64_t room, struct lod_ahead_answer *ret_answer)
{
    const struct lod_io_estimate *estimate = &prefetch->fetch->estimate;
    const unsigned jobs = prefetch->lists.count;

    *ret_answer = (struct lod_ahead_answer){
        .total = job ? (uint32_t)job->count : 0,
        .bytes_room = room / (jobs ? jobs : 1),
        .bytes_per_second =
            lod_io_estimate_has_bandwidth(estimate) ? lod_io_estimate_bandwidth(estimate) : 0,
    };
    for (size_t i = job ? job->done : 0; job && i < job->count; i++) {
        ret_answer->bytes_missing += job->at[i].bytes;
    }
}

int lod_prefetch_tell(struct lod_prefetch *prefetch, const struct lod_ahead_tell *tell,
                      struct lod_ahead_answer *ret_answer)
{
    const struct lod_ahead_job *job = NULL;
    struct lod_ahead_entry *entries = calloc(tell->count + 1, sizeof(*entries));
    const uint64_t room = lod_prefetch_room(prefetch);

    if (!entries) {
        return -ENOMEM;
    }
    int error = entries_of(prefetch, tell, entries);
    pthread_mutex_lock(&prefetch->lock);
    (void)lod_ahead_lists_expire(&prefetch->lists, lod_clock_ns());
    error =
        error ? error : lod_ahead_lists_tell(&prefetch->lists, lod_clock_ns(), tell, entries, &job);
    if (!error) {
        answer(prefetch, job, room, ret_answer);
    }
    pthread_mutex_unlock(&prefetch->lock);
    free(entries);
    return error;
}
