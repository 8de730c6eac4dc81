/* SPDX-License-Identifier: Apache-2.0 */
/* Makes tables that resemble those of the paper. See bench_table.h. */
#include "bench_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

double bench_chance(uint64_t *seed)
{
    struct chance chance = {.state = *seed};
    uint64_t bits = chance_bits(&chance);
    *seed = chance.state;
    return (double)(bits >> 11) / 9007199254740992.0;
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(bench_chance(seed) * limit);
}

/* Returns a number below `limit`; r has a probability of about 1 / r. */
static uint32_t often_small(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(pow(limit, bench_chance(seed)) - 1);
}

/* Network flows: few kinds of rows, of categories and measures, and one measure that varies. */
static void flows(uint64_t *seed, double *row)
{
    uint64_t kind = 1000 + often_small(seed, 400);

    memset(row, 0, 118 * sizeof(*row));
    row[below(&kind, 3)] = 1;
    row[3 + often_small(&kind, 60)] = 1;
    row[63 + often_small(&kind, 11)] = 1;
    for (unsigned c = 74; c < 118; c++) {
        double any = bench_chance(&kind), value = bench_chance(&kind);
        row[c] = any < .65 ? 0 : any < .82 ? round(value * 100) / 100 : floor(value * 512);
    }
    if (bench_chance(seed) < .4) {
        row[74 + below(seed, 44)] = below(seed, 256);
    }
}

/* A census: one-hot groups of categories, and six numbers. */
static void census(uint64_t *seed, double *row)
{
    static const uint8_t groups[] = {8, 16, 7, 14, 6, 5, 2, 44};
    unsigned at = 6;

    memset(row, 0, 108 * sizeof(*row));
    row[0] = 17 + often_small(seed, 74);
    row[1] = below(seed, 20000);
    row[2] = 1 + often_small(seed, 16);
    row[3] = bench_chance(seed) < .08 ? often_small(seed, 100) * 331.0 : 0;
    row[4] = bench_chance(seed) < .05 ? often_small(seed, 90) * 47.0 : 0;
    row[5] = bench_chance(seed) < .5 ? 40 : 1 + below(seed, 99);
    for (unsigned g = 0; g < sizeof(groups); at += groups[g++]) {
        row[at + often_small(seed, groups[g])] = 1;
    }
}

/* Counts of 93 kinds of products; most are zero. */
static void counts(uint64_t *seed, double *row)
{
    for (unsigned c = 0; c < 93; c++) {
        row[c] = bench_chance(seed) < 1 - .8 / (1 + c % 7) ? 0 : 1 + often_small(seed, 30);
    }
}

/* Digits: 28 x 28 gray levels along a stroke. */
static void strokes(uint64_t *seed, double *row)
{
    double x = 8 + 12 * bench_chance(seed), y = 8 + 12 * bench_chance(seed);
    double angle = 6.28 * bench_chance(seed);

    memset(row, 0, 784 * sizeof(*row));
    for (uint32_t left = 20 + below(seed, 20); left > 0; left--) {
        angle += bench_chance(seed) - .5;
        x = fmin(fmax(x + cos(angle), 3), 24);
        y = fmin(fmax(y + sin(angle), 3), 24);
        for (int p = 0; p < 9; p++) {
            double *pixel = &row[((int)y + p / 3 - 1) * 28 + (int)x + p % 3 - 1];
            *pixel = fmin(255, *pixel + (p == 4 ? 180 : 20 + below(seed, 60)));
        }
    }
}

static const struct look {
    const char *name;
    uint32_t columns;
    void (*row)(uint64_t *seed, double *row);
} looks[] = {{"flows", 118, flows},
             {"census", 108, census},
             {"counts", 93, counts},
             {"strokes", 784, strokes}};

/*
 * Reads a .npy whose header says 'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns).
 */
static int load(const char *path, struct bench_table *table)
{
    char head[512] = {0};
    FILE *file = fopen(path, "rb");
    int failed = !file || fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY\1", 7) != 0;
    size_t bytes = (uint8_t)head[8] | (size_t)(uint8_t)head[9] << 8;

    if (!failed) {
        const char *shape;
        failed = bytes >= sizeof(head) || fread(head, 1, bytes, file) != bytes ||
                 !strstr(head, "'<f8'") || !strstr(head, "'fortran_order': False") ||
                 !(shape = strstr(head, "'shape': (")) ||
                 sscanf(shape, "'shape': (%u, %u", &table->rows, &table->columns) != 2;
    }
    size_t elements = (size_t)table->rows * table->columns;
    if (!failed) {
        table->data = malloc(elements * sizeof(*table->data));
        failed = !table->data || fread(table->data, 8, elements, file) != elements;
    }
    if (failed) {
        fprintf(stderr, "%s: no .npy of doubles in C order with two dimensions\n", path);
    }
    if (file) {
        fclose(file);
    }
    return failed;
}

static int make(const struct look *look, uint32_t rows, struct bench_table *table)
{
    uint64_t seed = 1;

    table->rows = rows;
    table->columns = look->columns;
    table->data = malloc((size_t)rows * look->columns * sizeof(*table->data));
    for (uint32_t r = 0; table->data && r < rows; r++) {
        look->row(&seed, table->data + (size_t)r * look->columns);
    }
    return table->data ? 0 : 1;
}

/*
 * Labels rows by their side of a plane with a random normal through the mean of the first 250 rows.
 */
static int add_labels(struct bench_table *table)
{
    double *scores = calloc((size_t)table->rows + 1, sizeof(*scores)), middle = 0;

    table->label = scores;
    for (uint32_t r = 0; scores && r < table->rows; r++) {
        uint64_t seed = 7;
        for (uint32_t c = 0; c < table->columns; c++) {
            double value = table->data[(size_t)r * table->columns + c];
            scores[r] += value * (bench_chance(&seed) - .5);
            table->square += value * value / table->rows;
        }
        middle += r < 250 ? scores[r] / (table->rows < 250 ? table->rows : 250) : 0;
    }
    for (uint32_t r = 0; scores && r < table->rows; r++) {
        scores[r] = scores[r] > middle;
    }
    return scores ? 0 : 1;
}

int bench_table_make(const char *what, uint32_t rows, struct bench_table *ret_table)
{
    struct bench_table table = {0};
    int failed = -1;

    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        if (strcmp(looks[i].name, what) == 0) {
            failed = make(&looks[i], rows, &table);
        }
    }
    failed = failed < 0 ? load(what, &table) : failed;
    failed = failed ? failed : add_labels(&table);
    if (failed) {
        bench_table_finish(&table);
        return 1;
    }
    *ret_table = table;
    return 0;
}

void bench_table_finish(struct bench_table *table)
{
    free(table->data);
    free(table->label);
    *table = (struct bench_table){0};
}
