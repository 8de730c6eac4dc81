/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves, checks and unmounts mount points. */
#include "mount/mountpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "mount/mount_query.h"
#include "mount/mount_table.h"

bool lod_mountpoint_is_fd(const char *mountpoint)
{
    static const char prefix[] = "/dev/fd/";
    const char *digits = mountpoint + sizeof(prefix) - 1;

    return strncmp(mountpoint, prefix, sizeof(prefix) - 1) == 0 && *digits &&
           strspn(digits, "0123456789") == strlen(digits);
}

/* Returns -errno. Of a mount whose daemon has ended, requests under way fail with ECONNABORTED, or
 * ECANCELED with io_uring; later ones with ENOTCONN. */
static int get_error(void)
{
    return errno == ECONNABORTED || errno == ECANCELED ? -ENOTCONN : -errno;
}

int lod_mountpoint_resolve(const char *mountpoint, char ret_path[PATH_MAX])
{
    char folder[PATH_MAX], text[PATH_MAX];
    size_t bytes = strlen(mountpoint);

    if (realpath(mountpoint, ret_path)) {
        return 0;
    }
    if (get_error() != -ENOTCONN) {
        return -errno;
    }
    /* The last name is a dead mount, which cannot be a link: resolve the path above it. */
    while (bytes > 1 && mountpoint[bytes - 1] == '/') {
        bytes--;
    }
    if (bytes >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(text, mountpoint, bytes);
    text[bytes] = '\0';
    char *slash = strrchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    const char *above = !slash ? "." : slash == text ? "/" : text;
    if (slash && slash != text) {
        *slash = '\0';
    }
    if (!realpath(above, folder)) {
        return -errno;
    }
    int wrote = snprintf(ret_path, PATH_MAX, "%s/%s", folder[1] ? folder : "", name);
    return wrote < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Asks no daemon if the type of the file system is enough: a hung daemon would never answer. */
bool lod_mountpoint_is_lodfs(const char *path)
{
    struct lod_mount_answer answer;
    struct lod_mount_seen seen;

    lod_mount_table_at(path, &seen);
    return seen.ours || (seen.fuse && lod_mount_query(path, &answer) == 0);
}

#define WORDS_BYTES_MAX 512

/* Reads the output of a process until it ends, as far as there is room. */
static void read_output(int fd, char words[WORDS_BYTES_MAX])
{
    size_t have = 0;

    while (have < WORDS_BYTES_MAX - 1) {
        ssize_t got = read(fd, words + have, WORDS_BYTES_MAX - 1 - have);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    words[have] = '\0';
}

/* Finds the cause in the output of fusermount3, whose exit status is always 1. */
static int cause_of(const char *path, const char *words)
{
    struct lod_mount_seen seen;

    lod_mount_table_at(path, &seen);
    if (seen.mounter != getuid()) {
        return -EPERM;
    }
    if (!*words || strstr(words, strerror(EBUSY))) {
        return -EBUSY;
    }
    lod_log(LOD_LOG_ERROR, "%.*s", (int)strcspn(words, "\n"), words);
    return -ECANCELED;
}

static int run_fusermount(const char *path, bool lazy)
{
    char words[WORDS_BYTES_MAX];
    int status = 0, ends[2];

    if (pipe2(ends, O_CLOEXEC)) {
        return -errno;
    }
    pid_t child = fork();
    if (child < 0) {
        int error = -errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        execlp("fusermount3", "fusermount3", lazy ? "-uz" : "-u", "--", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    read_output(ends[0], words);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return -ENOSYS;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    return cause_of(path, words);
}

int lod_mountpoint_unmount(const char *path, bool lazy)
{
    if (geteuid() != 0) {
        return run_fusermount(path, lazy);
    }
    return umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) ? -errno : 0;
}

static bool lies_in(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);

    bytes -= bytes == 1; /* "/" */
    return strncmp(path, folder, bytes) == 0 && (path[bytes] == '/' || path[bytes] == '\0');
}

/* Unmounts a lodfs mount whose daemon was killed; it answers ENOTCONN to everything. */
static int replace_dead(const char *path, const char *mountpoint)
{
    if (!lod_mountpoint_is_lodfs(path)) {
        lod_log(LOD_LOG_ERROR, "%pE: a dead mount of another file system; unmount it first",
                mountpoint);
        return -ENOTCONN;
    }
    int error = lod_mountpoint_unmount(path, true);
    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: cannot unmount the dead mount: %s", mountpoint,
                strerror(-error));
        return error;
    }
    lod_log(LOD_LOG_WARNING, "%pE: replaced a mount whose daemon had ended", mountpoint);
    return 0;
}

/* Refuses a second mount, which would hide the first until it is unmounted. */
static int refuse_stack(const char *path, const char *mountpoint, bool nonempty)
{
    struct lod_mount_answer answer = {.store = ""};
    struct lod_mount_seen seen;

    lod_mount_table_at(path, &seen);
    if (nonempty || (!(seen.fuse && lod_mount_query(path, &answer) == 0) && !seen.ours)) {
        return 0;
    }
    lod_log(LOD_LOG_ERROR,
            "%pE: %pE is mounted there; unmount it first, or cover it with -o nonempty", mountpoint,
            answer.store[0] ? answer.store : seen.source);
    return -EBUSY;
}

/* Refuses /proc, /sys and the like, which all programs need. */
static int refuse_kernels(const char *path, const char *mountpoint)
{
    struct statfs on;

    if (statfs(path, &on) || (on.f_type != PROC_SUPER_MAGIC && on.f_type != SYSFS_MAGIC)) {
        return 0;
    }
    lod_log(LOD_LOG_ERROR, "%pE: a folder of the kernel; choose another one", mountpoint);
    return -ENOTDIR;
}

/* Returns the mode of the folder as it is now. For a dead mount, stat(2) can return cached
 * attributes. */
static int get_mode(const char *path, mode_t *ret_mode)
{
    struct statx now;

    if (statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_TYPE, &now)) {
        return get_error();
    }
    *ret_mode = now.stx_mode;
    return 0;
}

int lod_mountpoint_prepare(const char *store, const char *mountpoint, bool nonempty,
                           char ret_path[PATH_MAX])
{
    mode_t mode = 0;

    int error = lod_mountpoint_resolve(mountpoint, ret_path);
    error = error ? error : get_mode(ret_path, &mode);
    if (error == -ENOTCONN) {
        error = replace_dead(ret_path, mountpoint);
        if (error) {
            return error;
        }
        error = get_mode(ret_path, &mode);
    }
    if (error) {
        lod_log(LOD_LOG_ERROR, "%pE: %s; the mount point must be an existing folder", mountpoint,
                strerror(-error));
        return error == -ENOENT ? -ENOTDIR : error;
    }
    if (!S_ISDIR(mode)) {
        lod_log(LOD_LOG_ERROR, "%pE: not a folder; the mount point must be one", mountpoint);
        return -ENOTDIR;
    }
    if (lies_in(ret_path, store) || lies_in(store, ret_path)) {
        lod_log(LOD_LOG_ERROR,
                "%pE: the mount point may neither be inside the store nor contain it", mountpoint);
        return -ELOOP;
    }
    error = refuse_kernels(ret_path, mountpoint);
    return error ? error : refuse_stack(ret_path, mountpoint, nonempty);
}
