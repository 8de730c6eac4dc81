/* SPDX-License-Identifier: Apache-2.0 */
/* A table of doubles with labels, to train on: made here, or a .npy of doubles
 * in C order. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct bench_table {
    uint32_t rows, columns;
    double *data;
    double *label; /* 0 or 1: on which side of a plane that every run has alike
                      the row lies */
    double square; /* mean of the rows' sums of squares */
};

/* `what` is flows, census, counts, strokes or a path. 0, or 1 and a message. */
int bench_table_make(const char *what, uint32_t rows, struct bench_table *ret_table);
void bench_table_finish(struct bench_table *table);

/* Numbers below 1 from a seed. */
double bench_chance(uint64_t *seed);

#endif
