/* SPDX-License-Identifier: Apache-2.0 */
/* See likeness.h. */
#include "pack/scans/likeness.h"

#include <math.h>
#include <string.h>

#define F LOD_PHOTO_FEATURES

/* With fewer photographs for each feature, slopes are not fitted. */
#define PHOTOS_A_FEATURE 4

/* Ridge regression: keeps slopes small along directions in which the sample hardly varies. */
#define RIDGE 1e-3

#define ERRORS_OF_95_PERCENT 1.96 /* standard errors */

/* The drawn photographs, by class. */
struct strata {
    const struct lod_measure *m;
    unsigned photos[LOD_QUANT_CLASSES], classes;
    double weight[LOD_QUANT_CLASSES]; /* weights of the classes with photographs; they sum to 1 */
    double mssim[LOD_QUANT_CLASSES][LOD_SCRIPT_GROUPS];
    double features[LOD_QUANT_CLASSES][F];
};

/* Returns NULL if the photograph was not drawn, or cannot be measured. */
static const struct lod_curve *curve_of(const struct strata *s, unsigned photo)
{
    return s->m->drawn_fit[photo] ? &s->m->drawn[photo] : NULL;
}

static void add_photo(struct strata *s, unsigned class, const struct lod_curve *curve)
{
    s->photos[class]++;
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        s->mssim[class][k] += curve->mssim[k];
    }
    for (unsigned f = 0; f < F; f++) {
        s->features[class][f] += curve->features[f];
    }
}

static void weigh_classes(struct strata *s, struct lod_likeness *l)
{
    double seen = 0;

    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        seen += s->photos[c] ? s->m->sample->seen[c] : 0;
    }
    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        if (!s->photos[c]) {
            continue;
        }
        s->classes++;
        s->weight[c] = s->m->sample->seen[c] / seen;
        for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
            s->mssim[c][k] /= s->photos[c];
            l->mssim[k] += s->weight[c] * s->mssim[c][k];
        }
        for (unsigned f = 0; f < F; f++) {
            s->features[c][f] /= s->photos[c];
            l->features[f] += s->weight[c] * s->features[c][f];
        }
    }
}

/* Solves a x = b in place for every column of b, by Cholesky;
 * a is symmetric and positive definite. */
static void solve(double a[F][F], double b[F][LOD_SCRIPT_GROUPS])
{
    for (unsigned i = 0; i < F; i++) {
        for (unsigned j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (unsigned k = 0; k < j; k++) {
                sum -= a[i][k] * a[j][k];
            }
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    }
    for (unsigned column = 0; column < LOD_SCRIPT_GROUPS; column++) {
        for (unsigned i = 0; i < F; i++) {
            for (unsigned k = 0; k < i; k++) {
                b[i][column] -= a[i][k] * b[k][column];
            }
            b[i][column] /= a[i][i];
        }
        for (unsigned i = F; i-- > 0;) {
            for (unsigned k = i + 1; k < F; k++) {
                b[i][column] -= a[k][i] * b[k][column];
            }
            b[i][column] /= a[i][i];
        }
    }
}

/* Computes the difference of a photograph from the mean of its class. */
static void deviate(const struct strata *s, unsigned class, const struct lod_curve *curve,
                    double x[F], double y[LOD_SCRIPT_GROUPS])
{
    for (unsigned f = 0; f < F; f++) {
        x[f] = curve->features[f] - s->features[class][f];
    }
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        y[k] = curve->mssim[k] - s->mssim[class][k];
    }
}

