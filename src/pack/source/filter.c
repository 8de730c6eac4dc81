/* SPDX-License-Identifier: Apache-2.0 */
/* Matching is iterative: on a mismatch only the last `**` is extended, as for `*` in a name. */
#include "pack/source/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "backend/file_io.h"
#include "backend/format.h"

/* ------------------------------------------------------------------------------- patterns */

static const char *next_name(const char *path)
{
    const char *end = strchrnul(path, '/');

    return end + (*end == '/');
}

static bool is_any_folders(const char *glob)
{
    return glob[0] == '*' && glob[1] == '*' && (glob[2] == '/' || glob[2] == '\0');
}

/* Compares the first name of a pattern with the first name of a path. */
static bool name_matches(const char *glob, const char *path)
{
    char one[LOD_PATH_MAX + 1], name[LOD_NAME_MAX + 1];
    const size_t glob_bytes = strcspn(glob, "/"), bytes = strcspn(path, "/");

    if (glob_bytes == 0 || glob_bytes > LOD_PATH_MAX || bytes > LOD_NAME_MAX) {
        return false;
    }
    memcpy(one, glob, glob_bytes);
    one[glob_bytes] = '\0';
    memcpy(name, path, bytes);
    name[bytes] = '\0';
    return fnmatch(one, name, 0) == 0;
}

static bool path_matches(const char *glob, const char *path)
{
    const char
        *again = NULL,
        *from = NULL; /* the pattern after the last `**`, and the path where that began to match */

    while (*path) {
        if (is_any_folders(glob)) {
            glob = again = next_name(glob);
            from = path;
            if (*glob == '\0') {
                return true;
            }
        } else if (name_matches(glob, path)) {
            glob = next_name(glob);
            path = next_name(path);
        } else if (again) {
            glob = again;
            path = from = next_name(from);
        } else {
            return false;
        }
    }
    return *glob == '\0';
}

bool lod_pattern_matches(const char *pattern, const char *path, bool folder)
{
    const size_t bytes = strlen(pattern);
    const bool folders_alone = bytes > 1 && pattern[bytes - 1] == '/';
    const char *slash = strchr(pattern, '/'), *name = strrchr(path, '/');

    if (folders_alone && !folder) {
        return false;
    }
    if (!slash || slash == pattern + bytes - 1) {
        return name_matches(pattern, name ? name + 1 : path);
    }
    return path_matches(pattern + (pattern[0] == '/'), path);
}

bool lod_pattern_is_good(const char *pattern)
{
    return pattern[0] && strcmp(pattern, "/") != 0 && strlen(pattern) <= LOD_PATH_MAX;
}

/* ---------------------------------------------------------------------------------- files */

static int read_text(int fd, char *text)
{
    size_t bytes = 0;
    int error = lod_file_read_all(fd, text, LOD_FILTER_FILE_MAX + 1, &bytes);

    if (!error) {
        text[bytes] = '\0';
    }
    return error ? error : memchr(text, '\0', bytes) ? -EINVAL : 0;
}

/* Divides the text in place. */
static int add_lines(struct lod_filter *filter, char *text, unsigned *ret_line)
{
    char *rest = text + lod_text_mark(text, strlen(text)), *line;

    for (*ret_line = 1; (line = strsep(&rest, "\n")); ++*ret_line) {
        const size_t bytes = strlen(line);
        if (bytes && line[bytes - 1] == '\r') {
            line[bytes - 1] = '\0';
        }
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        int error = !lod_pattern_is_good(line)                       ? -EINVAL
                    : filter->lines.count >= LOD_FILTER_PATTERNS_MAX ? -E2BIG
                                                                     : 0;
        error = error ? error : LOD_LIST_ADD(&filter->lines, line);
        if (error) {
            return error;
        }
    }
    return 0;
}

int lod_filter_read(struct lod_filter *filter, const char *path, unsigned *ret_line)
{
    char *text = malloc(LOD_FILTER_FILE_MAX + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? -errno : text ? 0 : -ENOMEM;

    *ret_line = 0;
    error = error ? error : read_text(fd, text);
    error = error ? error : LOD_LIST_ADD(&filter->texts, text);
    lod_file_close(fd);
    if (error) {
        free(text);
        return error;
    }
    return add_lines(filter, text, ret_line);
}

void lod_filter_finish(struct lod_filter *filter)
{
    for (size_t i = 0; i < filter->texts.count; i++) {
        free(filter->texts.at[i]);
    }
    free(filter->texts.at);
    free(filter->lines.at);
    *filter = (struct lod_filter){0};
}

/* -------------------------------------------------------------------------------- verdict */

static bool any(const char *const *patterns, size_t count, const char *path, bool folder)
{
    for (size_t i = 0; i < count; i++) {
        if (lod_pattern_matches(patterns[i], path, folder)) {
            return true;
        }
    }
    return false;
}

bool lod_patterns_match(const struct lod_option_list *patterns, const char *path)
{
    return any(patterns->at, patterns->count, path, false);
}

const char *lod_filter_why(const struct lod_filter *filter, const char *path, bool folder)
{
    if (any(filter->exclude.at, filter->exclude.count, path, folder) ||
        any(filter->lines.at, filter->lines.count, path, folder)) {
        return "excluded";
    }
    return folder || filter->include.count == 0 ||
                   any(filter->include.at, filter->include.count, path, false)
               ? NULL
               : "not included";
}

const char *lod_filter_why_below(const struct lod_filter *filter, const char *path, bool folder)
{
    char above[LOD_PATH_MAX + 1];
    const char *why = NULL;

    for (const char *slash = strchr(path, '/'); !why && slash; slash = strchr(slash + 1, '/')) {
        const size_t bytes = (size_t)(slash - path);
        memcpy(above, path, bytes);
        above[bytes] = '\0';
        why = lod_filter_why(filter, above, true);
    }
    return why ? why : lod_filter_why(filter, path, folder);
}
