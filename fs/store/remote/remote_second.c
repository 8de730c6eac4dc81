/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_second.h. */
#include "remote/remote_second.h"

#include <errno.h>

#include "remote/remote_try.h"

int lod_remote_start(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *request)
{
    const struct lod_range *range = transfer->range;

    *request = (struct lod_http_request){
        .url = call->url,
        .asked = {.first = range->offset + transfer->done,
                  .last = range->offset + range->bytes - 1,
                  .total = call->target->total,
                  .etag = call->etag},
        .keys = &call->keys,
        .into = (uint8_t *)range->into + transfer->done,
    };
    int error = lod_http_lane_start(call->lane->lane, request);
    if (!error) {
        lod_remote_note_sent(call->remote, request != transfer->request);
        call->running++;
    }
    return error;
}

uint64_t lod_remote_late_at(const struct lod_call *call, const struct lod_transfer *transfer,
                            uint64_t now)
{
    const struct lod_http_request *request = transfer->request;

    if (transfer->state != LOD_CALL_RUNNING || request->over || request->first_ns ||
        transfer->second || !call->late_ns) {
        return 0;
    }
    return (request->sent_ns ? request->sent_ns : now) + call->late_ns;
}

void lod_remote_send_second(struct lod_call *call, struct lod_transfer *transfer)
{
    struct lod_http_request *second = &transfer->both[transfer->request == transfer->both];

    if (call->granted == LOD_HTTP_LANE_MAX || !lod_remote_begin_second(call->remote)) {
        return;
    }
    call->granted++; /* until the call ends */
    if (!lod_remote_start(call, transfer, second)) {
        transfer->second = second;
    }
}

void lod_remote_drop(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *loser)
{
    if (loser == transfer->request) {
        transfer->request = transfer->second;
        transfer->mark_bytes = 0;
        transfer->mark_ns = 0;
    }
    transfer->second = NULL;
    call->running--;
    if (!loser->over) {
        lod_http_lane_cancel(call->lane->lane, loser, -ECANCELED);
        return;
    }
    lod_remote_try_count(call->remote, loser);
    call->slowed = call->slowed || (!loser->error && loser->verdict == LOD_HTTP_SLOW_DOWN);
}

void lod_remote_choose(struct lod_call *call, struct lod_transfer *transfer)
{
    struct lod_http_request *first = transfer->request, *second = transfer->second;
    const bool first_good = first->first_ns && first->verdict == LOD_HTTP_RIGHT;
    const bool second_good = second->first_ns && second->verdict == LOD_HTTP_RIGHT;

    if (first_good || second_good) {
        lod_remote_drop(call, transfer, first_good && first->got >= second->got ? second : first);
    } else if (first->over || second->over) {
        lod_remote_drop(call, transfer, first->over ? first : second);
    }
}
