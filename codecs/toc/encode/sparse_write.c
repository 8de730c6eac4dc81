/* SPDX-License-Identifier: Apache-2.0 */
/* Turns dense or compressed sparse rows into pairs; see sparse_write.h. */
#include "toc/encode/sparse_write.h"

#include <errno.h>
#include <stdlib.h>

#define STEP 1024u /* elements converted to words at a time */

int lod_sparse_init(struct lod_sparse *sparse, uint32_t rows)
{
    *sparse = (struct lod_sparse){.start = malloc(((size_t)rows + 1) * sizeof(uint32_t))};
    if (!sparse->start) {
        return -ENOMEM;
    }
    sparse->start[0] = 0;
    return 0;
}

void lod_sparse_finish(struct lod_sparse *sparse)
{
    free(sparse->start);
    free(sparse->column);
    free(sparse->word);
    *sparse = (struct lod_sparse){0};
}

static int reserve(struct lod_sparse *sparse, uint64_t pairs)
{
    if (pairs > LOD_TOC_PAIRS_MAX) {
        return -E2BIG;
    }
    if (pairs <= sparse->room) {
        return 0;
    }
    uint64_t room = sparse->room * 2 > pairs ? sparse->room * 2 : pairs;
    uint32_t *column = realloc(sparse->column, room * sizeof(*column));
    sparse->column = column ? column : sparse->column;
    uint64_t *word = realloc(sparse->word, room * sizeof(*word));
    sparse->word = word ? word : sparse->word;
    if (!column || !word) {
        return -ENOMEM;
    }
    sparse->room = room;
    return 0;
}

/*
 * Keeps the words that are not 0. Every word is written, but the position advances only past those
 * that are kept: no branch.
 */
static uint32_t keep(const uint64_t *words, uint32_t count, uint32_t column, uint32_t *into_column,
                     uint64_t *into_word)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        into_column[kept] = column + i;
        into_word[kept] = words[i];
        kept += words[i] != 0;
    }
    return kept;
}

static int append_dense(struct lod_sparse *sparse, const struct lod_toc_rows *rows, uint32_t row)
{
    unsigned bytes = lod_dtype_bytes(rows->dtype);
    const uint8_t *at = (const uint8_t *)rows->dense + (uint64_t)row * rows->columns * bytes;
    uint32_t pairs = lod_sparse_pairs(sparse);
    uint64_t words[STEP];

    for (uint32_t column = 0; column < rows->columns; column += STEP) {
        uint32_t count = rows->columns - column < STEP ? rows->columns - column : STEP;
        int error = reserve(sparse, (uint64_t)pairs + count);
        if (error) {
            return error;
        }
        lod_dtype_words(rows->dtype, at + (uint64_t)column * bytes, count, words);
        pairs += keep(words, count, column, sparse->column + pairs, sparse->word + pairs);
    }
    sparse->start[++sparse->rows] = pairs;
    return 0;
}

static int append_entries(struct lod_sparse *sparse, const struct lod_toc_rows *rows, uint32_t row)
{
    uint64_t first = rows->starts[row], end = rows->starts[row + 1], least = 0;
    const uint8_t *value = rows->entry_value;
    uint32_t pairs = lod_sparse_pairs(sparse);
    unsigned bytes = lod_dtype_bytes(rows->dtype);

    if (end < first) {
        return -EINVAL;
    }
    int error = end - first > LOD_TOC_PAIRS_MAX ? -E2BIG : reserve(sparse, pairs + (end - first));
    for (uint64_t i = first; i < end && !error; i++) {
        uint32_t column = rows->entry_column[i];
        uint64_t word;
        if (column < least || column >= rows->columns) {
            return -EINVAL;
        }
        least = (uint64_t)column + 1;
        lod_dtype_words(rows->dtype, value + i * bytes, 1, &word);
        sparse->column[pairs] = column;
        sparse->word[pairs] = word;
        pairs += word != 0;
    }
    if (!error) {
        sparse->start[++sparse->rows] = pairs;
    }
    return error;
}

int lod_sparse_append(struct lod_sparse *sparse, const struct lod_toc_rows *rows, uint32_t first,
                      uint32_t count)
{
    int error = 0;

    for (uint32_t row = first; row < first + count && !error; row++) {
        error = rows->dense ? append_dense(sparse, rows, row) : append_entries(sparse, rows, row);
    }
    return error;
}
