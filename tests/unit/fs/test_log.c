/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

/* The text that calls write to stderr. */
static const char *logged(enum lod_log_level at, enum lod_log_level level, const char *name)
{
    static char text[20000];
    int ends[2], saved = dup(STDERR_FILENO);

    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    lod_log_setup(at);
    lod_log(level, "name '%s'", name);
    dup2(saved, STDERR_FILENO);
    ssize_t bytes = read(ends[0], text, sizeof(text) - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    close(ends[0]);
    close(ends[1]);
    close(saved);
    return text;
}

Test(log, a_line_is_one_line_with_its_level)
{
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_INFO, "a\nb"), "lodfs: name 'a\\x0ab'\n");
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_ERROR, "a"), "lodfs: error: name 'a'\n");
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_DEBUG, "a"), "");
    cr_assert_str_eq(logged(LOD_LOG_ERROR, LOD_LOG_WARNING, "a"), "");
}

Test(log, an_escaped_name_is_not_escaped_again)
{
    char text[32];
    lod_escape("a\n", 2, text, sizeof(text));
    cr_assert_str_eq(logged(LOD_LOG_INFO, LOD_LOG_INFO, text), "lodfs: name 'a\\x0a'\n");
}

Test(log, a_huge_line_is_truncated)
{
    static char name[12000];
    memset(name, '\n', sizeof(name) - 1);
    const char *line = logged(LOD_LOG_INFO, LOD_LOG_INFO, name);
    cr_assert_gt(strlen(line), 8000);
    cr_assert_lt(strlen(line), 8250);
    cr_assert_eq(line[strlen(line) - 1], '\n');
}
