/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes every call that would change a file, a name or a permission on a mount. Each must fail,
 * with the errno of a read-only file system.
 *
 *   write_calls MOUNT OUTSIDE
 *
 * MOUNT/file, MOUNT/folder/inner and the link MOUNT/link must exist. OUTSIDE is a writable folder.
 * Prints a line for each call with another result. write_calls.py checks that no file has changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static unsigned tried, wrong, skipped;

/* ENOSYS: this kernel does not have the call. */
static void judge(const char *call, long result, int wanted)
{
    const int got = result < 0 ? errno : 0;

    tried++;
    if (got == ENOSYS && wanted != ENOSYS) {
        skipped++;
        printf("SKIP: %s: this kernel does not have it\n", call);
    } else if (got != wanted) {
        wrong++;
        printf("%s: %s, not %s\n", call, got ? strerrorname_np(got) : "no error",
               wanted ? strerrorname_np(wanted) : "no error");
    }
}

#define FAILS(wanted, call)                                                                        \
    do {                                                                                           \
        errno = 0;                                                                                 \
        judge(#call, (long)(call), wanted);                                                        \
    } while (0)

/* Both are in the mount's folder, from main. */
static const char *const file = "file", *const folder = "folder", *const link_name = "link",
                         *const none = "none";
static const char *outside;
static char byte = 'x';

static int must_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd < 0) {
        perror(path);
        exit(2);
    }
    return fd;
}

static void opening(void)
{
    struct open_how how = {.flags = O_RDWR};

    FAILS(EROFS, open(file, O_WRONLY));
    FAILS(EROFS, open(file, O_RDWR));
    FAILS(EROFS, open(file, O_WRONLY | O_APPEND));
    FAILS(EROFS, open(file, O_WRONLY | O_TRUNC));
    FAILS(EROFS, open(file, O_RDONLY | O_TRUNC));
    FAILS(EROFS, open(file, O_RDWR | O_DIRECT));
    FAILS(EROFS, open(file, O_WRONLY | O_SYNC));
    FAILS(EROFS, open(file, O_RDWR | O_CREAT, 0600));
    FAILS(EEXIST, open(file, O_RDWR | O_CREAT | O_EXCL, 0600));
    FAILS(EROFS, open(none, O_RDWR | O_CREAT, 0600));
    FAILS(EROFS, open(none, O_RDONLY | O_CREAT, 0600));
    FAILS(EROFS, open(none, O_RDWR | O_CREAT | O_EXCL, 0600));
    FAILS(EROFS, open("folder/none", O_WRONLY | O_CREAT, 0600));
    FAILS(EROFS, creat(file, 0600));
    FAILS(EROFS, creat(none, 0600));
    FAILS(EROFS, open(link_name, O_WRONLY));
    FAILS(EROFS, open(".", O_RDWR | O_TMPFILE, 0600));
    FAILS(EROFS, open(folder, O_WRONLY | O_TMPFILE, 0600));
    FAILS(EISDIR, open(folder, O_WRONLY));
    FAILS(EROFS, openat(AT_FDCWD, file, O_RDWR));
    FAILS(EROFS, syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof(how)));
}

static void writing(int fd)
{
    const struct iovec part = {&byte, 1};
    int other = must_open(outside, O_RDWR | O_TMPFILE), pipes[2];
    off_t at = 0, at2 = 0;

    if (write(other, "some", 4) != 4 || pipe(pipes) < 0 || write(pipes[1], "some", 4) != 4) {
        exit(2);
    }
    FAILS(EBADF, write(fd, &byte, 1));
    FAILS(EBADF, write(fd, &byte, 0));
    FAILS(EBADF, pwrite(fd, &byte, 1, 0));
    FAILS(EBADF, writev(fd, &part, 1));
    FAILS(EBADF, pwritev(fd, &part, 1, 0));
    FAILS(EBADF, pwritev2(fd, &part, 1, 0, RWF_APPEND));
    FAILS(EBADF, sendfile(fd, other, &at, 4));
    FAILS(EBADF, splice(pipes[0], NULL, fd, &at, 4, 0));
    FAILS(EBADF, copy_file_range(other, &at, fd, &at2, 4, 0));
    FAILS(EINVAL, ftruncate(fd, 0));
    FAILS(EINVAL, ftruncate(fd, 1 << 20));
    FAILS(EBADF, fallocate(fd, 0, 0, 100));
    FAILS(EBADF, fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20));
    FAILS(EBADF, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
    FAILS(EBADF, fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 4096));
    FAILS(EBADF, fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 4096));
    FAILS(EBADF, fallocate(fd, FALLOC_FL_INSERT_RANGE, 0, 4096));
    FAILS(EBADF, (errno = posix_fallocate(fd, 0, 100)) ? -1 : 0);
    FAILS(EROFS, truncate(file, 0));
    FAILS(EROFS, truncate(file, 1 << 20));
    FAILS(EISDIR, truncate(folder, 0));
    close(other);
    close(pipes[0]);
    close(pipes[1]);
}

