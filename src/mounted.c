/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's table of mounts, proc(5): /proc/self/mountinfo; see mounted.h. */
#include "mounted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fuse/behind.h"
#include "store/format.h"

#define TABLE "/proc/self/mountinfo"

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

static bool is_store(const char *path)
{
    char manifest[PATH_MAX + sizeof(LOD_MANIFEST_NAME) + 1];

    snprintf(manifest, sizeof(manifest), "%s/%s", path, LOD_MANIFEST_NAME);
    return *path == '/' && access(manifest, F_OK) == 0;
}

/*
 * The store behind a mount, what the table calls its device if the daemon does not say; NULL: it
 * is none of ours. Who asks a daemon has its mount open, which another's umount may find in use, so
 * one that the user has not `named` is asked only if its device is no store; and only where it is
 * named are other servers of FUSE asked.
 */
static const char *store_of(const struct line *line, bool named, char told[PATH_MAX])
{
    const bool ours = lod_behind_is_ours(line->type);

    if (ours && !named && is_store(line->source)) {
        return line->source;
    }
    if ((ours || (named && lod_behind_is_fuse(line->type))) && lod_behind(line->point, told)) {
        return told;
    }
    return ours ? line->source : NULL;
}

int lod_mounted_store(const char *path, char **ret_location)
{
    struct line parsed;
    char whole[PATH_MAX], told[PATH_MAX], *line = NULL, *location = NULL;
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
            free(location); /* a later mount covers an earlier one */
            const char *store = store_of(&parsed, true, told);
            location = store ? strdup(store) : NULL;
            error = location || !store ? 0 : -ENOMEM;
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

#define ABOVE_MAX 4096 /* LOD_PATH_MAX bytes of path have fewer folders */

/* A folder and those above it, up to the root. */
struct above {
    size_t count;
    struct {
        dev_t device;
        ino_t inode;
    } folders[ABOVE_MAX];
};

static int climb(int fd, struct above *above)
{
    struct stat st;
    int at = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = at < 0 ? -errno : 0;

    for (above->count = 0; !error && above->count < ABOVE_MAX;) {
        size_t last = above->count - 1;
        if (fstat(at, &st)) {
            error = -errno;
        } else if (above->count && above->folders[last].device == st.st_dev &&
                   above->folders[last].inode == st.st_ino) {
            break; /* the root is its own parent */
        } else {
            above->folders[above->count].device = st.st_dev;
            above->folders[above->count++].inode = st.st_ino;
            int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (up < 0) {
                break; /* what is above is not ours to see */
            }
            close(at);
            at = up;
        }
    }
    if (at >= 0) {
        close(at);
    }
    return error;
}

static bool lies_in(const struct above *above, const char *folder)
{
    struct stat st;
    bool in = false;

    for (size_t i = 0; stat(folder, &st) == 0 && i < above->count && !in; i++) {
        in = above->folders[i].device == st.st_dev && above->folders[i].inode == st.st_ino;
    }
    return in;
}

/* -ENOMEM. */
static int examine(const struct line *line, const struct above *above, bool *ret_inside,
                   char **ret_point)
{
    char told[PATH_MAX];
    const bool here = has_device(line, above->folders[0].device);
    const char *store = store_of(line, here, told);

    *ret_inside = *ret_inside || (here && store);
    if (*ret_point || !store || !lies_in(above, store)) {
        return 0;
    }
    *ret_point = strdup(line->point);
    return *ret_point ? 0 : -ENOMEM;
}

/* Calls each(ctx, line) for every mount that FUSE serves; ends with its first error. */
static int each_mount(int (*each)(void *ctx, const struct line *line), void *ctx)
{
    char *line = NULL;
    struct line parsed;
    size_t room = 0;
    int error = 0;

    FILE *mounts = fopen(TABLE, "re");
    if (!mounts) {
        return -errno;
    }
    while (!error && getline(&line, &room, mounts) >= 0) {
        if (parse_line(line, &parsed) && lod_behind_is_fuse(parsed.type)) {
            error = each(ctx, &parsed);
        }
    }
    free(line);
    fclose(mounts);
    return error;
}

struct examined {
    struct above above;
    bool inside;
    char *point;
};

static int examine_each(void *ctx, const struct line *line)
{
    struct examined *examined = ctx;

    return examine(line, &examined->above, &examined->inside, &examined->point);
}

int lod_mounted_folder(int fd, bool *ret_inside, char **ret_point)
{
    struct examined *examined = calloc(1, sizeof(*examined));
    int error = examined ? climb(fd, &examined->above) : -ENOMEM;

    error = error ? error : each_mount(examine_each, examined);
    if (!error) {
        *ret_inside = examined->inside;
        *ret_point = examined->point;
    } else if (examined) {
        free(examined->point);
    }
    free(examined);
    return error;
}

struct below {
    char folder[PATH_MAX];
    size_t bytes;
    char *point;
};

static int below_each(void *ctx, const struct line *line)
{
    struct below *below = ctx;
    char told[PATH_MAX];

    if (below->point || strncmp(line->point, below->folder, below->bytes) != 0 ||
        (line->point[below->bytes] != '/' && line->point[below->bytes]) ||
        !store_of(line, true, told)) {
        return 0;
    }
    below->point = strdup(line->point);
    return below->point ? 0 : -ENOMEM;
}

int lod_mounted_below(const char *path, char **ret_point)
{
    struct below below = {.point = NULL};

    if (!realpath(path, below.folder)) {
        return -errno;
    }
    below.bytes = below.folder[1] ? strlen(below.folder) : 0; /* all is below "/" */
    int error = each_mount(below_each, &below);
    if (!error) {
        *ret_point = below.point;
    }
    return error;
}
