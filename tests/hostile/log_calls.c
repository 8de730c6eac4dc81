/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library for LD_PRELOAD that records the calls of a program that change files or make changes
 * durable, with the bytes written, in the order in which they took effect. disk.py reads the log.
 * Files are identified by inode number.
 *
 * LODFS_CALLS=FILE is the log, to which calls are appended. With LODFS_CALLS_MAX=N the program is
 * killed after call N. It does not work with AddressSanitizer, and does not see writes by mmap.
 *
 * A call is recorded as u8 kind, u8 0, u16 bytes of name, u32 bytes of name 2, u64 inode,
 * u64 inode 2, u64 offset, u64 bytes of data; then name, name 2, data.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* disk.py has the same table. */
enum kind {
    CREATE = 1, /* inode: folder, name; inode 2: the new file. No name: O_TMPFILE */
    FOLDER,     /* the same */
    WRITE,      /* inode, offset, data */
    SIZE,       /* inode, offset: its new length */
    SYNC,       /* inode */
    SYNC_ALL,
    RENAME,  /* inode: folder, name; inode 2: folder, name 2 */
    REMOVE,  /* inode: folder, name */
    LINK,    /* inode: folder, name; inode 2: the file */
    SYMLINK, /* inode: folder, name; name 2: its target */
    RIGHTS   /* inode; inode 2: mode; offset: time of change in ns */
};

struct call {
    uint8_t kind, zero;
    uint16_t name_bytes;
    uint32_t name2_bytes;
    uint64_t inode, inode2, offset, bytes;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static unsigned long left;

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real) {                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, name);                                                  \
    }

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("LODFS_CALLS"), *most = getenv("LODFS_CALLS_MAX");
    REAL(int, "openat", int, const char *, int, ...)

    left = most ? strtoul(most, NULL, 10) : UINT32_MAX;
    log_fd = path ? real(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

/* ------------------------------------------------------------------------------ writing down */

static uint64_t inode_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Returns the inode of the folder that contains `path`,
 * and sets *ret_name to its last component. */
static uint64_t folder_of(int fd, const char *path, const char **ret_name)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    struct stat st;

    *ret_name = slash ? slash + 1 : path;
    if (slash) {
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
    return fstatat(fd, folder, &st, 0) == 0 ? st.st_ino : 0;
}

static uint64_t inode_at(int fd, const char *path)
{
    struct stat st;

    return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
}

static struct iovec part_of(const void *data, size_t bytes)
{
    struct iovec part = {.iov_len = bytes};

    memcpy(&part.iov_base, &data, sizeof(data)); /* it is only read, whatever its type says */
    return part;
}

static void put(struct call call, const char *name, const char *name2, const struct iovec *data,
                int count)
{
    REAL(ssize_t, "writev", int, const struct iovec *, int)
    struct iovec parts[64] = {{&call, sizeof(call)}};
    ssize_t bytes = sizeof(call);

    call.name_bytes = (uint16_t)(name ? strlen(name) : 0);
    call.name2_bytes = (uint32_t)(name2 ? strlen(name2) : 0);
    parts[1] = part_of(name, call.name_bytes);
    parts[2] = part_of(name2, call.name2_bytes);
    for (int i = 0; i < count; i++) {
        parts[3 + i] = data[i];
        call.bytes += data[i].iov_len;
    }
    bytes += call.name_bytes + call.name2_bytes + (ssize_t)call.bytes;
    if (real(log_fd, parts, 3 + count) != bytes) {
        abort();
    }
    if (--left == 0) {
        kill(getpid(), SIGKILL);
    }
}

/* Executes and records `call` under a lock, so that the log has the order of the effects. */
#define DO(result, action, then)                                                                   \
    do {                                                                                           \
        if (log_fd < 0) {                                                                          \
            return action;                                                                         \
        }                                                                                          \
        pthread_mutex_lock(&order);                                                                \
        (result) = action;                                                                         \
        const int kept_errno = errno;                                                              \
        if ((result) >= 0) {                                                                       \
            then;                                                                                  \
        }                                                                                          \
        pthread_mutex_unlock(&order);                                                              \
        errno = kept_errno;                                                                        \
    } while (0)

/* ---------------------------------------------------------------------------------- opening */

static void put_open(int dir_fd, const char *path, int flags, int fd, bool was_there)
{
    const char *name;
    const uint64_t folder = folder_of(dir_fd, path, &name);

    if ((flags & O_TMPFILE) == O_TMPFILE) { /* LINK gives it a name */
        put((struct call){.kind = CREATE, .inode2 = inode_of(fd)}, NULL, NULL, NULL, 0);
    } else if ((flags & O_CREAT) && !was_there) {
        put((struct call){.kind = CREATE, .inode = folder, .inode2 = inode_of(fd)}, name, NULL,
            NULL, 0);
    } else if (flags & O_TRUNC) {
        put((struct call){.kind = SIZE, .inode = inode_of(fd)}, NULL, NULL, NULL, 0);
    }
}

static int open_at(const char *symbol, int dir_fd, const char *path, int flags, unsigned mode)
{
    REAL(int, symbol, int, const char *, int, ...)
    bool was_there = inode_at(dir_fd, path) != 0;
    int fd;

    DO(fd, real(dir_fd, path, flags, mode), put_open(dir_fd, path, flags, fd, was_there));
    return fd;
}

#define MODE_OF(flags)                                                                             \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    unsigned mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(args, unsigned) : 0;                  \
    va_end(args);
#define OPEN(symbol, at)                                                                           \
    int symbol(const char *path, int flags, ...);                                                  \
    int symbol(const char *path, int flags, ...)                                                   \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        return open_at(at, AT_FDCWD, path, flags, mode);                                           \
    }
