/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, proc(5): /proc/self/mountinfo; see mounted.h. */
#include "mounted.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define FILE_SYSTEM "fuse.lodfs"
#define TABLE       "/proc/self/mountinfo"

enum field { DEVICE_FIELD = 2, POINT_FIELD = 4 }; /* of a line, counted from 0 */

struct line {
    const char *device, *point, *type, *source;
};

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
static bool parse_line(char *line, struct line *ret_line)
{
    char *fields[2] = {NULL, NULL}, *state = NULL;
    char *device = NULL, *point = NULL, *word = strtok_r(line, " \n", &state);

    for (unsigned i = 0; word && strcmp(word, "-") != 0; i++) {
        device = i == DEVICE_FIELD ? word : device;
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
    *ret_line =
        (struct line){.device = device, .point = point, .type = fields[0], .source = fields[1]};
    return true;
}

int lod_mounted_store(const char *path, char **ret_location)
{
    struct line parsed;
    char whole[PATH_MAX], *line = NULL, *location = NULL;
    size_t room = 0;
    int error = 0;

    *ret_location = NULL;
    if (!realpath(path, whole)) {
        return 0; /* whoever opens it as a store says what is wrong */
    }
    FILE *mounts = fopen(TABLE, "re");
    if (!mounts) {
        return -errno;
    }
    while (!error && getline(&line, &room, mounts) >= 0) {
        if (parse_line(line, &parsed) && strcmp(parsed.point, whole) == 0) {
            bool ours = strcmp(parsed.type, FILE_SYSTEM) == 0;
            free(location); /* a later mount covers an earlier one */
            location = ours ? strdup(parsed.source) : NULL;
            error = location || !ours ? 0 : -ENOMEM;
        }
    }
    free(line);
    fclose(mounts);
    *ret_location = location;
    return error;
}

static bool has_device(const struct line *line, dev_t device)
{
    unsigned major_number, minor_number;

    return sscanf(line->device, "%u:%u", &major_number, &minor_number) == 2 &&
           makedev(major_number, minor_number) == device;
}

/* -ENOMEM. */
static int examine(const struct line *line, const struct stat *folder, bool *ret_inside,
                   char **ret_point)
{
    struct stat store;

    *ret_inside = *ret_inside || has_device(line, folder->st_dev);
    if (*ret_point || stat(line->source, &store) || store.st_dev != folder->st_dev ||
        store.st_ino != folder->st_ino) {
        return 0;
    }
    *ret_point = strdup(line->point);
    return *ret_point ? 0 : -ENOMEM;
}

int lod_mounted_folder(int fd, bool *ret_inside, char **ret_point)
{
    char *line = NULL, *point = NULL;
    struct line parsed;
    struct stat folder;
    bool inside = false;
    size_t room = 0;
    int error = 0;

    if (fstat(fd, &folder)) {
        return -errno;
    }
    FILE *mounts = fopen(TABLE, "re");
    if (!mounts) {
        return -errno;
    }
    while (!error && getline(&line, &room, mounts) >= 0) {
        if (parse_line(line, &parsed) && strcmp(parsed.type, FILE_SYSTEM) == 0) {
            error = examine(&parsed, &folder, &inside, &point);
        }
    }
    free(line);
    fclose(mounts);
    if (!error) {
        *ret_inside = inside;
        *ret_point = point;
    }
    return error;
}
