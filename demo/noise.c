/* SPDX-License-Identifier: Apache-2.0 */
/* Value noise: random numbers on a lattice with cubic interpolation, summed over octaves. */
#include "noise.h"

#include <math.h>
#include <stdlib.h>

uint64_t dice_roll(struct dice *dice)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

float dice_unit(struct dice *dice)
{
    return (float)(dice_roll(dice) >> 40) * 0x1p-24f;
}

float dice_between(struct dice *dice, float a, float b)
{
    return a + (b - a) * dice_unit(dice);
}

unsigned dice_below(struct dice *dice, unsigned limit)
{
    return (unsigned)(dice_roll(dice) % limit);
}

/* Weights of the uniform cubic B-spline at 0 <= t < 1, which hides the lattice. */
static void spline(float t, float weight[4])
{
    float u = 1 - t;
    weight[0] = u * u * u / 6;
    weight[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    weight[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
    weight[3] = t * t * t / 6;
}

/*
 * How the pixels of a line lie between lattice values. It is the same for each line of an octave.
 * Pixels end[i - 1] .. end[i] - 1 lie in cell i. Pixel x takes weight[k][x] of lattice value i + k.
 */
struct line {
    unsigned *end;
    float *weight[4];
};

static void line_finish(struct line *line)
{
    free(line->end);
    free(line->weight[0]);
}

static int line_make(unsigned w, unsigned columns, float cell, struct line *ret_line)
{
    struct line line = {.end = malloc(columns * sizeof(*line.end)),
                        .weight = {malloc(4 * (size_t)w * sizeof(float))}};
    if (!line.end || !line.weight[0]) {
        line_finish(&line);
        return -1;
    }
    for (unsigned k = 1; k < 4; k++) {
        line.weight[k] = line.weight[k - 1] + w;
    }
    unsigned last = 0;
    for (unsigned x = 0; x < w; x++) {
        float at = (float)x / cell, weight[4];
        unsigned i = (unsigned)at;
        spline(at - (float)i, weight);
        for (unsigned k = 0; k < 4; k++) {
            line.weight[k][x] = weight[k];
        }
        while (last < i) {
            line.end[last++] = x;
        }
    }
    line.end[last] = w;
    *ret_line = line;
    return 0;
}

/* Adds one row of lattice values, already interpolated along y, to the pixels of a line. */
static void add_line(float *restrict out, unsigned w, const struct line *line, const float *row,
                     float strength)
{
    const float *a = line->weight[0], *b = line->weight[1];
    const float *c = line->weight[2], *d = line->weight[3];

    for (unsigned i = 0, x = 0; x < w; i++) {
        const float first = row[i], second = row[i + 1], third = row[i + 2], fourth = row[i + 3];
        for (const unsigned end = line->end[i]; x < end; x++) {
            out[x] += strength * (a[x] * first + b[x] * second + c[x] * third + d[x] * fourth);
        }
    }
}

/* Interpolates the lattice along y: one row, `at` cells from the first. */
static void mix_rows(const float *lattice, unsigned columns, float at, float *ret_row)
{
    float weight[4];
    unsigned j = (unsigned)at;
    spline(at - (float)j, weight);
    for (unsigned i = 0; i < columns; i++) {
        const float *l = lattice + (size_t)j * columns + i;
        ret_row[i] = weight[0] * l[0] + weight[1] * l[columns] + weight[2] * l[2 * columns] +
                     weight[3] * l[3 * columns];
    }
}

static int add_octave(float *plane, unsigned w, unsigned h, float cell_w, float cell_h,
                      float strength, struct dice *dice)
{
    unsigned columns = (unsigned)((float)w / cell_w) + 5, rows = (unsigned)((float)h / cell_h) + 5;
    struct line line;
    float *lattice = malloc(((size_t)rows + 1) * columns * sizeof(*lattice));
    if (!lattice || line_make(w, columns, cell_w, &line) != 0) {
        free(lattice);
        return -1;
    }
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        lattice[i] = dice_between(dice, -1, 1);
    }
    float *mixed = lattice + (size_t)rows * columns;
    for (unsigned y = 0; y < h; y++) {
        mix_rows(lattice, columns, (float)y / cell_h, mixed);
        add_line(plane + (size_t)y * w, w, &line, mixed, strength);
    }
    line_finish(&line);
    free(lattice);
    return 0;
}

/* Scales the values to 0 .. 1: three standard deviations on either side of the mean. */
static void level(float *plane, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += plane[i];
        squares += (double)plane[i] * plane[i];
    }
    double mean = sum / (double)count;
    double spread = sqrt(fmax(squares / (double)count - mean * mean, 1e-12));
    for (size_t i = 0; i < count; i++) {
        float v = (float)((plane[i] - mean) / (6 * spread) + .5);
        plane[i] = fminf(fmaxf(v, 0), 1);
    }
}

float *noise_plane(unsigned w, unsigned h, float grain, float stretch, float gain,
                   struct dice *dice)
{
    float *plane = calloc((size_t)w * h, sizeof(*plane));
    if (!plane) {
        return NULL;
    }
    float strength = 1;
    for (float cell = grain; cell >= 1; cell /= 2, strength *= gain) {
        if (add_octave(plane, w, h, fmaxf(cell * stretch, 1), cell, strength, dice) != 0) {
            free(plane);
            return NULL;
        }
    }
    level(plane, (size_t)w * h);
    return plane;
}
