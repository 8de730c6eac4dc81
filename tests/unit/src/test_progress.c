/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/progress.h"

static char text[LOD_PROGRESS_TEXT];

static struct lod_progress half_done(void)
{
    return (struct lod_progress){.stage = "packing",
                                 .files = 50,
                                 .files_total = 200,
                                 .bytes_in = 25 * 1000000,
                                 .bytes_total = 100 * 1000000,
                                 .bytes_out = 20 * 1000000};
}

Test(progress, prints_percent_rate_and_time_left)
{
    struct lod_progress progress = half_done();

    lod_progress_text(&progress, 10, 120, text);
    cr_assert_str_eq(text, "packing:  25%  50/200 files, 2.5 MB/s, ratio 0.800, ETA 30s");
    progress.bytes_total = 25025 * 1000000ull;
    lod_progress_text(&progress, 10, 120, text);
    cr_assert(strstr(text, "ETA 2h46m"), "%s", text);
}

Test(progress, nothing_is_guessed_from_the_first_second)
{
    struct lod_progress progress = half_done();

    lod_progress_text(&progress, .5, 120, text);
    cr_assert_null(strstr(text, "ETA"));
    progress.bytes_total = 0;
    lod_progress_text(&progress, 10, 120, text);
    cr_assert_str_eq(text, "packing: 50/200 files");
}

Test(progress, never_wider_than_the_terminal)
{
    struct lod_progress progress = half_done();

    for (unsigned columns = 0; columns < 100; columns++) {
        lod_progress_text(&progress, 10, columns, text);
        cr_assert_leq(strlen(text), columns);
    }
}

Test(progress, counts_from_any_stage)
{
    struct lod_progress progress;

    lod_progress_init(&progress, LOD_PROGRESS_OFF);
    lod_progress_stage(&progress, "packing", 3, 30);
    lod_progress_add(&progress, 1, 10, 5);
    lod_progress_add(&progress, 2, 20, 10);
    cr_assert_eq(progress.files, 3);
    cr_assert_eq(progress.bytes_in, 30);
    cr_assert_eq(progress.bytes_out, 15);
    lod_progress_stage(&progress, "again", 0, 0);
    cr_assert_eq(progress.files, 0);
    lod_progress_finish(&progress);
}

#define SECOND 1000000000ull

Test(progress, without_a_terminal_there_is_a_line_every_30_seconds, .init = cr_redirect_stderr)
{
    struct lod_progress progress;

    lod_progress_init(&progress, LOD_PROGRESS_LINES);
    lod_progress_stage(&progress, "packing", 4, 0);
    uint64_t from = progress.printed_ns;
    for (unsigned second = 0; second < 65; second++) {
        if (second == 40) {
            lod_progress_add(&progress, 3, 0, 0);
        }
        lod_progress_tick(&progress, from + second * SECOND);
    }
    lod_progress_finish(&progress);
    fflush(stderr);
    cr_assert_stderr_eq_str("lodfs: packing: 0/4 files\nlodfs: packing: 3/4 files\n");
}

Test(progress, a_requested_line_is_printed_in_any_mode, .init = cr_redirect_stderr)
{
    struct lod_progress progress;

    lod_progress_init(&progress, LOD_PROGRESS_OFF);
    lod_progress_tick(&progress, progress.printed_ns + 100 * SECOND);
    lod_progress_print(&progress);
    lod_progress_stage(&progress, "writing the index", 0, 0);
    lod_progress_print(&progress);
    lod_progress_finish(&progress);
    fflush(stderr);
    cr_assert_stderr_eq_str("lodfs: beginning\nlodfs: writing the index\n");
}

/* A terminal that cannot move its cursor, such as that of an editor, would show control codes. */
Test(progress, a_dumb_terminal_gets_lines)
{
    cr_assert_geq(dup2(posix_openpt(O_RDWR | O_NOCTTY), STDERR_FILENO), 0);
    setenv("TERM", "xterm", 1);
    cr_assert_eq(lod_progress_wanted(-1, false), LOD_PROGRESS_DRAWN);
    setenv("TERM", "dumb", 1);
    cr_assert_eq(lod_progress_wanted(-1, false), LOD_PROGRESS_LINES);
    cr_assert_eq(lod_progress_wanted(1, false), LOD_PROGRESS_DRAWN);
    unsetenv("TERM");
    cr_assert_eq(lod_progress_wanted(-1, false), LOD_PROGRESS_LINES);
}
