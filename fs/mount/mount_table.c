/* SPDX-License-Identifier: Apache-2.0 */
/* proc(5): /proc/self/mountinfo; see mount_table.h. libmount would replace 40 lines of parser. */
#include "mount/mount_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/format.h"
#include "mount/mount_query.h"

#define TABLE "/proc/self/mountinfo"

enum field { DEVICE_FIELD = 2, POINT_FIELD = 4 }; /* fields of a line, counted from 0 */

/* Decodes blanks, tabs, newlines and backslashes, which are written as \ooo. */
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
static bool parse_line(char *line, struct lod_mount_row *ret_row)
{
    char *after[3] = {NULL, NULL, NULL}, *state = NULL;
    char *device = NULL, *point = NULL, *word = strtok_r(line, " \n", &state);
    unsigned major_number, minor_number;

    for (unsigned i = 0; word && strcmp(word, "-") != 0; i++) {
        device = i == DEVICE_FIELD ? word : device;
        point = i == POINT_FIELD ? word : point;
        word = strtok_r(NULL, " \n", &state);
    }
    for (unsigned i = 0; word && i < 3; i++) {
        after[i] = strtok_r(NULL, " \n", &state);
    }
    if (!point || !after[2] || sscanf(device, "%u:%u", &major_number, &minor_number) != 2) {
        return false;
    }
    unescape(point);
    unescape(after[1]);
    const char *user = strstr(after[2], "user_id=");
    *ret_row = (struct lod_mount_row){
        .device = makedev(major_number, minor_number),
        .mounter = user ? (uid_t)strtoul(user + strlen("user_id="), NULL, 10) : 0,
        .ours = strcmp(after[0], "fuse.lodfs") == 0,
        .fuse = strcmp(after[0], "fuse") == 0 || strncmp(after[0], "fuse.", 5) == 0,
        .point = point,
        .source = after[1],
    };
    return true;
}

int lod_mount_table_each(int (*each)(void *ctx, const struct lod_mount_row *row), void *ctx)
{
    struct lod_mount_row row;
    char *line = NULL;
    size_t room = 0;
    int error = 0;

    FILE *mounts = fopen(TABLE, "re");
    if (!mounts) {
        return -errno;
    }
    while (!error && getline(&line, &room, mounts) >= 0) {
        error = parse_line(line, &row) ? each(ctx, &row) : 0;
    }
    free(line);
    fclose(mounts);
    return error;
}

/* -------------------------------------------------------------------------- at a path */

struct at {
    const char *path;
    struct lod_mount_seen *seen;
};

static int look_at(void *ctx, const struct lod_mount_row *row)
{
    const struct at *at = ctx;

    if (strcmp(row->point, at->path) == 0) {
        at->seen->ours = row->ours;
        at->seen->fuse = row->fuse;
        at->seen->mounter = row->mounter;
        snprintf(at->seen->source, sizeof(at->seen->source), "%s", row->source);
    }
    return 0;
}

/* Without a table of mounts only the daemon can answer. The user of the mount is unknown, so a
 * refusal is left to fusermount3, which prints the reason. */
static void ask_daemon(const char *path, struct lod_mount_seen *ret_seen)
{
    struct lod_mount_answer answer;

    if (lod_mount_query(path, &answer) == 0) {
        ret_seen->ours = ret_seen->fuse = true;
        ret_seen->mounter = getuid();
        snprintf(ret_seen->source, sizeof(ret_seen->source), "%s", answer.store);
    }
}

void lod_mount_table_at(const char *path, struct lod_mount_seen *ret_seen)
{
    struct at at = {.path = path, .seen = ret_seen};

    *ret_seen = (struct lod_mount_seen){.ours = false};
    if (lod_mount_table_each(look_at, &at)) {
        *ret_seen = (struct lod_mount_seen){.ours = false};
        ask_daemon(path, ret_seen);
    }
}