#define OPENAT(symbol)                                                                             \
    int symbol(int fd, const char *path, int flags, ...);                                          \
    int symbol(int fd, const char *path, int flags, ...)                                           \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        return open_at(#symbol, fd, path, flags, mode);                                            \
    }
OPEN(open, "openat")
OPEN(open64, "openat64")
OPENAT(openat)
OPENAT(openat64)

/* ---------------------------------------------------------------------------------- writing */

static void put_bytes(int fd, off_t end, const struct iovec *data, int count, ssize_t bytes)
{
    struct iovec parts[60];
    size_t rest = (size_t)bytes;
    int used = 0;

    for (; used < count && used < 60 && rest > 0; used++) {
        parts[used] = data[used];
        parts[used].iov_len = data[used].iov_len < rest ? data[used].iov_len : rest;
        rest -= parts[used].iov_len;
    }
    if (rest) {
        abort(); /* too many parts */
    }
    put((struct call){.kind = WRITE, .inode = inode_of(fd), .offset = (uint64_t)(end - bytes)},
        NULL, NULL, parts, used);
}

static bool is_file(int fd)
{
    struct stat st;

    return fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    REAL(ssize_t, "write", int, const void *, size_t)
    const struct iovec part = part_of(data, bytes);
    ssize_t wrote;

    if (!is_file(fd)) {
        return real(fd, data, bytes);
    }
    DO(wrote, real(fd, data, bytes), put_bytes(fd, lseek(fd, 0, SEEK_CUR), &part, 1, wrote));
    return wrote;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(ssize_t, "writev", int, const struct iovec *, int)
    ssize_t wrote;

    if (!is_file(fd)) {
        return real(fd, parts, count);
    }
    DO(wrote, real(fd, parts, count), put_bytes(fd, lseek(fd, 0, SEEK_CUR), parts, count, wrote));
    return wrote;
}

