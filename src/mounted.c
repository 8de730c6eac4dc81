/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, proc(5): /proc/self/mountinfo; see mounted.h. */
#include "mounted.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SYSTEM "fuse.lodfs"
#define POINT_FIELD 4 /* of a line, counted from 0 */

/* Blanks, tabs, line ends and backslashes stand there as \ooo. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *at = text; *at; to++) {
        unsigned byte = 0;
        bool octal = at[0] == '\\' && strspn(at + 1, "01234567") >= 3;
        for (unsigned i = 1; octal && i <= 3; i++) {
            byte = byte * 8 + (unsigned)(at[i] - '0');
        }
        *to = octal ? (char)byte : *at;
        at += octal ? 4 : 1;
    }
    *to = '\0';
}

/* "36 35 0:43 / POINT opts optional.. - TYPE SOURCE superopts" */
static bool parse_line(char *line, const char **ret_point, const char **ret_type,
                       const char **ret_source)
{
    char *fields[2] = {NULL, NULL}, *state = NULL;
    char *point = NULL, *word = strtok_r(line, " \n", &state);

    for (unsigned i = 0; word && strcmp(word, "-") != 0; i++) {
        point = i == POINT_FIELD ? word : point;
        word = strtok_r(NULL, " \n", &state);
    }
    for (unsigned i = 0; word && i < 2; i++) {
        fields[i] = strtok_r(NULL, " \n", &state);
    }
    if (!point || !fields[0] || !fields[1]) {
        return false;
    }
    unescape(point);
    unescape(fields[1]);
    *ret_point = point;
    *ret_type = fields[0];
    *ret_source = fields[1];
    return true;
}

int lod_mounted_store(const char *path, char **ret_location)
{
    const char *point, *type, *source;
    char whole[PATH_MAX], *line = NULL, *location = NULL;
    size_t room = 0;
    int error = 0;

    *ret_location = NULL;
    if (!realpath(path, whole)) {
        return 0; /* whoever opens it as a store says what is wrong */
    }
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    if (!mounts) {
        return -errno;
    }
    while (!error && getline(&line, &room, mounts) >= 0) {
        if (parse_line(line, &point, &type, &source) && strcmp(point, whole) == 0) {
            free(location); /* a later mount covers an earlier one */
            location = strcmp(type, FILE_SYSTEM) == 0 ? strdup(source) : NULL;
            error = location || strcmp(type, FILE_SYSTEM) != 0 ? 0 : -ENOMEM;
        }
    }
    free(line);
    fclose(mounts);
    *ret_location = location;
    return error;
}
