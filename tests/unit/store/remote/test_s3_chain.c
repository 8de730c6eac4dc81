/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/s3_chain.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "keys/s3_process.h"

#define NOW 1000000000

Test(s3_chain, keys_are_renewed_five_minutes_early)
{
    cr_assert_eq(lod_s3_chain_seconds(0, NOW), 0, "keys that never expire");
    cr_assert_eq(lod_s3_chain_seconds(NOW + 3600, NOW), 3300);
    cr_assert_eq(lod_s3_chain_seconds(NOW + 601, NOW), 301);
    cr_assert_eq(lod_s3_chain_seconds(NOW + 400, NOW), 200, "half of a short life");
    cr_assert_eq(lod_s3_chain_seconds(NOW + 1, NOW), 2);
    cr_assert_eq(lod_s3_chain_seconds(NOW, NOW), 60, "the clock may be wrong");
    cr_assert_eq(lod_s3_chain_seconds(NOW - 3600, NOW), 60);
}

static char text[64];
static struct lod_why why;
static size_t bytes;

static int run(const char *command, const struct lod_s3_wait *wait)
{
    why.text[0] = '\0';
    return lod_s3_process_run(command, wait, text, sizeof(text), &bytes, &why);
}

static const struct lod_s3_wait long_wait = {.seconds = 60};

Test(s3_process, gives_its_output)
{
    cr_assert_eq(run("printf '%s' \"{}\"", &long_wait), 0);
    cr_assert_eq(bytes, 2);
    cr_assert_eq(memcmp(text, "{}", 2), 0);
    cr_assert_eq(run("head -c 64 /dev/zero", &long_wait), 0, "as much as fits");
    cr_assert_eq(bytes, 64);
}

Test(s3_process, that_fails_is_an_error_without_its_output)
{
    cr_assert_eq(run("echo SECRET; exit 3", &long_wait), -EACCES);
    cr_assert_str_eq(why.text, "failed with status 3; run it by hand to see why");
    cr_assert_eq(run("/no/such/program SECRET", &long_wait), -EACCES);
    cr_assert_null(strstr(why.text, "SECRET"));
}

Test(s3_process, that_prints_without_end_is_stopped)
{
    cr_assert_eq(run("yes", &long_wait), -E2BIG);
    cr_assert_eq(run("head -c 65 /dev/zero", &long_wait), -E2BIG);
}

Test(s3_process, that_hangs_is_ended)
{
    const struct lod_s3_wait wait = {.seconds = 1};
    const uint64_t start = lod_clock_ns();

    cr_assert_eq(run("sleep 600", &wait), -ETIMEDOUT);
    cr_assert_lt(lod_clock_ns() - start, 300 * LOD_SECOND_NS);
    cr_assert_str_eq(why.text, "gave no keys in 1 s");
}

static bool at_once(void *ctx)
{
    (void)ctx;
    return true;
}

Test(s3_process, ends_with_the_mount)
{
    const struct lod_s3_wait wait = {.seconds = 600, .is_over = at_once};

    cr_assert_eq(run("sleep 600", &wait), -EINTR);
}

/* The child holds the pipe open, and is killed with the program. */
Test(s3_process, that_forks_does_not_keep_the_reader)
{
    const uint64_t start = lod_clock_ns();

    cr_assert_eq(run("sleep 600 & echo $!", &long_wait), 0);
    cr_assert_lt(lod_clock_ns() - start, 300 * LOD_SECOND_NS);
    text[bytes < sizeof(text) ? bytes : sizeof(text) - 1] = '\0';
    const pid_t child = (pid_t)atoi(text);
    cr_assert_gt(child, 1);
    char path[64], state = 'R';
    for (unsigned i = 0; i < 3000; i++) { /* until it is gone, or waits for its parent */
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
        FILE *stat = fopen(path, "re");
        if (!stat || fscanf(stat, "%*d %*s %c", &state) != 1) {
            state = 'Z';
        }
        if (stat) {
            fclose(stat);
        }
        if (state == 'Z') {
            break;
        }
        usleep(10000);
    }
    cr_assert_eq(state, 'Z', "it goes on as process %d", (int)child);
}

Test(s3_process, has_no_terminal_and_no_other_files)
{
    cr_assert_eq(run("ls /proc/self/fd | wc -l", &long_wait), 0);
    text[bytes] = '\0';
    cr_assert_eq(atoi(text), 4, "0, 1, 2, and the folder itself: %s", text);
    cr_assert_eq(run("(: </dev/tty) 2>/dev/null && echo yes || echo no", &long_wait), 0);
    cr_assert_eq(memcmp(text, "no\n", 3), 0);
}