/* Fits slopes by least squares within classes. */
static void fit_slopes(const struct strata *s, struct lod_likeness *l)
{
    double a[F][F] = {{0}}, b[F][LOD_SCRIPT_GROUPS] = {{0}};
    double x[F], y[LOD_SCRIPT_GROUPS], trace = 0;

    for (unsigned i = 0; i < s->m->sample->count; i++) {
        const struct lod_curve *curve = curve_of(s, i);
        if (!curve) {
            continue;
        }
        deviate(s, s->m->sample->photos[i].class, curve, x, y);
        for (unsigned f = 0; f < F; f++) {
            for (unsigned g = 0; g < F; g++) {
                a[f][g] += x[f] * x[g];
            }
            for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
                b[f][k] += x[f] * y[k];
            }
        }
    }
    for (unsigned f = 0; f < F; f++) {
        trace += a[f][f];
    }
    for (unsigned f = 0; f < F; f++) {
        a[f][f] += RIDGE * trace / F + 1e-12;
    }
    solve(a, b);
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        for (unsigned f = 0; f < F; f++) {
            l->slopes[k][f] = b[f][k];
        }
    }
}

/* `spent` is the number of fitted parameters. */
static void measure_variance(const struct strata *s, unsigned spent, struct lod_likeness *l)
{
    double x[F], y[LOD_SCRIPT_GROUPS], sums[LOD_SCRIPT_GROUPS] = {0};
    const double left = l->photos > spent + 1 ? l->photos - spent : 1;

    for (unsigned i = 0; i < s->m->sample->count; i++) {
        const struct lod_curve *curve = curve_of(s, i);
        if (!curve) {
            continue;
        }
        deviate(s, s->m->sample->photos[i].class, curve, x, y);
        for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
            for (unsigned f = 0; f < F; f++) {
                y[k] -= l->slopes[k][f] * x[f];
            }
            sums[k] += y[k] * y[k];
        }
    }
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        l->variance[k] = sums[k] / left;
    }
}

/* Computes the variance between classes at equal features: the error if their shares are wrong. */
static void measure_between(const struct strata *s, struct lod_likeness *l)
{
    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        l->seen += s->photos[c] ? s->m->sample->seen[c] : 0;
        for (unsigned k = 0; k < LOD_SCRIPT_GROUPS && s->photos[c]; k++) {
            double apart = s->mssim[c][k] - l->mssim[k];
            for (unsigned f = 0; f < F; f++) {
                apart -= l->slopes[k][f] * (s->features[c][f] - l->features[f]);
            }
            l->between[k] += s->weight[c] * apart * apart;
        }
    }
}

void lod_likeness_fit(const struct lod_measure *m, struct lod_likeness *ret_likeness)
{
    struct strata s = {.m = m};

    memset(ret_likeness, 0, sizeof(*ret_likeness));
    for (unsigned i = 0; i < m->sample->count; i++) {
        const struct lod_curve *curve = curve_of(&s, i);
        if (curve) {
            add_photo(&s, m->sample->photos[i].class, curve);
            ret_likeness->photos++;
        }
    }
    if (!ret_likeness->photos) {
        return;
    }
    weigh_classes(&s, ret_likeness);
    const bool many = ret_likeness->photos >= PHOTOS_A_FEATURE * F + s.classes;
    if (many) {
        fit_slopes(&s, ret_likeness);
    }
    measure_variance(&s, s.classes + (many ? F : 0), ret_likeness);
    measure_between(&s, ret_likeness);
}

double lod_likeness_mean(const struct lod_likeness *l, const struct lod_likeness_sums *sums,
                         unsigned k)
{
    double mean = l->mssim[k];

    for (unsigned f = 0; f < F && sums->photos; f++) {
        mean += l->slopes[k][f] * (sums->features[f] / (double)sums->photos - l->features[f]);
    }
    return mean < 0 ? 0 : mean > 1 ? 1 : mean;
}

/* Returns the variance of the mean of `count` photographs drawn from `all`. */
static double of_mean(double variance, unsigned count, uint64_t all)
{
    return count < all ? variance / count * (double)(all - count) / (double)all : 0;
}

double lod_likeness_within(const struct lod_likeness *l, const struct lod_likeness_sums *sums,
                           unsigned k)
{
    return ERRORS_OF_95_PERCENT * sqrt(of_mean(l->variance[k], l->photos, sums->photos) +
                                       of_mean(l->between[k], l->seen, sums->photos));
}
