/* SPDX-License-Identifier: Apache-2.0 */
/* Mount points. Uses the kernel's own list of mounts; libmount would be a library for one line. */
#include "fuse/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse/behind.h"
#include "log.h"

bool lod_place_is_fd(const char *mountpoint)
{
    static const char prefix[] = "/dev/fd/";
    const char *digits = mountpoint + sizeof(prefix) - 1;

    return strncmp(mountpoint, prefix, sizeof(prefix) - 1) == 0 && *digits &&
           strspn(digits, "0123456789") == strlen(digits);
}

int lod_place_resolve(const char *mountpoint, char ret_path[PATH_MAX])
{
    char folder[PATH_MAX], text[PATH_MAX];
    size_t bytes = strlen(mountpoint);

    if (realpath(mountpoint, ret_path)) {
        return 0;
    }
    if (errno != ENOTCONN) {
        return -errno;
    }
    /* The last name is a dead mount, which cannot be a link: resolve what is above it. */
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

/* Of the mount that one sees at a path. */
struct seen {
    bool ours, fuse; /* by the type of their file system */
    uid_t mounter;
    char store[PATH_MAX]; /* what the table of mounts calls its device */
};

static uid_t mounter_of(const struct mntent *entry)
{
    const char *word = hasmntopt(entry, "user_id");

    return word ? (uid_t)strtoul(word + strcspn(word, "=") + 1, NULL, 10) : 0;
}

/* The last one covers the others. */
static struct seen see(const char *path)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    char text[2 * PATH_MAX + 4096];
    struct seen seen = {.ours = false};
    struct mntent entry;

    while (mounts && getmntent_r(mounts, &entry, text, sizeof(text))) {
        if (strcmp(entry.mnt_dir, path) == 0) {
            seen.ours = lod_behind_is_ours(entry.mnt_type);
            seen.fuse = lod_behind_is_fuse(entry.mnt_type);
            seen.mounter = mounter_of(&entry);
            snprintf(seen.store, sizeof(seen.store), "%s", entry.mnt_fsname);
        }
    }
    if (mounts) {
        endmntent(mounts);
    }
    return seen;
}

/* Where the type tells, no daemon is asked: one that hangs would never answer. */
bool lod_place_is_lodfs(const char *path)
{
    struct seen seen = see(path);

    return seen.ours || (seen.fuse && lod_behind(path, seen.store));
}

#define WORDS_BYTES_MAX 512

/* What a process says until it closes its end; as much as there is room for. */
static void listen_to(int fd, char words[WORDS_BYTES_MAX])
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

/* Its exit status is 1 whatever it was: its words say it. */
static int why_not(const char *path, const char *words)
{
    char shown[4 * WORDS_BYTES_MAX];

    if (see(path).mounter != getuid()) {
        return -EPERM;
    }
    if (!*words || strstr(words, strerror(EBUSY))) {
        return -EBUSY;
    }
    lod_log(LOD_LOG_ERROR, "%s", lod_escape(words, strcspn(words, "\n"), shown, sizeof(shown)));
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
    listen_to(ends[0], words);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return -ENOSYS;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    return why_not(path, words);
}

int lod_place_unmount(const char *path, bool lazy)
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

/* A mount of ours whose daemon was killed answers ENOTCONN to everything. */
static int replace_dead(const char *path, const char *shown)
{
    if (!lod_place_is_lodfs(path)) {
        lod_log(LOD_LOG_ERROR, "%s: a dead mount of another kind; unmount it first", shown);
        return -ENOTCONN;
    }
    int error = lod_place_unmount(path, true);
    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: cannot take the dead mount away: %s", shown, strerror(-error));
        return error;
    }
    lod_log(LOD_LOG_WARNING, "%s: replaced a mount whose daemon was gone", shown);
    return 0;
}

/* A second mount would hide the first, and the next umount would bring it back. */
static int refuse_stack(const char *path, const char *shown, bool nonempty)
{
    struct seen seen = see(path);
    char store[PATH_MAX];

    if (nonempty || (!(seen.fuse && lod_behind(path, seen.store)) && !seen.ours)) {
        return 0;
    }
    lod_escape(seen.store, strlen(seen.store), store, sizeof(store));
    lod_log(LOD_LOG_ERROR,
            "%s: %s is mounted there; unmount it first, or cover it with -o nonempty", shown,
            store);
    return -EBUSY;
}

/* Every program on the machine needs these. */
static int refuse_kernels(const char *path, const char *shown)
{
    struct statfs on;

    if (statfs(path, &on) || (on.f_type != PROC_SUPER_MAGIC && on.f_type != SYSFS_MAGIC)) {
        return 0;
    }
    lod_log(LOD_LOG_ERROR, "%s: a folder of the kernel's own; name another", shown);
    return -ENOTDIR;
}

/* What is there now: the kernel still knows the attributes of a dead mount that it was asked
 * before. */
static int look(const char *path, mode_t *ret_mode)
{
    struct statx now;

    if (statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_TYPE, &now)) {
        return -errno;
    }
    *ret_mode = now.stx_mode;
    return 0;
}

int lod_place_prepare(const char *store, const char *mountpoint, bool nonempty,
                      char ret_path[PATH_MAX])
{
    char shown[PATH_MAX];
    mode_t mode = 0;

    lod_escape(mountpoint, strlen(mountpoint), shown, sizeof(shown));
    int error = lod_place_resolve(mountpoint, ret_path);
    error = error ? error : look(ret_path, &mode);
    if (error == -ENOTCONN) {
        error = replace_dead(ret_path, shown);
        if (error) {
            return error;
        }
        error = look(ret_path, &mode);
    }
    if (error) {
        lod_log(LOD_LOG_ERROR, "%s: %s; the mount point must be an existing folder", shown,
                strerror(-error));
        return error == -ENOENT ? -ENOTDIR : error;
    }
    if (!S_ISDIR(mode)) {
        lod_log(LOD_LOG_ERROR, "%s: not a folder; the mount point must be one", shown);
        return -ENOTDIR;
    }
    if (lies_in(ret_path, store) || lies_in(store, ret_path)) {
        lod_log(LOD_LOG_ERROR, "%s: the mount point may neither lie in the store nor hold it",
                shown);
        return -ELOOP;
    }
    error = refuse_kernels(ret_path, shown);
    return error ? error : refuse_stack(ret_path, shown, nonempty);
}
