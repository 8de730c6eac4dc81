/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_hedge.h. */
#include "remote/remote_hedge.h"

#include <errno.h>

#include "remote/remote_try.h"

int lod_remote_start(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *request)
{
    const struct lod_range *range = transfer->range;

    *request = (struct lod_http_request){
        .url = call->url,
        .range = {.first = range->offset + transfer->done,
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

uint64_t lod_remote_hedge_at(const struct lod_call *call, const struct lod_transfer *transfer,
                             uint64_t now)
{
    const struct lod_http_request *request = transfer->request;

    if (transfer->state != LOD_CALL_RUNNING || request->over || request->first_ns ||
        transfer->hedge || !call->hedge_delay_ns) {
        return 0;
    }
    return (request->sent_ns ? request->sent_ns : now) + call->hedge_delay_ns;
}

void lod_remote_send_hedge(struct lod_call *call, struct lod_transfer *transfer)
{
    struct lod_http_request *hedge = &transfer->both[transfer->request == transfer->both];

    if (call->granted == LOD_HTTP_LANE_MAX || !lod_remote_begin_hedge(call->remote)) {
        return;
    }
    call->granted++; /* until the call ends */
    if (!lod_remote_start(call, transfer, hedge)) {
        transfer->hedge = hedge;
    }
}

void lod_remote_drop(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *loser)
{
    if (loser == transfer->request) {
        transfer->request = transfer->hedge;
        transfer->mark_bytes = 0;
        transfer->mark_ns = 0;
    }
    transfer->hedge = NULL;
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
    struct lod_http_request *first = transfer->request, *hedge = transfer->hedge;
    const bool first_good = first->first_ns && first->verdict == LOD_HTTP_RIGHT;
    const bool hedge_good = hedge->first_ns && hedge->verdict == LOD_HTTP_RIGHT;

    if (first_good || hedge_good) {
        lod_remote_drop(call, transfer, first_good && first->got >= hedge->got ? hedge : first);
    } else if (first->over || hedge->over) {
        lod_remote_drop(call, transfer, first->over ? first : hedge);
    }
}
