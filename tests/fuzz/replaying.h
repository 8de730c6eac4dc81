/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target as an ordinary test, without libFuzzer: on inputs made by the test, and on
 * random changes of them.
 *
 * - `replay_WHAT COUNT`: Runs this run's share (share.h) of COUNT inputs.
 * - `replay_WHAT COUNT FIRST_SEED`: Runs COUNT inputs.
 * - `replay_WHAT corpus FOLDER`: Writes unchanged inputs as a corpus for the fuzzer.
 */
#ifndef LOD_REPLAYING_H
#define LOD_REPLAYING_H

#include <stddef.h>
#include <stdint.h>

#include "chance.h"

#define REPLAY_BYTES_MAX 65536u

/* The value of macro `what` as a string: FUZZ_WHAT names a target of several. */
#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct replay_input {
    size_t bytes;
    uint8_t data[REPLAY_BYTES_MAX]; /* zeros behind `bytes` when `make` is called */
};

struct replay {
    unsigned corpus;                                           /* inputs of the corpus */
    void (*make)(uint64_t number, struct replay_input *input); /* the same for the same number */
    void (*change)(struct chance *chance, struct replay_input *input);
    void (*begin)(uint64_t seed); /* before each input; NULL: nothing */
};

/* Changes for text and for containers: up to five flipped bits, replaced bytes, cuts, repeated and
 * removed parts. A new byte is one of `bytes`. A part has 1 .. `parts_max` times `part` bytes. */
struct replay_change {
    const char *bytes;
    size_t count, part, parts_max;
};
void replay_change(const struct replay_change *how, struct chance *chance,
                   struct replay_input *input);

/* Writes the corpus file FOLDER/NUMBER. Returns 0, or 1 after a message. */
int replay_save(const char *folder, unsigned number, const void *data, size_t bytes);

/* Does what the command line asks for. Returns the exit status. */
int replay_main(const struct replay *replay, int argc, char **argv);

#endif
