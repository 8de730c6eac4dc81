/* SPDX-License-Identifier: Apache-2.0 */
/* See http_answer.h. */
#include "http/http_answer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define RETRY_AFTER_MAX 3600u
#define NOT_S3          "the server refuses such requests; check that endpoint is an S3 server"
#define EMPTY           "the object is empty, or shorter than it should be"

/* A value of a header line: a text that is not terminated. */
struct value {
    const char *at;
    size_t bytes;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct value trimmed(const char *at, size_t bytes)
{
    while (bytes && is_blank(at[bytes - 1])) {
        bytes--;
    }
    while (bytes && is_blank(*at)) {
        at++;
        bytes--;
    }
    return (struct value){at, bytes};
}

/* Takes the digits at the start of the value. Returns false if there are none, or too many. */
static bool take_number(struct value *value, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t digits = 0;

    for (; digits < value->bytes && value->at[digits] >= '0' && value->at[digits] <= '9';
         digits++) {
        const uint64_t digit = (uint64_t)(value->at[digits] - '0');
        if (number > (INT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    value->at += digits;
    value->bytes -= digits;
    *ret_number = number;
    return digits;
}

static bool take_text(struct value *value, const char *text)
{
    const size_t bytes = strlen(text);
    const bool is = value->bytes >= bytes && strncasecmp(value->at, text, bytes) == 0;

    if (is) {
        value->at += bytes;
        value->bytes -= bytes;
    }
    return is;
}

/* ---------------------------------------------------------------------------------- lines */

/* "bytes 0-99/1000" */
static void take_range(struct lod_http_answer *answer, struct value value)
{
    answer->has_range = take_text(&value, "bytes ") && take_number(&value, &answer->first) &&
                        take_text(&value, "-") && take_number(&value, &answer->last) &&
                        take_text(&value, "/") && take_number(&value, &answer->total) &&
                        !value.bytes;
}

static void take_length(struct lod_http_answer *answer, struct value value)
{
    answer->has_length = take_number(&value, &answer->length) && !value.bytes;
}

static void take_encoding(struct lod_http_answer *answer, struct value value)
{
    answer->encoded = value.bytes && !(take_text(&value, "identity") && !value.bytes);
}

static void take_retry(struct lod_http_answer *answer, struct value value)
{
    uint64_t seconds;

    if (take_number(&value, &seconds) && !value.bytes) {
        answer->retry_after_s = (uint32_t)(seconds < RETRY_AFTER_MAX ? seconds : RETRY_AFTER_MAX);
    }
}

/* Ignores weak ETags, which do not guarantee equal bytes. */
static void take_etag(struct lod_http_answer *answer, struct value value)
{
    const bool strong = value.bytes >= 2 && value.bytes <= LOD_HTTP_ETAG_MAX &&
                        value.at[0] == '"' && value.at[value.bytes - 1] == '"';

    answer->etag[0] = '\0';
    for (size_t i = 0; strong && i < value.bytes; i++) {
        const unsigned char c = (unsigned char)value.at[i];
        answer->etag[i] = (char)c;
        answer->etag[i + 1] = '\0';
        if (c <= ' ' || c == 0x7f) {
            answer->etag[0] = '\0';
            return;
        }
    }
}

/* Copies a value of letters, digits and '-'; any other value becomes empty. */
static void take_word(char word[LOD_HTTP_WORD_MAX + 1], struct value value)
{
    size_t i = 0;

    for (; i < value.bytes && i <= LOD_HTTP_WORD_MAX; i++) {
        const char c = value.at[i];
        if (i == LOD_HTTP_WORD_MAX || !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                                        (c >= 'a' && c <= 'z') || c == '-')) {
            i = 0;
            break;
        }
        word[i] = c;
    }
    word[i] = '\0';
}

static void take_region(struct lod_http_answer *answer, struct value value)
{
    take_word(answer->region, value);
}

static void take_mark(struct lod_http_answer *answer, struct value value)
{
    take_word(answer->content_hash, value);
}

static const struct {
    const char *name;
    void (*take)(struct lod_http_answer *answer, struct value value);
} headers[] = {
    {"content-range:", take_range},
    {"content-length:", take_length},
    {"content-encoding:", take_encoding},
    {"retry-after:", take_retry},
    {"etag:", take_etag},
    {"x-amz-bucket-region:", take_region},
    {"x-amz-meta-lodfs:", take_mark},
};

/* "HTTP/1.1 206 Partial Content" */
static bool take_status(struct lod_http_answer *answer, struct value line)
{
    uint64_t number = 0;

    if (!take_text(&line, "HTTP/")) {
        return false;
    }
    while (line.bytes && *line.at != ' ') {
        line.at++;
        line.bytes--;
    }
    line = trimmed(line.at, line.bytes);
    const size_t header_bytes = answer->header_bytes;
    *answer = (struct lod_http_answer){.header_bytes = header_bytes};
    if (take_number(&line, &number) && number < 1000) {
        answer->status = (unsigned)number;
    }
    return true;
}

bool lod_http_answer_line(struct lod_http_answer *answer, const char *line, size_t bytes)
{
    struct value whole = trimmed(line, bytes);

    answer->header_bytes += bytes;
    if (take_status(answer, whole)) {
        return answer->header_bytes <= LOD_HTTP_HEADERS_MAX;
    }
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct value value = whole;
        if (take_text(&value, headers[i].name)) {
            headers[i].take(answer, trimmed(value.at, value.bytes));
        }
    }
    return answer->header_bytes <= LOD_HTTP_HEADERS_MAX;
}

void lod_http_answer_body(struct lod_http_answer *answer, const char *body, size_t bytes)
{
    static const char open[] = "<Code>", close[] = "</Code>";
    const char *from = memmem(body, bytes, open, strlen(open));
    const char *to = NULL;

    if (from) {
        from += strlen(open);
        to = memmem(from, bytes - (size_t)(from - body), close, strlen(close));
    }
    if (to) {
        take_word(answer->code, (struct value){from, (size_t)(to - from)});
    }
}

/* ---------------------------------------------------------------------------------- verdict */

static bool is_code(const struct lod_http_answer *answer, const char *const *codes)
{
    while (*codes && strcmp(answer->code, *codes) != 0) {
        codes++;
    }
    return *codes;
}

static const char *const slow_codes[] = {"SlowDown", "Throttling", "TooManyRequests", NULL};
static const char *const expired_codes[] = {"ExpiredToken", "ExpiredTokenException",
                                            "TokenRefreshRequired", NULL};
static const char *const moved_codes[] = {"AuthorizationHeaderMalformed", "PermanentRedirect",
                                          "IllegalLocationConstraintException", NULL};

static enum lod_http_verdict judge_partial(const struct lod_http_answer *answer,
                                           const struct lod_http_range *range)
{
    const uint64_t bytes = range->last - range->first + 1;

    if (!answer->has_range || answer->encoded || answer->total == 0 ||
        answer->first != range->first || answer->last < answer->first ||
        answer->last >= answer->total) {
        return LOD_HTTP_BROKEN;
    }
    if (range->total && answer->total != range->total) {
        return LOD_HTTP_CHANGED;
    }
    if (range->etag[0] && answer->etag[0] && strcmp(range->etag, answer->etag) != 0) {
        return LOD_HTTP_CHANGED;
    }
    /* An object of unknown size may end before the last byte of the request. */
    const uint64_t last =
        range->total || answer->total > range->last ? range->last : answer->total - 1;
    const uint64_t sent = last - answer->first + 1;

    return answer->last == last && sent <= bytes && (!answer->has_length || answer->length == sent)
               ? LOD_HTTP_RIGHT
               : LOD_HTTP_BROKEN;
}

/* Classifies an answer without the requested bytes. */
static enum lod_http_verdict judge_failure(const struct lod_http_answer *answer)
{
    const unsigned status = answer->status;

    if (is_code(answer, slow_codes)) {
        return LOD_HTTP_SLOW_DOWN;
    }
    if (is_code(answer, expired_codes)) {
        return LOD_HTTP_EXPIRED;
    }
    /* An answer to HEAD has no body, so no code: only its region says why it failed. */
    const bool elsewhere = status == 400 && !answer->code[0] && answer->region[0];
    if (status == 301 || status == 302 || status == 307 || elsewhere ||
        is_code(answer, moved_codes)) {
        return LOD_HTTP_MOVED;
    }
    switch (status) {
    case 401:
    case 403:
        return LOD_HTTP_DENIED;
    case 404:
    case 410:
        return LOD_HTTP_MISSING;
    case 412:
    case 416:
        return LOD_HTTP_CHANGED;
    case 501:
        return LOD_HTTP_REFUSED;
    case 429:
    case 503:
        return LOD_HTTP_SLOW_DOWN;
    default:
        return status == 408 || status == 409 || status >= 500 || !status ? LOD_HTTP_BUSY
                                                                          : LOD_HTTP_REFUSED;
    }
}

enum lod_http_verdict lod_http_answer_judge(const struct lod_http_answer *answer,
                                            const struct lod_http_range *range)
{
    return answer->status == 206   ? judge_partial(answer, range)
           : answer->status == 200 ? LOD_HTTP_NO_RANGES
                                   : judge_failure(answer);
}

enum lod_http_verdict lod_http_answer_judge_whole(const struct lod_http_answer *answer)
{
    const unsigned status = answer->status;

    if (status == 200 || status == 201 || status == 204) {
        return answer->encoded ? LOD_HTTP_BROKEN : LOD_HTTP_RIGHT;
    }
    return judge_failure(answer);
}

static const char *const sentences[] = {
    [LOD_HTTP_RIGHT] = "the answer is right",
    [LOD_HTTP_BROKEN] = "the answer does not match the request",
    [LOD_HTTP_BUSY] = "the server failed; try again later",
    [LOD_HTTP_SLOW_DOWN] =
        "the server asks for fewer requests; try again later, or lower connections=",
    [LOD_HTTP_MISSING] = "there is no such object",
    [LOD_HTTP_CHANGED] = "the object has changed; mount the store again",
    [LOD_HTTP_EXPIRED] = "the keys have expired",
    [LOD_HTTP_DENIED] = "access is denied; check the keys and who may read the store",
    [LOD_HTTP_MOVED] = "it is in another region or at another URL; check endpoint, region and URL",
    [LOD_HTTP_NO_RANGES] = "the server does not serve ranges of files, which lodfs needs",
    [LOD_HTTP_REFUSED] = "the server refuses the request; check endpoint, region and URL",
};

/* Sentences that say more than those of verdicts. A row applies to its status or its code. */
static const struct {
    unsigned status; /* 0: any */
    const char *code;
    const char *sentence;
} reasons[] = {
    {0, "RequestTimeTooSkewed", "this computer's clock differs from the server's; correct it"},
    {0, "NoSuchBucket", "there is no such bucket; check its name and endpoint"},
    {0, "InvalidAccessKeyId", "the server does not know the keys; check them and endpoint"},
    {0, "SignatureDoesNotMatch",
     "the secret key is wrong; check AWS_SECRET_ACCESS_KEY or profile="},
    {401, NULL, "no user, password or key fits; those of web servers are looked up in ~/.netrc"},
    {405, NULL, NOT_S3},
    {407, NULL, "the proxy needs user and password; name them in http_proxy or https_proxy"},
    {416, NULL, EMPTY},
    {501, NULL, NOT_S3},
};

static const char *sentence_of(const struct lod_http_answer *answer, enum lod_http_verdict verdict)
{
    if (answer->status == 200 && answer->has_length && !answer->length) {
        return EMPTY;
    }
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].status ? reasons[i].status == answer->status
                              : strcmp(reasons[i].code, answer->code) == 0) {
            return reasons[i].sentence;
        }
    }
    return sentences[verdict];
}

void lod_http_answer_text(const struct lod_http_answer *answer, enum lod_http_verdict verdict,
                          char *text, size_t room)
{
    const bool known_region = verdict == LOD_HTTP_MOVED && answer->region[0];

    snprintf(text, room, "HTTP %u%s%s: %s%s%s", answer->status, answer->code[0] ? " " : "",
             answer->code, sentence_of(answer, verdict),
             known_region ? "; the bucket's region is " : "", known_region ? answer->region : "");
}
