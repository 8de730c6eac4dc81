/* SPDX-License-Identifier: Apache-2.0 */
/* Each result of a request has an outcome, and each outcome a name. */
#include <criterion/criterion.h>
#include <errno.h>

#include "backend/outcome.h"

Test(outcome, each_error_has_its_outcome)
{
    cr_assert_eq(lod_outcome_of(0), LOD_OUTCOME_OK);
    cr_assert_eq(lod_outcome_of(-EIO), LOD_OUTCOME_IO);
    cr_assert_eq(lod_outcome_of(-ESTALE), LOD_OUTCOME_STALE);
    cr_assert_eq(lod_outcome_of(-ETIMEDOUT), LOD_OUTCOME_TIMEOUT);
    cr_assert_eq(lod_outcome_of(-EACCES), LOD_OUTCOME_ACCESS);
    cr_assert_eq(lod_outcome_of(-EBUSY), LOD_OUTCOME_BUSY);
    cr_assert_eq(lod_outcome_of(-ENOMEM), LOD_OUTCOME_OTHER);
    cr_assert_eq(lod_outcome_of(1), LOD_OUTCOME_OTHER);
}

Test(outcome, names_differ)
{
    for (unsigned i = 0; i < LOD_OUTCOMES; i++) {
        for (unsigned k = 0; k < i; k++) {
            cr_assert_str_neq(lod_outcome_name((enum lod_outcome)i),
                              lod_outcome_name((enum lod_outcome)k));
        }
    }
    cr_assert_str_eq(lod_outcome_name(LOD_OUTCOME_OK), "ok");
}
