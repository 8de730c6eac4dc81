/* SPDX-License-Identifier: Apache-2.0 */
/* The models of the paper's table 1, with the products of batch_forms.h; see train_models.h. */
#include "train_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECAY  1e-4
#define SPREAD 1e-3 /* of the network's initial weights */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void logistic(struct model *m, const struct ready *batch, const double *label)
{
    ready_times(batch, m->weights, m->scores);
    for (uint32_t r = 0; r < batch->rows; r++) {
        m->scores[r] = (sigmoid(m->scores[r]) - label[r]) * m->rate / batch->rows;
    }
    ready_back(batch, m->scores, m->gradient);
    for (uint32_t c = 0; c < m->columns; c++) {
        m->weights[c] -= m->gradient[c];
    }
}

static void svm(struct model *m, const struct ready *batch, const double *label)
{
    ready_times(batch, m->weights, m->scores);
    for (uint32_t r = 0; r < batch->rows; r++) {
        double side = 2 * label[r] - 1;
        m->scores[r] = side * m->scores[r] < 1 ? -side * m->rate / batch->rows : 0;
    }
    ready_back(batch, m->scores, m->gradient);
    for (uint32_t c = 0; c < m->columns; c++) {
        m->weights[c] -= m->gradient[c] + m->rate * DECAY * m->weights[c];
    }
}

/* Computes the errors of the output, then of the hidden layer, transposed: HIDDEN x rows. */
static void network_errors(struct model *m, uint32_t rows, const double *label)
{
    double *second = m->weights + (size_t)m->columns * HIDDEN, step[HIDDEN] = {0};

    for (uint32_t r = 0; r < rows; r++) {
        const double *layer = m->layer + (size_t)r * HIDDEN;
        double score = 0;
        for (uint32_t h = 0; h < HIDDEN; h++) {
            score += layer[h] * second[h];
        }
        double error = (sigmoid(score) - label[r]) * m->rate / rows;
        for (uint32_t h = 0; h < HIDDEN; h++) {
            step[h] += error * layer[h];
            m->turned[(size_t)h * rows + r] = error * second[h] * layer[h] * (1 - layer[h]);
        }
    }
    for (uint32_t h = 0; h < HIDDEN; h++) {
        second[h] -= step[h];
    }
}

static void network(struct model *m, const struct ready *batch, const double *label)
{
    ready_times_matrix(batch, m->weights, HIDDEN, m->layer);
    for (uint32_t i = 0; i < batch->rows * HIDDEN; i++) {
        m->layer[i] = sigmoid(m->layer[i]);
    }
    network_errors(m, batch->rows, label);
    ready_matrix_times(batch, m->turned, HIDDEN, m->gradient);
    for (uint32_t c = 0; c < m->columns; c++) {
        for (uint32_t h = 0; h < HIDDEN; h++) {
            m->weights[(size_t)c * HIDDEN + h] -= m->gradient[(size_t)h * m->columns + c];
        }
    }
}

int model_init(struct model *model, const char *name, uint32_t columns, double rate)
{
    bool deep = strcmp(name, "network") == 0;
    struct model m = {.step = deep                            ? network
                              : strcmp(name, "logistic") == 0 ? logistic
                              : strcmp(name, "svm") == 0      ? svm
                                                              : NULL,
                      .columns = columns,
                      .rate = rate,
                      .weights_count = deep ? (size_t)(columns + 1) * HIDDEN : columns};
    uint64_t seed = 3;

    m.weights = calloc(m.weights_count, sizeof(double));
    m.scores = calloc(BATCH_ROWS, sizeof(double));
    m.gradient = calloc((size_t)columns * HIDDEN, sizeof(double));
    m.layer = calloc((size_t)BATCH_ROWS * HIDDEN, sizeof(double));
    m.turned = calloc((size_t)BATCH_ROWS * HIDDEN, sizeof(double));
    if (!m.step || !m.weights || !m.scores || !m.gradient || !m.layer || !m.turned) {
        model_finish(&m);
        return 1;
    }
    for (size_t i = 0; deep && i < m.weights_count; i++) {
        m.weights[i] = (bench_chance(&seed) - .5) * SPREAD;
    }
    *model = m;
    return 0;
}

void model_finish(struct model *m)
{
    free(m->weights);
    free(m->scores);
    free(m->gradient);
    free(m->layer);
    free(m->turned);
}

void model_step(struct model *model, const struct ready *batch, const double *label)
{
    model->step(model, batch, label);
}
