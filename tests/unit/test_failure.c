/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors are logged, in what words; lines about frames of a real store: test_dataset.c. */
#include "failure.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>

Test(failure, what_is_not_the_stores_passes_in_silence, .init = cr_redirect_stderr)
{
    static const int passing[] = {0, -ENOMEM, -EINTR};

    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(lod_failure_of_row("/s", "item", 3, passing[i]), passing[i]);
        cr_assert_eq(lod_failure_of_frame(NULL, "/s", &(struct lod_failure){0}, passing[i]),
                     passing[i]);
    }
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

Test(failure, a_row_is_named_and_its_store_cannot_break_the_line, .init = cr_redirect_stderr)
{
    cr_assert_eq(lod_failure_of_row("/a\nb", "item", 7, -EBADMSG), -EIO);
    fflush(stderr);
    cr_assert_stderr_eq_str(
        "lodfs: error: store /a\\x0ab: index: item 7: its hash differs: damaged\n");
}
