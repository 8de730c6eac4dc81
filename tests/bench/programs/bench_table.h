/* SPDX-License-Identifier: Apache-2.0 */
/* A table of doubles with labels, for training: made here, or a .npy of doubles in C order. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct bench_table {
    uint32_t rows, columns;
    double *data;
    double *label; /* 0 or 1: the side of a fixed plane on which the row lies */
    double square; /* mean of the rows' sums of squares */
};

/*
 * Makes a table; `what` is flows, census, counts, strokes or a path. Returns 0, or 1 after a
 * message.
 */
int bench_table_make(const char *what, uint32_t rows, struct bench_table *ret_table);
void bench_table_finish(struct bench_table *table);

/* Returns a pseudo-random number in 0 .. 1 from a seed. */
double bench_chance(uint64_t *seed);

#endif
