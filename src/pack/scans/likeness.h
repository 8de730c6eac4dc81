/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the mean MSSIM of a store at each fidelity, and the error of the estimate, from a
 * sample. The sample's mean is corrected by two facts known of all photographs: the number in each
 * quantisation class, and the bytes a pixel of their groups (photo_features.h). This is the
 * stratified regression estimator of survey sampling (Cochran, Sampling Techniques, 7.3). It halves
 * the error of the plain mean, as a sample of four times the size would.
 */
#ifndef LOD_LIKENESS_H
#define LOD_LIKENESS_H

#include <stdint.h>

#include "pack/scans/measure.h"
#include "pcr/measure/photo_features.h"

/* The statistics of the drawn photographs. */
struct lod_likeness {
    unsigned photos; /* 0: there is no estimate */
    double mssim[LOD_SCRIPT_GROUPS];
    double features[LOD_PHOTO_FEATURES];
    double slopes[LOD_SCRIPT_GROUPS][LOD_PHOTO_FEATURES];
    double variance[LOD_SCRIPT_GROUPS]; /* of a photograph, given its class and features */
    unsigned seen; /* how many photographs the shares of the classes were counted on */
    double between[LOD_SCRIPT_GROUPS]; /* variance between classes, given the features */
};

/* The features of all photographs of a store. */
struct lod_likeness_sums {
    uint64_t photos;
    double features[LOD_PHOTO_FEATURES];
};

void lod_likeness_fit(const struct lod_measure *m, struct lod_likeness *ret_likeness);

/* Returns the mean at q(k + 1), and its margin of error at 95 % confidence. */
double lod_likeness_mean(const struct lod_likeness *likeness, const struct lod_likeness_sums *sums,
                         unsigned k);
double lod_likeness_within(const struct lod_likeness *likeness,
                           const struct lod_likeness_sums *sums, unsigned k);

#endif
