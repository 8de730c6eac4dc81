/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_ahead.c as an ordinary test, on messages made here, some of them changed at random. See
 * replaying.h.
 */
#include <stdlib.h>
#include <string.h>

#include "mount/ahead_request.h"
#include "replaying.h"

#define MESSAGES     40u
#define RECORDS      50u /* of a message: its length is a byte */
#define CORPUS_COUNT 40u

/* Makes a random message like those of a job. Few job numbers occur, so that several messages
 * change the same list. */
static size_t draw(struct chance *chance, uint8_t *into)
{
    uint32_t records[RECORDS];
    uint8_t message[LOD_AHEAD_BYTES];
    struct lod_ahead_request request = {.job = chance_below(chance, 3), .records = records};

    request.fidelity = 1 + (uint32_t)chance_below(chance, 12);
    request.at = (uint32_t)chance_below(chance, 4) * 20;
    request.count = (uint32_t)chance_below(chance, 3) * 20;
    request.done = (uint32_t)chance_below(chance, 3) * 10;
    request.keep_s = (uint32_t)chance_below(chance, 100);
    for (uint32_t i = 0; i < request.count; i++) {
        records[i] = (uint32_t)chance_below(chance, 1000);
    }
    if (lod_ahead_request_write(&request, message)) {
        abort();
    }
    const size_t bytes = LOD_AHEAD_HEAD_BYTES + 4 * (size_t)request.count;
    into[0] = (uint8_t)bytes;
    memcpy(into + 1, message, bytes);
    if (chance_below(chance, 4) == 0) {
        into[chance_below(chance, bytes + 1)] = (uint8_t)chance_bits(chance);
    }
    return bytes + 1;
}

static void make(uint64_t number, struct replay_input *input)
{
    struct chance chance = {.state = number};

    for (unsigned i = 0; i < MESSAGES; i++) {
        input->bytes += draw(&chance, input->data + input->bytes);
    }
}

/* Messages are changed where they are drawn, so that the next ones stay messages. */
static void leave(struct chance *chance, struct replay_input *input)
{
    (void)chance;
    (void)input;
}

int main(int argc, char **argv)
{
    const struct replay replay = {.corpus = CORPUS_COUNT, .make = make, .change = leave};

    return replay_main(&replay, argc, argv);
}
