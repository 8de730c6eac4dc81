/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static const uint8_t eoi[] = {0xff, 0xd9};

/*
 * Writes the bytes that a plan stands for; TEXT refers to `text_of`. Group g's byte at offset o is
 * (uint8_t)(g * 50 + o).
 */
static size_t expand(const struct lod_plan *plan, const struct lod_plan *text_of, uint8_t *out)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *p = &plan->pieces[i];
        for (uint64_t k = 0; k < p->bytes; k++) {
            out[bytes++] = p->kind == LOD_PIECE_MEM    ? p->mem[k]
                           : p->kind == LOD_PIECE_TEXT ? text_of->text[p->offset + k]
                                                       : (uint8_t)(p->group * 50 + p->offset + k);
        }
    }
    return bytes;
}

static struct lod_plan sample(void)
{
    struct lod_plan plan = {0};
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, 20), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 3, 0), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 3, 7, 11), 0);
    cr_assert_eq(lod_plan_add_text(&plan, "P6", 2), 0);
    cr_assert_eq(lod_plan_add_text(&plan, "", 0), 0);
    cr_assert_eq(lod_plan_add_mem(&plan, eoi, sizeof(eoi)), 0);
    cr_assert_eq(lod_plan_add_text(&plan, "\n255\n", 5), 0);
    cr_assert_eq(plan.text_bytes, 7);
    return plan;
}

Test(plan, every_slice_is_the_slice_of_the_whole)
{
    struct lod_plan plan = sample(), cut;
    uint8_t whole[64], part[64];
    size_t bytes = expand(&plan, &plan, whole);

    cr_assert_eq(bytes, plan.bytes);
    cr_assert_eq(plan.count, 5, "a piece of 0 bytes is left out");
    for (uint64_t at = 0; at <= bytes + 2; at++) {
        for (uint64_t len = 0; len <= bytes + 2; len++) {
            uint64_t want = at >= bytes ? 0 : (len < bytes - at ? len : bytes - at);
            lod_plan_cut(&plan, at, len, &cut);
            cr_assert_eq(cut.bytes, want);
            cr_assert_eq(expand(&cut, &plan, part), want);
            cr_assert_eq(memcmp(part, whole + (at < bytes ? at : 0), want), 0);
        }
    }
}

Test(plan, a_cut_past_the_end_of_64_bits_is_clipped)
{
    struct lod_plan plan = sample(), cut;
    lod_plan_cut(&plan, 1, UINT64_MAX, &cut);
    cr_assert_eq(cut.bytes, plan.bytes - 1);
    lod_plan_cut(&plan, UINT64_MAX, UINT64_MAX, &cut);
    cr_assert_eq(cut.bytes, 0);
}

Test(plan, sizes_that_overflow_are_refused)
{
    struct lod_plan plan = {0};
    cr_assert_eq(lod_plan_add_stored(&plan, 1, 0, INT64_MAX), 0);
    cr_assert_eq(lod_plan_add_stored(&plan, 2, 0, 1), -EOVERFLOW);
    cr_assert_eq(plan.bytes, (uint64_t)INT64_MAX);
}