static void mapping(int fd)
{
    void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    FAILS(EACCES, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    FAILS(EACCES, mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0));
    if (map != MAP_FAILED) {
        FAILS(EACCES, mprotect(map, 4096, PROT_READ | PROT_WRITE));
        FAILS(EACCES, madvise(map, 4096, MADV_REMOVE));
        munmap(map, 4096);
    }
}

static void rights(int fd, int dir)
{
    FAILS(EROFS, chmod(file, 0777));
    FAILS(EROFS, chmod(folder, 0));
    FAILS(EROFS, chmod(link_name, 0777));
    FAILS(EROFS, fchmod(fd, 0777));
    FAILS(EROFS, fchmod(dir, 0777));
    FAILS(EROFS, fchmodat(AT_FDCWD, file, 0777, 0));
    FAILS(EOPNOTSUPP, fchmodat(AT_FDCWD, link_name, 0777, AT_SYMLINK_NOFOLLOW));
    FAILS(EROFS, chown(file, 1, 1));
    FAILS(EROFS, chown(folder, 1, 1));
    FAILS(EROFS, chown(file, (uid_t)-1, (gid_t)-1));
    FAILS(EROFS, lchown(link_name, 1, 1));
    FAILS(EROFS, fchown(fd, 1, 1));
    FAILS(EROFS, fchownat(AT_FDCWD, file, 1, 1, 0));
    FAILS(EROFS, fchownat(AT_FDCWD, link_name, 1, 1, AT_SYMLINK_NOFOLLOW));
    FAILS(EROFS, fchownat(fd, "", 1, 1, AT_EMPTY_PATH));
}

static void times(int fd)
{
    const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    const struct timespec then[2] = {{1, 2}, {3, 4}};
    const struct timeval old[2] = {{1, 2}, {3, 4}};
    const struct utimbuf older = {1, 2};

    FAILS(EROFS, utime(file, NULL));
    FAILS(EROFS, utime(file, &older));
    FAILS(EROFS, utimes(file, old));
    FAILS(EROFS, lutimes(link_name, old));
    FAILS(EROFS, futimes(fd, old));
    FAILS(EROFS, futimesat(AT_FDCWD, file, old));
    FAILS(EROFS, futimens(fd, now));
    FAILS(EROFS, futimens(fd, then));
    FAILS(EROFS, utimensat(AT_FDCWD, file, now, 0));
    FAILS(EROFS, utimensat(AT_FDCWD, folder, then, 0));
    FAILS(EROFS, utimensat(AT_FDCWD, link_name, then, AT_SYMLINK_NOFOLLOW));
}

static void names(int dir)
{
    char other[4096], other_link[4096];
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(other, sizeof(other), "%s/other", outside);
    snprintf(other_link, sizeof(other_link), "%s/link", outside);
    close(must_open(other, O_WRONLY | O_CREAT));
    FAILS(EROFS, mkdir(none, 0777));
    FAILS(EEXIST, mkdir(folder, 0777));
    FAILS(EROFS, mkdirat(dir, none, 0777));
    FAILS(EROFS, rmdir(folder));
    FAILS(EROFS, unlink(file));
    FAILS(EROFS, unlink(link_name));
    FAILS(EROFS, unlink(none));
    FAILS(EROFS, unlinkat(dir, "inner", 0));
    FAILS(EROFS, unlinkat(AT_FDCWD, folder, AT_REMOVEDIR));
    FAILS(EROFS, rename(file, none));
    FAILS(EROFS, rename(file, "folder/none"));
    FAILS(EROFS, rename(file, link_name));
    FAILS(EROFS, rename(folder, none));
    FAILS(EXDEV, rename(other, none));
    FAILS(EXDEV, rename(file, other));
    FAILS(EROFS, renameat(dir, "inner", dir, none));
    FAILS(EROFS, renameat2(AT_FDCWD, file, AT_FDCWD, none, RENAME_NOREPLACE));
    FAILS(EROFS, renameat2(AT_FDCWD, file, AT_FDCWD, link_name, RENAME_EXCHANGE));
    FAILS(EROFS, renameat2(AT_FDCWD, file, AT_FDCWD, none, RENAME_WHITEOUT));
    FAILS(EROFS, link(file, none));
    FAILS(EROFS, link(other, none));
    FAILS(EXDEV, link(file, other_link));
    FAILS(EROFS, linkat(AT_FDCWD, link_name, AT_FDCWD, none, 0));
    FAILS(EROFS, symlink("target", none));
    FAILS(EROFS, symlinkat("target", dir, none));
    FAILS(EROFS, mknod(none, S_IFREG | 0600, 0));
    FAILS(EROFS, mknod(none, S_IFIFO | 0600, 0));
    FAILS(EROFS, mknod(none, S_IFCHR | 0600, 0x103));
    FAILS(EROFS, mknodat(dir, none, S_IFBLK | 0600, 0x700));
    FAILS(EROFS, mkfifo(none, 0600));
    FAILS(EROFS, bind(socket_fd, (struct sockaddr *)&address, sizeof(address)));
    close(socket_fd);
    unlink(other);
}

