/* SPDX-License-Identifier: Apache-2.0 */
/* Runs fuzz_remote.c as an ordinary test, on texts made here. See replaying.h. */
#include <string.h>

#include "replaying.h"

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

static void make(uint64_t number, struct replay_input *input)
{
    const char *from = texts[number % TEXTS];

    input->bytes = strlen(from);
    memcpy(input->data, from, input->bytes);
}

static void change(struct chance *chance, struct replay_input *input)
{
    static const char bytes[] = "0159\"{}[]:,\\u00\r\nTZ+-. <>/Code";
    static const struct replay_change how = {
        .bytes = bytes, .count = sizeof(bytes) - 1, .part = 1, .parts_max = 30};

    replay_change(&how, chance, input);
}

int main(int argc, char **argv)
{
    const struct replay replay = {.corpus = TEXTS, .make = make, .change = change};

    return replay_main(&replay, argc, argv);
}
