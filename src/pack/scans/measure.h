/* SPDX-License-Identifier: Apache-2.0 */
/* Measures scan scripts on the photographs of a sample, and computes means. */
#ifndef LOD_MEASURE_H
#define LOD_MEASURE_H

#include "compiler.h"
#include "pack/scans/choose.h"
#include "pack/scans/sample_photos.h"
#include "pcr/measure/curve.h"
#include "pool.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"

#define LOD_MEASURE_ALL LOD_QUANT_CLASSES /* index of the row of all classes together */

/* The threads for measuring, and their cancellation and progress. */
struct lod_measure_run {
    struct lod_pool *pool;
    struct lod_cancel *stop;       /* NULL: it cannot be cancelled */
    struct lod_progress *progress; /* NULL: no progress is shown */
};

struct lod_measure {
    const struct lod_measure_run *run;
    const struct lod_sample *sample;
    unsigned top; /* see encoder.h */
    unsigned count;
    const struct lod_script *scripts[LOD_SCRIPTS_MAX];
    unsigned standard; /* index of the default script */

    /* The curves of all scripts, of the photographs for choosing. */
    struct lod_curve (*curves)[LOD_SCRIPTS_MAX];
    bool *fit;                            /* whether each photograph was measured */
    unsigned photos[LOD_MEASURE_ALL + 1]; /* number of measured photographs of each class */
    struct lod_mean_curve means[LOD_MEASURE_ALL + 1][LOD_SCRIPTS_MAX];

    /* The curves of the drawn photographs, for the script of their class. */
    struct lod_curve *drawn;
    bool *drawn_fit;
    double *scans_bytes; /* bytes with --full=scans; 0: not measured */
};

/* The caller has set `run`, `sample`, `top` and `scripts`. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_measure_init(struct lod_measure *m);
void lod_measure_finish(struct lod_measure *m);

/* Measures all scripts on the photographs for choosing. Returns -ENOMEM or -EINTR. */
LOD_MUST_CHECK int lod_measure_choosing(struct lod_measure *m);

/* Measures the script of each class, by index, on the drawn photographs.
 * Returns -ENOMEM or -EINTR. */
LOD_MUST_CHECK int lod_measure_drawn(struct lod_measure *m,
                                     const unsigned chosen[LOD_QUANT_CLASSES]);

/* Computes the mean over the drawn photographs of a class. Returns false if they are too few. */
bool lod_measure_drawn_mean(const struct lod_measure *m, unsigned class,
                            struct lod_mean_curve *ret_mean);

#endif
