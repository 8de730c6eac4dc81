/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV records; see csv_read.h. */
#include "toc/source/csv_read.h"

#include <errno.h>
#include <stdlib.h>

/* The record being read. */
struct taking {
    struct lod_csv_row *row;
    struct lod_span bytes;
    size_t at;
    bool last;
    char delimiter;
    const char *why;
};

void lod_csv_row_finish(struct lod_csv_row *row)
{
    lod_buf_finish(&row->text);
    free(row->end);
    *row = (struct lod_csv_row){0};
}

static int fail(struct taking *t, int error, const char *why)
{
    t->why = why;
    return error;
}

static int end_field(struct taking *t)
{
    struct lod_csv_row *row = t->row;

    if (row->count == LOD_CSV_COLUMNS_MAX) {
        return fail(t, -E2BIG, "it has more than 65,536 columns");
    }
    if (row->count == row->room) {
        uint32_t room = row->room ? 2 * row->room : 64;
        size_t *end = reallocarray(row->end, room, sizeof(*end));
        if (!end) {
            return -ENOMEM;
        }
        row->end = end;
        row->room = room;
    }
    row->end[row->count++] = row->text.bytes;
    return 0;
}

/* Called when no byte is left: at the end of the file, or of the bytes passed. */
static int run_out(struct taking *t)
{
    return t->bytes.bytes > LOD_TEXT_LINE_MAX ? fail(t, -E2BIG, "it has more than 16 MiB")
           : t->last                          ? 0
                                              : -EAGAIN;
}

static int add(struct taking *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (t->bytes.at[i] == '\0') {
            return fail(t, -EILSEQ, LOD_TEXT_NUL);
        }
    }
    return lod_buf_append(&t->row->text, t->bytes.at + from, to - from);
}

/* Reads from after the opening quote to after the closing one. */
static int take_quoted(struct taking *t)
{
    const uint32_t opened = t->row->lines;

    while (true) {
        const size_t from = t->at;
        while (t->at < t->bytes.bytes && t->bytes.at[t->at] != '"') {
            t->row->lines += t->bytes.at[t->at++] == '\n';
        }
        int error = add(t, from, t->at);
        if (error) {
            return error;
        }
        if (t->at == t->bytes.bytes) {
            error = run_out(t);
            t->row->lines = opened;
            return error ? error : fail(t, -EILSEQ, "a quote is not closed");
        }
        t->at++;
        if (t->at == t->bytes.bytes || t->bytes.at[t->at] != '"') {
            return t->at == t->bytes.bytes ? run_out(t) : 0;
        }
        error = add(t, t->at, t->at + 1);
        if (error) {
            return error;
        }
        t->at++;
    }
}

static bool ends_plain(const struct taking *t, uint8_t c)
{
    return c == (uint8_t)t->delimiter || c == '\n';
}

static int take_plain(struct taking *t)
{
    const size_t from = t->at;

    while (t->at < t->bytes.bytes && !ends_plain(t, t->bytes.at[t->at])) {
        if (t->bytes.at[t->at++] == '"') {
            return fail(
                t, -EILSEQ,
                "a quote stands inside a field; those around it may have no space before them");
        }
    }
    int error = t->at == t->bytes.bytes ? run_out(t) : 0;
    size_t to = t->at;
    if (to > from && t->bytes.at[to - 1] == '\r' &&
        (to == t->bytes.bytes || t->bytes.at[to] == '\n')) {
        to--;
    }
    return error ? error : add(t, from, to);
}

/*
 * Reads one field and the byte that ends it. *ret_more: that was a delimiter, so another field
 * follows.
 */
static int take_field(struct taking *t, bool *ret_more)
{
    const bool quoted = t->at < t->bytes.bytes && t->bytes.at[t->at] == '"';

    t->at += quoted;
    int error = quoted ? take_quoted(t) : take_plain(t);
    if (!error && quoted && t->at < t->bytes.bytes && t->bytes.at[t->at] == '\r') {
        t->at++;
        error = t->at == t->bytes.bytes ? run_out(t) : 0;
    }
    if (!error && t->at < t->bytes.bytes && !ends_plain(t, t->bytes.at[t->at])) {
        error = fail(t, -EILSEQ, "text follows a closing quote");
    }
    *ret_more = !error && t->at < t->bytes.bytes && t->bytes.at[t->at] == (uint8_t)t->delimiter;
    t->at += !error && t->at < t->bytes.bytes;
    return error ? error : end_field(t);
}

int lod_csv_take(struct lod_csv_row *row, char delimiter, struct lod_span bytes, bool last,
                 size_t *ret_taken, const char **ret_why)
{
    struct taking t = {.row = row, .bytes = bytes, .last = last, .delimiter = delimiter};
    bool more = true;
    int error = 0;

    row->text.bytes = row->count = 0;
    row->lines = 0;
    while (!error && more) {
        error = take_field(&t, &more);
    }
    if (!error && t.at > LOD_TEXT_LINE_MAX) {
        error = fail(&t, -E2BIG, "it has more than 16 MiB");
    }
    if (error) {
        *ret_why = t.why;
        return error;
    }
    row->lines++;
    if (row->count == 1 && row->text.bytes == 0 && bytes.bytes && bytes.at[0] != '"') {
        row->count = 0;
    }
    *ret_taken = t.at;
    return 0;
}

char lod_csv_delimiter(struct lod_span bytes)
{
    static const char delimiters[] = ",;\t";
    size_t counts[3] = {0}, best = 0;
    bool quoted = false;

    for (size_t i = 0; i < bytes.bytes && (quoted || bytes.at[i] != '\n'); i++) {
        quoted ^= bytes.at[i] == '"';
        for (size_t d = 0; d < 3 && !quoted; d++) {
            counts[d] += bytes.at[i] == (uint8_t)delimiters[d];
        }
    }
    for (size_t d = 1; d < 3; d++) {
        best = counts[d] > counts[best] ? d : best;
    }
    return delimiters[best];
}
