/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LIBSVM's sparse text, line by line: a label, then index:value pairs by ascending index, then
 * perhaps a comment behind #. Bytes in, numbers out.
 */
#ifndef LOD_LIBSVM_READ_H
#define LOD_LIBSVM_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_LIBSVM_INDEX_MAX (1u << 28)

/* All zero to begin; room is kept from line to line. */
struct lod_libsvm_row {
    bool blank; /* nothing but white space and a comment */
    double label;
    uint32_t *index; /* as in the file */
    double *value;
    uint32_t count, room;
};

void lod_libsvm_row_finish(struct lod_libsvm_row *row);

/*
 * The line at the start of `bytes`, its line break taken too. -EAGAIN: it goes on behind them
 * (never if they are the `last`). -EILSEQ, -E2BIG with *ret_why. -ENOMEM.
 */
LOD_MUST_CHECK int lod_libsvm_take(struct lod_libsvm_row *row, struct lod_span bytes, bool last,
                                   size_t *ret_taken, const char **ret_why);

#endif