static void attributes(int fd)
{
    FAILS(EROFS, setxattr(file, "user.a", "b", 1, 0));
    FAILS(EROFS, setxattr(file, "user.a", "b", 1, XATTR_CREATE));
    FAILS(EROFS, setxattr(file, "trusted.a", "b", 1, 0));
    FAILS(EROFS, setxattr(file, "security.capability", "b", 1, 0));
    FAILS(EROFS, setxattr(folder, "system.posix_acl_access", "b", 1, 0));
    FAILS(EROFS, lsetxattr(link_name, "trusted.a", "b", 1, 0));
    FAILS(EROFS, fsetxattr(fd, "user.a", "b", 1, 0));
    FAILS(EROFS, removexattr(file, "user.a"));
    FAILS(EROFS, lremovexattr(link_name, "trusted.a"));
    FAILS(EROFS, fremovexattr(fd, "user.a"));
}

static void ioctls(int fd, int dir)
{
    struct file_clone_range range = {.src_fd = fd};
    struct fstrim_range trim = {.len = 4096};
    struct fsxattr flags = {.fsx_xflags = FS_XFLAG_IMMUTABLE};
    int immutable = FS_IMMUTABLE_FL;

    FAILS(EROFS, ioctl(fd, FS_IOC_SETFLAGS, &immutable));
    FAILS(EROFS, ioctl(dir, FS_IOC_SETFLAGS, &immutable));
    FAILS(EROFS, ioctl(fd, FS_IOC_FSSETXATTR, &flags));
    FAILS(EBADF, ioctl(fd, FICLONE, fd));
    FAILS(EBADF, ioctl(fd, FICLONERANGE, &range));
    FAILS(ENOTTY, ioctl(fd, FITRIM, &trim));
    FAILS(ENOTTY, ioctl(fd, BLKRRPART, NULL));
}

static void locks(int fd)
{
    struct flock lock = {.l_type = F_WRLCK};

    FAILS(EBADF, fcntl(fd, F_SETLK, &lock));
    FAILS(EBADF, fcntl(fd, F_OFD_SETLK, &lock));
    FAILS(EBADF, lockf(fd, F_TLOCK, 0));
    FAILS(EPERM, fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    if (geteuid() == 0) {
        FAILS(EROFS, swapon(file, 0));
    }
    FAILS(EROFS, access(file, W_OK));
    FAILS(EROFS, faccessat(AT_FDCWD, folder, W_OK, 0));
    FAILS(EROFS, eaccess(file, W_OK | R_OK));
}

int main(int argc, char **argv)
{
    if (argc != 3 || chdir(argv[1]) < 0) {
        fprintf(stderr, "usage: write_calls MOUNT OUTSIDE\n");
        return 2;
    }
    outside = argv[2];
    int fd = must_open(file, O_RDONLY), dir = must_open(folder, O_RDONLY | O_DIRECTORY);
    opening();
    writing(fd);
    mapping(fd);
    rights(fd, dir);
    times(fd);
    names(dir);
    attributes(fd);
    ioctls(fd, dir);
    locks(fd);
    printf("%u calls, %u wrong, %u skipped\n", tried, wrong, skipped);
    return wrong ? 1 : 0;
}
