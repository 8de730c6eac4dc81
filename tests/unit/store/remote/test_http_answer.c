/* SPDX-License-Identifier: Apache-2.0 */
#include "http/http_answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "http/http_retry.h"

#define SECOND_NS 1000000000ull

/* Lines are separated by '\n'. */
static struct lod_http_answer answer_of(const char *lines)
{
    struct lod_http_answer answer = {0};

    while (*lines) {
        size_t bytes = strcspn(lines, "\n");
        cr_assert(lod_http_answer_line(&answer, lines, bytes));
        lines += bytes + (lines[bytes] == '\n');
    }
    return answer;
}

/* Bytes 10 .. 19 of 100 were asked for. */
static enum lod_http_verdict verdict(const char *lines)
{
    const struct lod_http_range range = {.first = 10, .last = 19, .total = 100, .etag = "\"one\""};
    const struct lod_http_answer answer = answer_of(lines);

    return lod_http_answer_judge(&answer, &range);
}

Test(http_answer, with_the_range_is_right)
{
    cr_assert_eq(verdict("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-19/100\r\n"
                         "Content-Length: 10\r\nETag: \"one\"\r\n"),
                 LOD_HTTP_RIGHT);
    cr_assert_eq(verdict("HTTP/1.0 206\ncontent-range:bytes 10-19/100\nContent-Encoding: identity"),
                 LOD_HTTP_RIGHT);
    cr_assert_eq(verdict("HTTP/1.1 206 x\nContent-Range: bytes 10-19/100\nETag: W/\"two\""),
                 LOD_HTTP_RIGHT);
}

Test(http_answer, of_another_range_or_form_is_broken)
{
    static const char *const ranges[] = {
        "bytes 11-20/100",
        "bytes 10-18/100",
        "bytes 10-20/100",
        "bytes 10-9/100",
        "bytes 10-19/*",
        "bytes */100",
        "octets 10-19/100",
        "bytes 10-19/100 ",
        "bytes -19/100",
        "bytes 10-19/18446744073709551716",
        "bytes 10-19/100x",
        "bytes 0x10-19/100",
        "",
    };
    char lines[200];

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        snprintf(lines, sizeof(lines), "HTTP/1.1 206 x\nContent-Range: %s", ranges[i]);
        /* A blank at the end is trimmed. */
        enum lod_http_verdict expected = i == 7 ? LOD_HTTP_RIGHT : LOD_HTTP_BROKEN;
        cr_assert_eq(verdict(lines), expected, "%s", ranges[i]);
    }
    cr_assert_eq(verdict("HTTP/1.1 206 x"), LOD_HTTP_BROKEN);
    cr_assert_eq(verdict("HTTP/1.1 206 x\nContent-Range: bytes 10-19/100\nContent-Length: 9"),
                 LOD_HTTP_BROKEN);
    cr_assert_eq(verdict("HTTP/1.1 206 x\nContent-Range: bytes 10-19/100\nContent-Encoding: gzip"),
                 LOD_HTTP_BROKEN);
}

Test(http_answer, of_another_object_is_a_change)
{
    cr_assert_eq(verdict("HTTP/1.1 206 x\nContent-Range: bytes 10-19/101"), LOD_HTTP_CHANGED);
    cr_assert_eq(verdict("HTTP/1.1 206 x\nContent-Range: bytes 10-19/100\nETag: \"two\""),
                 LOD_HTTP_CHANGED);
    cr_assert_eq(verdict("HTTP/1.1 412 Precondition Failed"), LOD_HTTP_CHANGED);
    cr_assert_eq(verdict("HTTP/1.1 416 x"), LOD_HTTP_CHANGED);
}

Test(http_answer, of_an_object_of_unknown_size_may_be_shorter)
{
    const struct lod_http_range range = {.first = 0, .last = 65535, .etag = ""};
    struct lod_http_answer answer = answer_of("HTTP/1.1 206 x\nContent-Range: bytes 0-99/100");

    cr_assert_eq(lod_http_answer_judge(&answer, &range), LOD_HTTP_RIGHT);
    answer = answer_of("HTTP/1.1 206 x\nContent-Range: bytes 0-98/100");
    cr_assert_eq(lod_http_answer_judge(&answer, &range), LOD_HTTP_BROKEN);
    answer = answer_of("HTTP/1.1 206 x\nContent-Range: bytes 0-65535/1000000000");
    cr_assert_eq(lod_http_answer_judge(&answer, &range), LOD_HTTP_RIGHT);
}

