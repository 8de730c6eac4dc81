/* SPDX-License-Identifier: Apache-2.0 */
/* Reads LIBSVM lines; see libsvm_read.h. */
#include "toc/source/libsvm_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toc/source/csv_read.h"
#include "toc/source/text_number.h"

void lod_libsvm_row_finish(struct lod_libsvm_row *row)
{
    free(row->index);
    free(row->value);
    *row = (struct lod_libsvm_row){0};
}

static int reserve_one(struct lod_libsvm_row *row)
{
    if (row->count < row->room) {
        return 0;
    }
    uint32_t room = row->room ? 2 * row->room : 64;
    uint32_t *index = reallocarray(row->index, room, sizeof(*index));
    row->index = index ? index : row->index;
    double *value = reallocarray(row->value, room, sizeof(*value));
    row->value = value ? value : row->value;
    row->room = index && value ? room : row->room;
    return index && value ? 0 : -ENOMEM;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the next word between white space; empty at the end. */
static struct lod_span take_word(struct lod_span *line)
{
    while (line->bytes && is_space(line->at[0])) {
        line->at++;
        line->bytes--;
    }
    struct lod_span word = {.at = line->at};
    while (line->bytes && !is_space(line->at[0])) {
        line->at++;
        line->bytes--;
        word.bytes++;
    }
    return word;
}

/* Removes "index:" from the word, which leaves the value. */
static int take_index(struct lod_span *word, uint32_t *ret_index, const char **ret_why)
{
    uint64_t index = 0;
    size_t i = 0;

    for (; i < word->bytes && word->at[i] >= '0' && word->at[i] <= '9'; i++) {
        index = index * 10 + (word->at[i] - (unsigned)'0');
        if (index > LOD_LIBSVM_INDEX_MAX) {
            *ret_why = "an index is over 2^28";
            return -E2BIG;
        }
    }
    if (word->bytes >= 4 && memcmp(word->at, "qid:", 4) == 0) {
        *ret_why = "it has a qid, which lodfs does not support; remove qids from the file";
        return -EILSEQ;
    }
    if (i == 0 || i == word->bytes || word->at[i] != ':') {
        *ret_why = "a pair is not of the form index:value";
        return -EILSEQ;
    }
    *word = (struct lod_span){.at = word->at + i + 1, .bytes = word->bytes - i - 1};
    *ret_index = (uint32_t)index;
    return 0;
}

static int take_pair(struct lod_libsvm_row *row, struct lod_span word, const char **ret_why)
{
    uint32_t index = 0;
    double value = 0;
    int error = take_index(&word, &index, ret_why);

    error = error ? error : reserve_one(row);
    if (!error && (word.bytes == 0 || lod_text_number(word, &value) == LOD_NUMBER_NONE)) {
        *ret_why = "a value is not a number";
        return -EILSEQ;
    }
    if (!error && row->count && index <= row->index[row->count - 1]) {
        *ret_why = "its indexes do not ascend";
        return -EILSEQ;
    }
    if (!error) {
        row->index[row->count] = index;
        row->value[row->count++] = value;
    }
    return error;
}

static const char *why_no_label(struct lod_span word)
{
    if (memchr(word.at, ':', word.bytes)) {
        return "it has no label: a line is `label index:value ..`, a number first";
    }
    return memchr(word.at, ',', word.bytes)
               ? "its label is not a number; one label a line is kept, not several"
               : "its label is not a number; write one for each class";
}

static int take_line(struct lod_libsvm_row *row, struct lod_span line, const char **ret_why)
{
    const uint8_t *comment = line.bytes ? memchr(line.at, '#', line.bytes) : NULL;

    if (line.bytes && memchr(line.at, '\0', line.bytes)) {
        *ret_why = LOD_TEXT_NUL;
        return -EILSEQ;
    }
    line.bytes = comment ? (size_t)(comment - line.at) : line.bytes;
    struct lod_span word = take_word(&line);
    row->blank = word.bytes == 0;
    if (!row->blank && lod_text_number(word, &row->label) == LOD_NUMBER_NONE) {
        *ret_why = why_no_label(word);
        return -EILSEQ;
    }
    int error = 0;
    for (word = take_word(&line); !error && word.bytes; word = take_word(&line)) {
        error = take_pair(row, word, ret_why);
    }
    return error;
}

int lod_libsvm_take(struct lod_libsvm_row *row, struct lod_span bytes, bool last, size_t *ret_taken,
                    const char **ret_why)
{
    const uint8_t *end = bytes.bytes ? memchr(bytes.at, '\n', bytes.bytes) : NULL;
    const size_t line = end ? (size_t)(end - bytes.at) : bytes.bytes;

    row->count = 0;
    if (line > LOD_TEXT_LINE_MAX) {
        *ret_why = "it has more than 16 MiB";
        return -E2BIG;
    }
    if (!end && !last) {
        return -EAGAIN;
    }
    int error = take_line(row, (struct lod_span){.at = bytes.at, .bytes = line}, ret_why);
    if (!error) {
        *ret_taken = line + (end != NULL);
    }
    return error;
}
