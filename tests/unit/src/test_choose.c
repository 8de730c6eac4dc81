/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "pack/scans/choose.h"

static const struct lod_choose_rule plain = {.mssim_high = LOD_CHOOSE_HIGH};

/* Bytes .1 .. 1, MSSIM as a default script's: two wasted fidelities (q4 and q7). */
static const struct lod_mean_curve standard = {
    .bytes = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000},
    .mssim = {8000, 9200, 9400, 9440, 9700, 9850, 9860, 9920, 9960, 10000}};

static struct lod_mean_curve cheaper_by(int32_t bytes)
{
    struct lod_mean_curve curve = standard;
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        curve.bytes[k] -= bytes;
    }
    return curve;
}

Test(choose, bytes_are_linear_between_fidelities)
{
    cr_expect_eq(lod_choose_bytes_at(&standard, 8000), 1000);
    cr_expect_eq(lod_choose_bytes_at(&standard, 8600), 1500);
    cr_expect_eq(lod_choose_bytes_at(&standard, 9200), 2000);
    cr_expect_eq(lod_choose_bytes_at(&standard, 9300), 2500);
    cr_expect_eq(lod_choose_bytes_at(&standard, 10000), 10000);
    cr_expect_eq(lod_choose_bytes_at(&standard, 7000), 1000, "no fidelity is below q1");
}

Test(choose, a_fidelity_that_is_worse_than_the_one_before_is_skipped)
{
    struct lod_mean_curve curve = standard;

    curve.mssim[2] = 9100; /* q3 is below q2: above q2 the curve goes to q4 */
    cr_expect_eq(lod_choose_bytes_at(&curve, 9200), 2000);
    cr_expect_eq(lod_choose_bytes_at(&curve, 9320), 3000);
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        curve.mssim[k] = 9000;
    }
    cr_expect_eq(lod_choose_bytes_at(&curve, 9500), 10000, "never reached");
}

Test(choose, the_cost_is_the_mean_of_bytes_over_the_range)
{
    struct lod_mean_curve curve = {
        .bytes = {2000, 4000, 5000, 6000, 7000, 7500, 8000, 8500, 9000, 9500},
        .mssim = {9000, 9900, 9920, 9940, 9955, 9970, 9980, 9990, 9995, 10000}};
    cr_expect_eq(lod_choose_wasted(&curve), 0);
    cr_expect_float_eq(lod_choose_cost(&curve, &plain), 3000, 1e-6);
    cr_expect_eq(lod_choose_wasted(&standard), 2);
    curve.mssim[8] = curve.mssim[7];
    cr_expect_eq(lod_choose_wasted(&curve), 1);
    cr_expect_float_eq(lod_choose_cost(&curve, &plain), 3020, 1e-6);
}

Test(choose, the_cheaper_of_two_admissible_scripts_is_chosen)
{
    struct lod_mean_curve curves[] = {standard, cheaper_by(100), cheaper_by(200), cheaper_by(50)};

    cr_expect_eq(lod_choose(curves, 4, 0, &plain), 2);
    cr_expect_eq(lod_choose(curves, 1, 0, &plain), 0);
}

Test(choose, worse_than_default_at_one_point_is_not_admissible)
{
    struct lod_mean_curve curves[] = {standard, cheaper_by(500)};

    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 1);
    curves[1].bytes[4] = standard.bytes[4] + 2; /* .0002 at MSSIM .97, and cheaper elsewhere */
    cr_expect_not(lod_choose_admits(&curves[1], &standard, &plain));
    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 0);
    curves[1].bytes[4] = standard.bytes[4] + 1; /* within the tolerance of one rounding unit */
    cr_expect(lod_choose_admits(&curves[1], &standard, &plain));
    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 1);
}

Test(choose, outside_the_range_a_curve_may_be_worse)
{
    struct lod_mean_curve curve = cheaper_by(500);

    curve.bytes[0] = 1900; /* q1, at MSSIM .80 */
    curve.bytes[8] = 9400; /* q9, at .996 */
    cr_expect(lod_choose_admits(&curve, &standard, &plain));
}

Test(choose, a_total_of_one_percent_more_is_the_limit)
{
    struct lod_mean_curve curve = cheaper_by(500);

    curve.bytes[9] = 10100;
    cr_expect(lod_choose_admits(&curve, &standard, &plain));
    curve.bytes[9] = 10101;
    cr_expect_not(lod_choose_admits(&curve, &standard, &plain));
}

Test(choose, of_equal_costs_the_smaller_total_wins_then_the_default)
{
    struct lod_mean_curve curves[] = {cheaper_by(100), standard, cheaper_by(100), cheaper_by(100)};

    cr_expect_eq(lod_choose(curves, 4, 1, &plain), 0);
    curves[2].bytes[9] -= 5;
    cr_expect_eq(lod_choose(curves, 4, 1, &plain), 2);
    curves[0] = curves[2] = curves[3] = standard;
    cr_expect_eq(lod_choose(curves, 4, 1, &plain), 1);
}

Test(choose, of_equal_bytes_the_script_that_wastes_no_fidelity_wins)
{
    struct lod_mean_curve curves[] = {standard, standard};

    /* q7 moved along the same line, from .9860 to a point that is not wasted */
    curves[1].bytes[6] = 6200;
    curves[1].mssim[6] = 9880;
    curves[1].bytes[6] = (int32_t)lod_choose_bytes_at(&standard, 9880);
    cr_expect_eq(lod_choose_wasted(&curves[1]), 1);
    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 1);
}

/* Five of ten fidelities, and the source above them: MSSIM above .97 does not count. */
Test(choose, beside_the_source_only_what_is_below_it_counts)
{
    const struct lod_choose_rule kept = {.mssim_high = LOD_CHOOSE_HIGH_KEPT};
    struct lod_mean_curve curves[] = {standard, standard};

    for (unsigned k = 0; k < 5; k++) {
        curves[1].bytes[k] -= 100;
    }
    curves[1].bytes[5] += 2000; /* .985 */
    cr_expect_not(lod_choose_admits(&curves[1], &standard, &plain));
    cr_expect(lod_choose_admits(&curves[1], &standard, &kept));
    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 0);
    cr_expect_eq(lod_choose(curves, 2, 0, &kept), 1);
}

Test(choose, light_takes_the_script_that_decodes_in_less_time)
{
    const struct lod_choose_rule light = {.mssim_high = LOD_CHOOSE_HIGH, .light = true};
    struct lod_mean_curve curves[] = {standard, standard};

    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        curves[0].decode[k] = 10000 + 2000 * (int32_t)k;
        curves[1].decode[k] = 9000 + 500 * (int32_t)k;
        curves[1].bytes[k] += k && k < 9 ? 1000 : 0;
    }
    cr_expect_eq(lod_choose(curves, 2, 0, &plain), 0);
    cr_expect_eq(lod_choose(curves, 2, 0, &light), 1);
    curves[1].bytes[9] += 301; /* larger in total by more than 3 % */
    cr_expect_eq(lod_choose(curves, 2, 0, &light), 0);
}
