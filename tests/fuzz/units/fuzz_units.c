/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: 4 bytes of length and any segment as a compressed raw file. Either its row is
 * refused, or each of its units is refused or made with its exact length. The units of a file that
 * can be made completely are compressed again and make the same file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw_row.h"
#include "raw_units_write.h"

#define LENGTH_MAX (UINT32_C(8) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(bool true_, const char *what)
{
    if (!true_) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* Makes one unit, of inputs that are copies of their exact length. */
static int make(const uint8_t *row, struct lod_span segment, uint64_t unit, uint8_t *into,
                size_t bytes)
{
    struct lod_inputs inputs = {0};
    unsigned done = 0;
    int error = lod_raw_maker.need(row, 0, unit, &inputs);

    while (!error && done < inputs.count) {
        struct lod_input *input = &inputs.input[done++];
        const struct lod_piece *piece = &input->plan.pieces[0];
        must(piece->offset <= segment.bytes && piece->bytes <= segment.bytes - piece->offset,
             "an input is outside of the segment");
        uint8_t *copy = malloc(piece->bytes);
        must(copy != NULL, "out of memory");
        memcpy(copy, segment.at + piece->offset, piece->bytes);
        input->data = (struct lod_span){.at = copy, .bytes = piece->bytes};
        error = lod_raw_maker.need(row, 0, unit, &inputs);
    }
    error = error ? error : lod_raw_maker.make(row, 0, unit, &inputs, into, bytes);
    for (unsigned i = 0; i < done; i++) {
        free((void *)(uintptr_t)inputs.input[i].data.at);
    }
    must(error == 0 || error == -EILSEQ, "the error of a unit is not EILSEQ");
    return error;
}

/* Makes all units of a file of `length` bytes. Returns the first error. */
static int make_all(const uint8_t *row, struct lod_span segment, uint8_t *file, size_t length)
{
    int first = 0;

    for (size_t at = 0; at < length; at += LOD_RAW_UNIT_BYTES) {
        const size_t left = length - at;
        const size_t bytes = left < LOD_RAW_UNIT_BYTES ? left : LOD_RAW_UNIT_BYTES;
        int error = make(row, segment, at / LOD_RAW_UNIT_BYTES, file + at, bytes);
        first = first ? first : error;
    }
    return first;
}

static void expect_same_again(const uint8_t *file, size_t length, uint8_t *again)
{
    struct lod_raw_units units;
    struct lod_buf into = {0};
    uint8_t row[LOD_ROW_BYTES];

    must(lod_raw_units_begin(&units, length, &into) == 0 &&
             lod_raw_units_add(&units, (struct lod_span){.at = file, .bytes = length}) == 0,
         "a file cannot be compressed");
    if (units.pays) {
        lod_raw_units_row(&units, row);
        must(make_all(row, lod_buf_span(&into), again, length) == 0 &&
                 memcmp(file, again, length) == 0,
             "a file differs after compressing");
    }
    lod_raw_units_finish(&units);
    lod_buf_finish(&into);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t row[LOD_ROW_BYTES] = {[LOD_RAW_AT_STORAGE] = LOD_RAW_ZSTD};
    struct lod_raw_row r;

    if (bytes < 4) {
        return 0;
    }
    const struct lod_span segment = {.at = data + 4, .bytes = bytes - 4};
    lod_put_le64(row + LOD_RAW_AT_LENGTH, lod_get_le32(data) % LENGTH_MAX);
    lod_put_le32(row + LOD_RAW_AT_STORED, (uint32_t)segment.bytes);
    if (lod_raw_row_read(row, &r)) {
        return 0;
    }
    uint8_t *file = malloc(2 * r.bytes);
    must(file != NULL, "out of memory");
    if (make_all(row, segment, file, r.bytes) == 0) {
        expect_same_again(file, r.bytes, file + r.bytes);
    }
    free(file);
    return 0;
}
