/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of `--scans=auto`: chooses a script from mean curves. It deals with numbers only, not
 * with JPEGs or files.
 *
 * A curve has the bytes of q1 .. q10, as a share of the source's, and their MSSIM. Between two
 * fidelities bytes are interpolated linearly, so b(m), the fewest bytes that reach MSSIM m, is
 * defined for every m. The rule uses m in [.90, .99], the range that training uses. If the source
 * is kept too, it serves the higher fidelities, and the range is [.90, .97].
 *
 *   admissible  b(m) <= b_default(m) everywhere, and the total is at most .01 above default's
 *   cost        the mean of b(m), plus .002 for each wasted fidelity
 *
 * With `light` the decoding time counts too. t(m) is the time at the fewest bytes that reach m, as
 * a share of the source's; half of the mean of t(m) and t(full) is added to the cost. Then every
 * script is admissible whose total is not larger.
 *
 * The admissible script with the least cost is chosen. The mean over m is the expected cost for a
 * user who does not know yet which fidelity a job will need. A fidelity q_k is wasted if it removes
 * less than a tenth of the distance to MSSIM 1 that q_(k-1) leaves. The uncertainty of a mean over
 * 12 photographs is about .002, so wasted fidelities decide only between scripts of equal cost.
 */
#ifndef LOD_CHOOSE_H
#define LOD_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "pcr/jpeg/script.h"

/* The unit of means. They are rounded before they are compared, so that every machine chooses the
 * same script. */
#define LOD_CHOOSE_UNIT 10000

#define LOD_CHOOSE_HIGH      9900
#define LOD_CHOOSE_HIGH_KEPT 9700 /* the source file is kept beside the groups */

struct lod_mean_curve {
    int32_t bytes[LOD_SCRIPT_GROUPS]; /* of the source's bytes */
    int32_t mssim[LOD_SCRIPT_GROUPS];
    int32_t decode[LOD_SCRIPT_GROUPS]; /* of the source's time */
};

struct lod_choose_rule {
    int32_t mssim_high; /* LOD_CHOOSE_HIGH, .. */
    bool light;
};

/* Returns b(m): the bytes at which the curve reaches an MSSIM of m ten-thousandths. Below q1's
 * MSSIM these are q1's bytes; above the highest they are q10's. */
double lod_choose_bytes_at(const struct lod_mean_curve *curve, int32_t mssim);

bool lod_choose_admits(const struct lod_mean_curve *curve, const struct lod_mean_curve *standard,
                       const struct lod_choose_rule *rule);

/* Returns the number of wasted fidelities, of 2 .. 10. */
unsigned lod_choose_wasted(const struct lod_mean_curve *curve);

/* Returns the cost, in ten-thousandths of the source's bytes, and of its time with `light`. */
double lod_choose_cost(const struct lod_mean_curve *curve, const struct lod_choose_rule *rule);

/*
 * Returns the index of the chosen curve. `standard` is that of the default script, which is always
 * admissible. If costs are equal, the smaller total wins, then the standard curve, then the first.
 */
unsigned lod_choose(const struct lod_mean_curve *curves, unsigned count, unsigned standard,
                    const struct lod_choose_rule *rule);

#endif
