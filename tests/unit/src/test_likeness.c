/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate of a store's MSSIM, tested with made-up curves whose mean is known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "pack/scans/likeness.h"

#define STORE  4000u
#define SAMPLE 100u

/* Returns a random number, uniform in [-1, 1]. */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 30) - 1;
}

/*
 * A photograph: its class decides some of its likeness, its features most of the rest. Three of
 * four are of class 0.
 */
static unsigned make_curve(uint64_t *state, struct lod_curve *curve)
{
    const unsigned class = noise(state) > .5;
    double of_features = 0;

    for (unsigned f = 0; f < LOD_PHOTO_FEATURES; f++) {
        curve->features[f] = noise(state) + .5 * class;
        of_features += .01 * (f + 1) * (noise(state) * 0 + curve->features[f]);
    }
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        curve->mssim[k] = .8 + .05 * class + of_features + .01 * noise(state);
    }
    return class;
}

struct made {
    struct lod_sample sample;
    struct lod_measure m;
    struct lod_likeness_sums sums;
    double truth;
};

/* A store, and a sample of its first photographs. */
static struct made *make_store(uint64_t seed)
{
    struct made *made = calloc(1, sizeof(*made));
    uint64_t state = seed;

    made->m.sample = &made->sample;
    made->m.drawn = calloc(SAMPLE, sizeof(made->m.drawn[0]));
    made->m.drawn_fit = calloc(SAMPLE, sizeof(made->m.drawn_fit[0]));
    for (unsigned i = 0; i < STORE; i++) {
        struct lod_curve curve = {.source_bytes = 1};
        unsigned class = make_curve(&state, &curve);
        made->truth += curve.mssim[3] / STORE;
        made->sums.photos++;
        for (unsigned f = 0; f < LOD_PHOTO_FEATURES; f++) {
            made->sums.features[f] += curve.features[f];
        }
        made->sample.seen[class] += i < 512;
        if (i < SAMPLE) {
            made->m.drawn[i] = curve;
            made->m.drawn_fit[i] = true;
            made->sample.photos[i].class = class;
            made->sample.count++;
        }
    }
    return made;
}

static void destroy(struct made *made)
{
    free(made->m.drawn);
    free(made->m.drawn_fit);
    free(made);
}

Test(likeness, the_truth_is_within_what_is_said_as_often_as_that_says)
{
    unsigned inside = 0;
    double worst = 0, widest = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct made *made = make_store(seed);
        struct lod_likeness likeness;
        lod_likeness_fit(&made->m, &likeness);
        double error = fabs(lod_likeness_mean(&likeness, &made->sums, 3) - made->truth);
        double within = lod_likeness_within(&likeness, &made->sums, 3);
        cr_assert_eq(likeness.photos, SAMPLE);
        inside += error <= within;
        worst = error > worst ? error : worst;
        widest = within > widest ? within : widest;
        destroy(made);
    }
    cr_expect(inside >= 176 && inside < 200, "%u of 200", inside);
    cr_expect_lt(worst, .004, "the plain mean of a sample is off by .02: %f", worst);
    cr_expect_lt(widest, .004, "%f", widest);
}

Test(likeness, a_sample_of_all_is_exact_and_of_few_is_their_mean)
{
    struct made *made = make_store(5);
    struct lod_likeness likeness;

    lod_likeness_fit(&made->m, &likeness);
    made->sums.photos = SAMPLE;
    cr_expect_eq(lod_likeness_within(&likeness, &made->sums, 3), 0);
    made->sample.count = 3; /* too few for slopes */
    made->sample.photos[0].class = made->sample.photos[1].class = made->sample.photos[2].class = 0;
    lod_likeness_fit(&made->m, &likeness);
    double mean =
        (made->m.drawn[0].mssim[3] + made->m.drawn[1].mssim[3] + made->m.drawn[2].mssim[3]) / 3;
    cr_expect_eq(likeness.photos, 3);
    cr_expect_float_eq(lod_likeness_mean(&likeness, &made->sums, 3), mean, 1e-12);
    destroy(made);
}

Test(likeness, without_photographs_there_is_none)
{
    struct made *made = make_store(5);
    struct lod_likeness likeness;

    made->sample.count = 0;
    lod_likeness_fit(&made->m, &likeness);
    cr_expect_eq(likeness.photos, 0);
    destroy(made);
}
