/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether and when a request is sent again. Pauses grow and are partly random, so that readers that
 * failed together do not come back together. A budget limits the retries of requests to a store
 * that is down: once it is used up, the first failure is final. Pure: the caller gives the clock
 * and the randomness.
 */
#ifndef LOD_HTTP_RETRY_H
#define LOD_HTTP_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "http/http_answer.h"

/* The result of one try. */
enum lod_retry_cause {
    LOD_RETRY_ANSWER,    /* the server answered; its verdict counts */
    LOD_RETRY_TRANSPORT, /* no connection, a timeout, a body that broke off */
    LOD_RETRY_CERTIFICATE,
};

/* Tokens in tenths. All zero is an empty budget: see lod_retry_budget_init. */
struct lod_retry_budget {
    uint32_t tenths;
    uint64_t filled_ns; /* when it was last filled up */
};

void lod_retry_budget_init(struct lod_retry_budget *budget, uint64_t now_ns);
/* Records a correct answer. Every ten of them allow one more retry. */
void lod_retry_budget_earn(struct lod_retry_budget *budget);
/* Takes one retry from the budget. Returns false if there is none left. The budget grows by 20 each
 * minute. */
bool lod_retry_budget_take(struct lod_retry_budget *budget, uint64_t now_ns);

/* Returns how often a request with this verdict may be sent again, at most. */
unsigned lod_retry_max(enum lod_retry_cause cause, enum lod_http_verdict verdict);

/* Returns the pause before try `tries` + 1: 50 ms, doubled each time up to 5 s, half of it random;
 * a Retry-After of the server counts up to 10 s. */
uint64_t lod_retry_pause_ns(unsigned tries, uint32_t retry_after_s, uint32_t random);

#endif
