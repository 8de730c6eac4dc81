/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads LIBSVM's sparse text line by line: a label, index:value pairs by ascending index, and an
 * optional comment after #.
 */
#ifndef LOD_LIBSVM_READ_H
#define LOD_LIBSVM_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_LIBSVM_INDEX_MAX (1u << 28)

/* One line. Initialise to all zero; the memory is reused for each line. */
struct lod_libsvm_row {
    bool blank; /* only white space and a comment */
    double label;
    uint32_t *index; /* as in the file */
    double *value;
    uint32_t count, room;
};

void lod_libsvm_row_finish(struct lod_libsvm_row *row);

/*
 * Reads the line at the start of `bytes`, including its line break. Returns -EAGAIN if the line
 * continues past `bytes`, never if they are the `last`. Returns -EILSEQ or -E2BIG with *ret_why, or
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_libsvm_take(struct lod_libsvm_row *row, struct lod_span bytes, bool last,
                                   size_t *ret_taken, const char **ret_why);

#endif