static bool is_store(const char *path)
{
    char manifest[PATH_MAX + sizeof(LOD_MANIFEST_NAME) + 1];

    snprintf(manifest, sizeof(manifest), "%s/%s", path, LOD_MANIFEST_NAME);
    return *path == '/' && access(manifest, F_OK) == 0;
}

/*
 * Returns the store of a mount; NULL if it is not lodfs. If the daemon does not answer, the result
 * is the device in the table.
 *
 * Asking a daemon opens its mount, so that an unmount by another process can fail as busy. So a
 * mount that the user has not `named` is asked only if its device is not a store. Other FUSE
 * servers are asked only if named.
 */
static const char *store_of(const struct lod_mount_row *row, bool named,
                            struct lod_mount_answer *answer)
{
    if (row->ours && !named && is_store(row->source)) {
        return row->source;
    }
    if ((row->ours || (named && row->fuse)) && lod_mount_query(row->point, answer) == 0) {
        return answer->store[0] ? answer->store : row->source;
    }
    return row->ours ? row->source : NULL;
}

int lod_mount_table_store(const char *path, char **ret_location)
{
    struct lod_mount_answer answer;
    struct lod_mount_seen seen;
    char whole[PATH_MAX];

    *ret_location = NULL;
    if (!realpath(path, whole)) {
        return 0; /* opening it as a store reports the error */
    }
    lod_mount_table_at(whole, &seen);
    const struct lod_mount_row row = {
        .ours = seen.ours, .fuse = seen.fuse, .point = whole, .source = seen.source};
    const char *store = store_of(&row, true, &answer);
    *ret_location = store ? strdup(store) : NULL;
    return store && !*ret_location ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------------- around a folder */

#define ABOVE_MAX 4096 /* folders; a path of LOD_PATH_MAX bytes has fewer */

/* A folder and all folders above it, up to the root. */
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
            break; /* the parent of the root is the root itself */
        } else {
            above->folders[above->count].device = st.st_dev;
            above->folders[above->count++].inode = st.st_ino;
            int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (up < 0) {
                break; /* the folders above cannot be read */
            }
            close(at);
            at = up;
        }
    }
    lod_file_close(at);
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

struct around {
    struct above above;
    bool inside;
    char *point;
};

static int examine(void *ctx, const struct lod_mount_row *row)
{
    struct around *around = ctx;
    struct lod_mount_answer answer;
    const bool here = row->device == around->above.folders[0].device;
    const char *store = row->fuse ? store_of(row, here, &answer) : NULL;

    around->inside = around->inside || (here && store);
    if (around->point || !store || !lies_in(&around->above, store)) {
        return 0;
    }
    around->point = strdup(row->point);
    return around->point ? 0 : -ENOMEM;
}

int lod_mount_table_around(int fd, bool *ret_inside, char **ret_point)
{
    struct around *around = calloc(1, sizeof(*around));
    int error = around ? climb(fd, &around->above) : -ENOMEM;

    error = error ? error : lod_mount_table_each(examine, around);
    if (!error) {
        *ret_inside = around->inside;
        *ret_point = around->point;
    } else if (around) {
        free(around->point);
    }
    free(around);
    return error;
}

struct below {
    char folder[PATH_MAX];
    size_t bytes;
    char *point;
};

static int find_below(void *ctx, const struct lod_mount_row *row)
{
    struct below *below = ctx;
    struct lod_mount_answer answer;

    if (!row->fuse || below->point || strncmp(row->point, below->folder, below->bytes) != 0 ||
        (row->point[below->bytes] != '/' && row->point[below->bytes]) ||
        !store_of(row, true, &answer)) {
        return 0;
    }
    below->point = strdup(row->point);
    return below->point ? 0 : -ENOMEM;
}

int lod_mount_table_below(const char *path, char **ret_point)
{
    struct below below = {.point = NULL};

    if (!realpath(path, below.folder)) {
        return -errno;
    }
    below.bytes = below.folder[1] ? strlen(below.folder) : 0; /* all is below "/" */
    int error = lod_mount_table_each(find_below, &below);
    if (!error) {
        *ret_point = below.point;
    }
    return error;
}
