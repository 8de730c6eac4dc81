/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs fuzz_remote.c as an ordinary test, without libFuzzer: with random changes of texts made
 * here. replay_WHAT COUNT [FIRST_SEED]   runs them replay_WHAT corpus FOLDER        writes the
 * corpus for the fuzzer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

#define INPUT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const char *const texts[] = {
    "{\"Version\": 1, \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"secret\","
    " \"SessionToken\": \"t\\u0041\", \"Expiration\": \"2026-11-22T20:00:00.5+01:30\"}",
    "{\"Code\": \"Success\", \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"s\", \"Token\": \"t\","
    " \"x\": [[{\"a\": null}]], \"Expiration\": \"2026-11-22T20:00:00Z\"}",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-19/100\r\nETag: \"a\"\r\n"
    "Content-Length: 10\r\n\r\n",
    "HTTP/1.1 503 Slow\r\nRetry-After: 3\r\nx-amz-bucket-region: eu-west-3\r\n\r\n"
    "<Error><Code>SlowDown</Code></Error>",
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static size_t change(struct chance *chance, char *text, size_t bytes)
{
    static const char pieces[] = "0159\"{}[]:,\\u00\r\nTZ+-. <>/Code";

    for (uint64_t left = chance_below(chance, 6); left > 0 && bytes; left--) {
        const size_t at = (size_t)chance_below(chance, bytes);
        const size_t step = 1 + (size_t)chance_below(chance, 30);
        switch (chance_below(chance, 4)) {
        case 0:
            text[at] = pieces[chance_below(chance, sizeof(pieces) - 1)];
            break;
        case 1:
            text[at] = (char)chance_below(chance, 256);
            break;
        case 2: /* repeats a part */
            if (bytes + step <= INPUT_MAX && at + step <= bytes) {
                memmove(text + at + step, text + at, bytes - at);
                bytes += step;
            }
            break;
        default:
            bytes = at;
        }
    }
    return bytes;
}

static int write_corpus(const char *folder)
{
    char path[4096];

    for (unsigned i = 0; i < TEXTS; i++) {
        snprintf(path, sizeof(path), "%s/%u", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fputs(texts[i], file) < 0 || fclose(file)) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    char text[INPUT_MAX];

    if (argc > 2 && strcmp(argv[1], "corpus") == 0) {
        return write_corpus(argv[2]);
    }
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct chance chance = {.state = seed};
        const char *from = texts[chance_bits(&chance) % TEXTS];
        memcpy(text, from, strlen(from));
        const size_t bytes = change(&chance, text, strlen(from));
        LLVMFuzzerTestOneInput((const uint8_t *)text, bytes);
    }
    printf("%" PRIu64 " inputs\n", count);
    return 0;
}
