/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: texts that servers and programs send; FUZZ_WHAT is key_text or http_answer.
 * Any bytes give an error with a reason, or values within their limits.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http_answer.h"
#include "keys/s3_key_text.h"

#define TEXT_OF(what)  TEXT_OF_(what)
#define TEXT_OF_(what) #what

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void try_keys(const char *text, size_t bytes)
{
    static struct lod_s3_keys keys, before;
    struct lod_why why = {.text = ""};

    memset(&keys, 0, sizeof(keys));
    memset(&before, 0, sizeof(before));
    int error = lod_s3_key_text_take(text, bytes, false, &keys, &why);
    if (error) {
        require(why.text[0], "an error has no reason");
        require(memcmp(&keys, &before, sizeof(keys)) == 0, "an error changes the keys");
    } else {
        require(keys.id[0] && keys.secret[0] && keys.expires_s >= 0, "keys are incomplete");
        require(lod_s3_key_is_plain(keys.id) && lod_s3_key_is_plain(keys.secret) &&
                    lod_s3_key_is_plain(keys.token),
                "a key could end a header line");
    }
}

static void try_answer(const char *text, size_t bytes)
{
    const struct lod_http_range range = {.first = 10, .last = 19, .total = 100, .etag = ""};
    struct lod_http_answer answer = {0};
    char said[200];
    bool more = true;

    for (size_t at = 0, end; more && at < bytes; at = end) {
        for (end = at; end < bytes && text[end] != '\n';) {
            end++;
        }
        end += end < bytes;
        more = lod_http_answer_line(&answer, text + at, end - at);
    }
    lod_http_answer_body(&answer, text, bytes);
    const enum lod_http_verdict verdict = lod_http_answer_judge(&answer, &range);
    require(verdict != LOD_HTTP_RIGHT || (answer.status == 206 && answer.first == 10 &&
                                          answer.last == 19 && answer.total == 100),
            "another range is taken for the right one");
    lod_http_answer_text(&answer, verdict, said, sizeof(said));
    require(strpbrk(said, "\r\n\t") == NULL, "a message has more than one line");
    (void)lod_http_answer_judge_whole(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const bool keys = strcmp(TEXT_OF(FUZZ_WHAT), "key_text") == 0;
    char *text = malloc(bytes + 1); /* of its own: a read past its end is found */

    require(text, "no memory");
    memcpy(text, data, bytes);
    (keys ? try_keys : try_answer)(text, bytes);
    free(text);
    return 0;
}