static enum lod_http_verdict of_code(unsigned status, const char *code)
{
    char line[64], body[200];

    snprintf(line, sizeof(line), "HTTP/1.1 %u x", status);
    snprintf(body, sizeof(body), "<?xml?><Error><Code>%s</Code><Message>m</Message></Error>", code);
    struct lod_http_answer answer = answer_of(line);
    lod_http_answer_body(&answer, body, strlen(body));
    return lod_http_answer_judge(&answer, &(struct lod_http_range){.last = 9, .etag = ""});
}

Test(http_answer, of_an_error_is_told_by_status_and_code)
{
    cr_assert_eq(of_code(200, ""), LOD_HTTP_NO_RANGES);
    cr_assert_eq(of_code(302, ""), LOD_HTTP_MOVED);
    cr_assert_eq(of_code(400, "AuthorizationHeaderMalformed"), LOD_HTTP_MOVED);
    cr_assert_eq(of_code(400, "ExpiredToken"), LOD_HTTP_EXPIRED);
    cr_assert_eq(of_code(400, "InvalidRequest"), LOD_HTTP_REFUSED);
    cr_assert_eq(of_code(400, ""), LOD_HTTP_REFUSED);
    cr_assert_eq(of_code(403, "SignatureDoesNotMatch"), LOD_HTTP_DENIED);
    cr_assert_eq(of_code(404, "NoSuchKey"), LOD_HTTP_MISSING);
    cr_assert_eq(of_code(429, ""), LOD_HTTP_SLOW_DOWN);
    cr_assert_eq(of_code(500, "InternalError"), LOD_HTTP_BUSY);
    cr_assert_eq(of_code(500, "SlowDown"), LOD_HTTP_SLOW_DOWN);
    cr_assert_eq(of_code(501, ""), LOD_HTTP_REFUSED);
    cr_assert_eq(of_code(503, ""), LOD_HTTP_SLOW_DOWN);
}

Test(http_answer, headers_that_lie_or_never_end_are_refused)
{
    struct lod_http_answer answer = answer_of("HTTP/1.1 206 x\nETag: \"a\x01\"\nETag: \"\xc3\"");
    char line[1000];
    unsigned lines = 0;

    cr_assert_str_eq(answer.etag, "\"\xc3\"");
    answer = answer_of("HTTP/1.1 206 x\nETag: \"a b\"");
    cr_assert_str_eq(answer.etag, "");
    answer = answer_of("HTTP/1.1 301 x\nx-amz-bucket-region: eu/../1");
    cr_assert_str_eq(answer.region, "");
    answer = answer_of("HTTP/1.1 301 x\nx-amz-bucket-region: eu-west-3");
    cr_assert_str_eq(answer.region, "eu-west-3");
    memset(line, 'a', sizeof(line));
    while (lod_http_answer_line(&answer, line, sizeof(line))) {
        cr_assert_lt(lines++, 100);
    }
}

Test(http_answer, head_names_a_region_without_a_code)
{
    struct lod_http_answer answer = answer_of("HTTP/1.1 400 x\nx-amz-bucket-region: eu-west-3");

    cr_assert_eq(lod_http_answer_judge_whole(&answer), LOD_HTTP_MOVED);
    lod_http_answer_body(&answer, "<Code>BadDigest</Code>", 22);
    cr_assert_eq(lod_http_answer_judge_whole(&answer), LOD_HTTP_REFUSED);
}

Test(http_answer, redirect_is_forgotten_at_the_next_status_line)
{
    struct lod_http_answer answer =
        answer_of("HTTP/1.1 302 x\nETag: \"old\"\nContent-Range: bytes 0-1/2\nHTTP/1.1 200 x");

    cr_assert_eq(answer.status, 200);
    cr_assert_str_eq(answer.etag, "");
    cr_assert_not(answer.has_range);
}

