/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of `--scans=auto` on numbers alone: mean curves in, the script to take out. Knows no
 * JPEG and no file.
 *
 * A curve says what q1 .. q10 cost: bytes as a share of the source's, and MSSIM. Between two
 * fidelities bytes grow linearly with MSSIM, so b(m), the least bytes at which MSSIM m is reached,
 * is defined for every m. Over m in [.90, .99], the range in which training uses fidelities:
 *
 *   admissible  b(m) <= b_default(m) everywhere, and the total is at most .01 above default's
 *   cost        the mean of b(m), plus .002 for each wasted fidelity
 *
 * The admissible script of least cost is taken: a mean over m is what a user pays who does not know
 * yet which fidelity the job will need. A fidelity is wasted when q_k is hardly better than
 * q_(k-1): it takes away less than a tenth of the distance to MSSIM 1 that was left. .002 is about
 * what the mean over 12 photographs leaves uncertain, so waste decides between equals only.
 */
#ifndef LOD_CHOOSE_H
#define LOD_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "pcr/script.h"

/* Means in ten-thousandths: rounded before they are compared, so that they compare alike anywhere.
 */
#define LOD_CHOOSE_UNIT 10000

struct lod_mean_curve {
    int32_t bytes[LOD_SCRIPT_GROUPS]; /* of the source's bytes */
    int32_t mssim[LOD_SCRIPT_GROUPS];
};

/* b(m), m in ten-thousandths. Below q1's MSSIM: q1's bytes; above all: q10's. */
double lod_choose_bytes_at(const struct lod_mean_curve *curve, int32_t mssim);

bool lod_choose_admits(const struct lod_mean_curve *curve, const struct lod_mean_curve *standard);

/* Of fidelities 2 .. 10. */
unsigned lod_choose_wasted(const struct lod_mean_curve *curve);

/* In ten-thousandths of the source's bytes. */
double lod_choose_cost(const struct lod_mean_curve *curve);

/*
 * The index of the curve to take. `standard` is the index of the default script's, which is always
 * admissible; of two of equal cost the one with the smaller total, then the standard, then the
 * first.
 */
unsigned lod_choose(const struct lod_mean_curve *curves, unsigned count, unsigned standard);

#endif