#define PWRITE(symbol)                                                                             \
    ssize_t symbol(int fd, const void *data, size_t bytes, off_t at);                              \
    ssize_t symbol(int fd, const void *data, size_t bytes, off_t at)                               \
    {                                                                                              \
        REAL(ssize_t, #symbol, int, const void *, size_t, off_t)                                   \
        const struct iovec part = part_of(data, bytes);                                            \
        ssize_t wrote;                                                                             \
        DO(wrote, real(fd, data, bytes, at), put_bytes(fd, at + wrote, &part, 1, wrote));          \
        return wrote;                                                                              \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

/* ------------------------------------------------------------------------------- the others */

/* Defines the wrapper of one call. `before` and `after` run around the call, and fill in `call`,
 * `name` and `name2`. */
#define ONE(symbol, call_kind, parameters, types, arguments, before, after)                        \
    int symbol parameters;                                                                         \
    int symbol parameters                                                                          \
    {                                                                                              \
        REAL(int, #symbol, types)                                                                  \
        struct call call = {.kind = call_kind};                                                    \
        const char *name = NULL, *name2 = NULL;                                                    \
        int result;                                                                                \
        before;                                                                                    \
        DO(result, real arguments, {                                                               \
            after;                                                                                 \
            put(call, name, name2, NULL, 0);                                                       \
        });                                                                                        \
        return result;                                                                             \
    }
#define TYPES(...) __VA_ARGS__
#define NOTHING    (void)0
#define AT(fd)     call.inode = folder_of(fd, a, &name)
#define AT2(fd, fd2)                                                                               \
    call.inode = folder_of(fd, a, &name);                                                          \
    call.inode2 = folder_of(fd2, b, &name2)

ONE(fsync, SYNC, (int fd), int, (fd), call.inode = inode_of(fd), NOTHING)
ONE(fdatasync, SYNC, (int fd), int, (fd), call.inode = inode_of(fd), NOTHING)
ONE(syncfs, SYNC_ALL, (int fd), int, (fd), NOTHING, NOTHING)
ONE(ftruncate, SIZE, (int fd, off_t size), TYPES(int, off_t), (fd, size), call.inode = inode_of(fd),
    call.offset = (uint64_t)size)
ONE(ftruncate64, SIZE, (int fd, off_t size), TYPES(int, off_t), (fd, size),
    call.inode = inode_of(fd), call.offset = (uint64_t)size)
ONE(rename, RENAME, (const char *a, const char *b), TYPES(const char *, const char *), (a, b),
    AT2(AT_FDCWD, AT_FDCWD), NOTHING)
ONE(renameat, RENAME, (int fd, const char *a, int fd2, const char *b),
    TYPES(int, const char *, int, const char *), (fd, a, fd2, b), AT2(fd, fd2), NOTHING)
ONE(renameat2, RENAME, (int fd, const char *a, int fd2, const char *b, unsigned flags),
    TYPES(int, const char *, int, const char *, unsigned), (fd, a, fd2, b, flags), AT2(fd, fd2),
    NOTHING)
ONE(unlink, REMOVE, (const char *a), const char *, (a), AT(AT_FDCWD), NOTHING)
ONE(rmdir, REMOVE, (const char *a), const char *, (a), AT(AT_FDCWD), NOTHING)
ONE(unlinkat, REMOVE, (int fd, const char *a, int flags), TYPES(int, const char *, int),
    (fd, a, flags), AT(fd), NOTHING)
ONE(linkat, LINK, (int fd, const char *from, int fd2, const char *a, int flags),
    TYPES(int, const char *, int, const char *, int), (fd, from, fd2, a, flags), AT(fd2),
    call.inode2 = inode_at(fd2, a))
ONE(symlinkat, SYMLINK, (const char *b, int fd, const char *a),
    TYPES(const char *, int, const char *), (b, fd, a), AT(fd), name2 = b)
#define RIGHTS_OF(inode_now, st)                                                                   \
    call.inode = inode_now;                                                                        \
    call.inode2 = (st).st_mode & 07777;                                                            \
    call.offset = (uint64_t)((st).st_mtim.tv_sec * 1000000000 + (st).st_mtim.tv_nsec)
ONE(fchmod, RIGHTS, (int fd, mode_t mode), TYPES(int, mode_t), (fd, mode), struct stat st,
    fstat(fd, &st);
    RIGHTS_OF(st.st_ino, st))
ONE(futimens, RIGHTS, (int fd, const struct timespec times[2]), TYPES(int, const struct timespec *),
    (fd, times), struct stat st, fstat(fd, &st);
    RIGHTS_OF(st.st_ino, st))
ONE(mkdir, FOLDER, (const char *a, mode_t mode), TYPES(const char *, mode_t), (a, mode),
    AT(AT_FDCWD), call.inode2 = inode_at(AT_FDCWD, a))
ONE(mkdirat, FOLDER, (int fd, const char *a, mode_t mode), TYPES(int, const char *, mode_t),
    (fd, a, mode), AT(fd), call.inode2 = inode_at(fd, a))
