/* SPDX-License-Identifier: Apache-2.0 */
/* One step of mini-batch SGD for three models, on a batch in any form. */
#ifndef TRAIN_MODELS_H
#define TRAIN_MODELS_H

#include <stddef.h>

#include "batch_forms.h"

#define HIDDEN 20u /* units of the network's hidden layer */

struct model {
    void (*step)(struct model *model, const struct ready *batch, const double *label);
    uint32_t columns;
    double rate;
    double *weights; /* network: columns x HIDDEN, then HIDDEN */
    size_t weights_count;
    double *scores, *gradient, *layer, *turned; /* of one batch */
};

/*
 * Initialises a model; `name` is logistic, svm or network. Returns 0, or 1 if there is no such
 * model or no memory. With a rate of at most 1 / (a row's mean square) steps do not amplify
 * rounding differences.
 */
int model_init(struct model *model, const char *name, uint32_t columns, double rate);
void model_finish(struct model *model);
void model_step(struct model *model, const struct ready *batch, const double *label);

#endif