Test(http_answer, code_of_an_error_is_a_word)
{
    struct lod_http_answer answer = {.status = 403};

    lod_http_answer_body(&answer, "<Code>a\nb</Code>", 16);
    cr_assert_str_eq(answer.code, "");
    lod_http_answer_body(&answer, "<Code>AccessDen", 15);
    cr_assert_str_eq(answer.code, "");
    lod_http_answer_body(&answer, "<Code>AccessDenied</Code>", 25);
    cr_assert_str_eq(answer.code, "AccessDenied");
}

Test(http_answer, text_says_what_to_do)
{
    struct lod_http_answer answer = {.status = 403, .code = "RequestTimeTooSkewed"};
    char text[200];

    lod_http_answer_text(&answer, LOD_HTTP_DENIED, text, sizeof(text));
    cr_assert_not_null(strstr(text, "clock"));
    answer = (struct lod_http_answer){.status = 301, .region = "eu-west-3"};
    lod_http_answer_text(&answer, LOD_HTTP_MOVED, text, sizeof(text));
    cr_assert_not_null(strstr(text, "HTTP 301: "));
    cr_assert_not_null(strstr(text, "eu-west-3"));
    answer = (struct lod_http_answer){.status = 501};
    lod_http_answer_text(&answer, LOD_HTTP_REFUSED, text, sizeof(text));
    cr_assert_not_null(strstr(text, "check that endpoint is an S3 server"));
    answer = (struct lod_http_answer){.status = 401};
    lod_http_answer_text(&answer, LOD_HTTP_DENIED, text, sizeof(text));
    cr_assert_not_null(strstr(text, "~/.netrc"));
    answer = (struct lod_http_answer){.status = 403, .code = "SignatureDoesNotMatch"};
    lod_http_answer_text(&answer, LOD_HTTP_DENIED, text, sizeof(text));
    cr_assert_not_null(strstr(text, "the secret key is wrong"));
}

/* ---------------------------------------------------------------------------------- retries */

Test(http_retry, pauses_double_up_to_five_seconds_and_are_half_random)
{
    for (unsigned tries = 0; tries < 20; tries++) {
        uint64_t most = tries < 7 ? (50000000ull << tries) : 5 * SECOND_NS;
        cr_assert_eq(lod_retry_pause_ns(tries, 0, 0), most / 2);
        cr_assert_eq(lod_retry_pause_ns(tries, 0, UINT32_MAX), most);
    }
    cr_assert_eq(lod_retry_pause_ns(0, 3, 0), 3 * SECOND_NS);
    cr_assert_eq(lod_retry_pause_ns(0, 3000, 0), 10 * SECOND_NS);
}

Test(http_retry, budget_ends_and_comes_back)
{
    struct lod_retry_budget budget;
    unsigned taken = 0;

    lod_retry_budget_init(&budget, SECOND_NS);
    while (lod_retry_budget_take(&budget, SECOND_NS)) {
        taken++;
    }
    cr_assert_eq(taken, 20);
    for (unsigned i = 0; i < 10; i++) {
        cr_assert_not(lod_retry_budget_take(&budget, 2 * SECOND_NS));
        lod_retry_budget_earn(&budget);
    }
    cr_assert(lod_retry_budget_take(&budget, 2 * SECOND_NS));
    cr_assert_not(lod_retry_budget_take(&budget, 60 * SECOND_NS));
    cr_assert(lod_retry_budget_take(&budget, 61 * SECOND_NS));
}

Test(http_retry, what_cannot_help_is_not_tried)
{
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_DENIED), 0);
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_CHANGED), 0);
    cr_assert_eq(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_MISSING), 1);
    cr_assert_eq(lod_retry_max(LOD_RETRY_CERTIFICATE, LOD_HTTP_RIGHT), 0);
    cr_assert_gt(lod_retry_max(LOD_RETRY_TRANSPORT, LOD_HTTP_DENIED), 10);
    cr_assert_gt(lod_retry_max(LOD_RETRY_ANSWER, LOD_HTTP_BUSY), 10);
}
