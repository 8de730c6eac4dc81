/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library for LD_PRELOAD that makes one call of a program fail. LODFS_FAIL=CALL:N:HOW makes the
 * N-th call (from 1, of all threads) of CALL fail; N+ means that one and all after it. CALL `large`
 * is a malloc of a MiB or more. HOW is an errno as a number, or one of these words:
 *
 * - `short`: half of the bytes.
 * - `kill`: the process dies before the call.
 * - `term`: the process gets SIGTERM before the call, which succeeds.
 * - `stall`: the call makes a file LODFS_FAIL_STALL, waits until that is removed, and succeeds.
 * Once it was removed, no call stalls.
 *
 * LODFS_FAIL_FILE=WORD: only calls on files with WORD in their path. LODFS_FAIL_COUNT=FILE: at
 * exit, a line "CALL COUNT" for each call that was made. Calls of child processes neither count nor
 * fail. LODFS_NO_TMPFILE=1: open with O_TMPFILE gives EOPNOTSUPP. Not for programs built with
 * AddressSanitizer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define LARGE_BYTES (1u << 20)
/* a stall ends then, even if the test that should remove the file has died */
#define STALL_MS_MAX 100000

#define CALLS(X)                                                                                   \
    X(open)                                                                                        \
    X(read)                                                                                        \
    X(pread)                                                                                       \
    X(write)                                                                                       \
    X(pwrite)                                                                                      \
    X(fsync)                                                                                       \
    X(rename)                                                                                      \
    X(mkdir) X(unlink) X(link) X(chmod) X(utimes) X(stat) X(flock) X(thread) X(malloc) X(large)

#define NUMBER(name) CALL_##name,
enum call { CALLS(NUMBER) CALLS_COUNT };
#define NAME(name) #name,
static const char *const names[] = {CALLS(NAME)};

static atomic_ulong counts[CALLS_COUNT];
static enum call chosen = CALLS_COUNT;
static unsigned long chosen_number;
static bool all_after, halve, kills, terms, stalls, ready;
static const char *only_file;
static int error_number;

static void count_calls(void)
{
    const char *path = getenv("LODFS_FAIL_COUNT");
    char line[100];
    int fd = path ? openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

    for (unsigned i = 0; fd >= 0 && i < CALLS_COUNT; i++) {
        int bytes = snprintf(line, sizeof(line), "%s %lu\n", names[i], counts[i]);
        (void)!write(fd, line, (size_t)bytes);
    }
}

/* A child of the program, such as one that asks a mount, would take the N-th call a second time. */
static void ignore_child(void)
{
    ready = false;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("LODFS_FAIL");
    const char *colon = text ? strchr(text, ':') : NULL;
    char *end = NULL;

    for (unsigned i = 0; colon && i < CALLS_COUNT; i++) {
        if (strlen(names[i]) == (size_t)(colon - text) &&
            strncmp(names[i], text, (size_t)(colon - text)) == 0) {
            chosen = (enum call)i;
        }
    }
    if (colon) {
        chosen_number = strtoul(colon + 1, &end, 10);
        all_after = *end == '+';
        end += all_after;
        halve = strcmp(end, ":short") == 0;
        stalls = strcmp(end, ":stall") == 0;
        kills = strcmp(end, ":kill") == 0;
        terms = strcmp(end, ":term") == 0;
        error_number = *end == ':' ? atoi(end + 1) : 0;
    }
    only_file = getenv("LODFS_FAIL_FILE");
    ready = pthread_atfork(NULL, NULL, ignore_child) == 0;
    for (unsigned i = 0; i < CALLS_COUNT; i++) {
        counts[i] = 0;
    }
}

__attribute__((destructor)) static void finish(void)
{
    ready = false;
    count_calls();
}

/* Uses system calls directly, so that none of them is counted. The first call that stalls makes the
 * file; all calls wait until it is removed. */
static void stall(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool begun;
    const char *file = getenv("LODFS_FAIL_STALL");

    pthread_mutex_lock(&lock);
    long fd = file && !begun ? syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT, 0644) : -1;
    begun = true;
    pthread_mutex_unlock(&lock);
    if (fd >= 0) {
        close((int)fd);
    }
    for (int ms = 0; file && ms < STALL_MS_MAX && access(file, F_OK) == 0; ms++) {
        usleep(1000);
    }
}

/* Returns whether calls on this file may fail: LODFS_FAIL_FILE is unset, or in its path. */
static bool is_chosen_file(int fd)
{
    char link[32], path[4096];

    if (!only_file) {
        return true;
    }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, path, sizeof(path) - 1);
    path[bytes > 0 ? bytes : 0] = '\0';
    return strstr(path, only_file) != NULL;
}

/* Counts a call. Returns true with errno set if it must fail; kills the process or stalls if HOW
 * says so. */
static bool hit(enum call call)
{
    if (!ready) {
        return false;
    }
    unsigned long number = atomic_fetch_add(&counts[call], 1) + 1;
    bool fails =
        call == chosen && (number == chosen_number || (all_after && number > chosen_number));
    if (fails && kills) {
        kill(getpid(), SIGKILL);
    }
    if (fails && terms) {
        kill(getpid(), SIGTERM);
        return false;
    }
    if (fails && stalls) {
        stall();
        return false;
    }
    if (fails && !halve) {
        errno = error_number;
    }
    return fails;
}

/* Returns the number of bytes to transfer. *ret_fails: the call must fail, with errno set. */
static size_t bytes_of(enum call call, int fd, size_t bytes, bool *ret_fails)
{
    *ret_fails = is_chosen_file(fd) && hit(call);
    if (*ret_fails && halve) {
        *ret_fails = false;
        return bytes > 1 ? bytes / 2 : bytes;
    }
    return bytes;
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real) {                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, name);                                                  \
    }

/* ------------------------------------------------------------------------------ opening */

/* Returns whether open must fail because LODFS_NO_TMPFILE is set, as on a file system without
 * O_TMPFILE. Sets errno. */
static bool no_tmpfile(int flags)
{
    bool fails = (flags & O_TMPFILE) == O_TMPFILE && getenv("LODFS_NO_TMPFILE");

    if (fails) {
        errno = EOPNOTSUPP;
    }
    return fails;
}

#define OPEN(symbol)                                                                               \
    int symbol(const char *path, int flags, ...)                                                   \
    {                                                                                              \
        REAL(int, #symbol, const char *, int, ...)                                                 \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, unsigned) : 0;                \
        va_end(args);                                                                              \
        return hit(CALL_open) || no_tmpfile(flags) ? -1 : real(path, flags, mode);                 \
    }
#define OPENAT(symbol)                                                                             \
    int symbol(int fd, const char *path, int flags, ...)                                           \
    {                                                                                              \
        REAL(int, #symbol, int, const char *, int, ...)                                            \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, unsigned) : 0;                \
        va_end(args);                                                                              \
        return hit(CALL_open) || no_tmpfile(flags) ? -1 : real(fd, path, flags, mode);             \
    }
int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int openat(int fd, const char *path, int flags, ...);
int openat64(int fd, const char *path, int flags, ...);
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* ---------------------------------------------------------------------- reading, writing */

#define MOVE(symbol, call, buffer)                                                                 \
    ssize_t symbol(int fd, buffer data, size_t bytes)                                              \
    {                                                                                              \
        REAL(ssize_t, #symbol, int, buffer, size_t)                                                \
        bool fails;                                                                                \
        bytes = bytes_of(call, fd, bytes, &fails);                                                 \
        return fails ? -1 : real(fd, data, bytes);                                                 \
    }
#define PMOVE(symbol, call, buffer)                                                                \
    ssize_t symbol(int fd, buffer data, size_t bytes, off_t at);                                   \
    ssize_t symbol(int fd, buffer data, size_t bytes, off_t at)                                    \
    {                                                                                              \
        REAL(ssize_t, #symbol, int, buffer, size_t, off_t)                                         \
        bool fails;                                                                                \
        bytes = bytes_of(call, fd, bytes, &fails);                                                 \
        return fails ? -1 : real(fd, data, bytes, at);                                             \
    }
MOVE(read, CALL_read, void *)
MOVE(write, CALL_write, const void *)
PMOVE(pread, CALL_pread, void *)
PMOVE(pread64, CALL_pread, void *)
PMOVE(pwrite, CALL_pwrite, const void *)
PMOVE(pwrite64, CALL_pwrite, const void *)

/* A short writev writes half of the first part. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(ssize_t, "writev", int, const struct iovec *, int)
    bool fails;
    struct iovec first = count > 0 ? parts[0] : (struct iovec){0};
    size_t bytes = bytes_of(CALL_write, fd, first.iov_len, &fails);
    if (bytes < first.iov_len) {
        first.iov_len = bytes;
        return real(fd, &first, 1);
    }
    return fails ? -1 : real(fd, parts, count);
}

/* --------------------------------------------------------------------------- the others */

#define ONE(symbol, call, parameters, types, arguments)                                            \
    int symbol parameters;                                                                         \
    int symbol parameters                                                                          \
    {                                                                                              \
        REAL(int, #symbol, types)                                                                  \
        return hit(call) ? -1 : real arguments;                                                    \
    }
#define TYPES(...) __VA_ARGS__
ONE(fsync, CALL_fsync, (int fd), int, (fd))
ONE(fdatasync, CALL_fsync, (int fd), int, (fd))
ONE(flock, CALL_flock, (int fd, int how), TYPES(int, int), (fd, how))
/* Locks of parts of files count as flock. */
int fcntl64(int fd, int command, ...)
{
    va_list args;

    REAL(int, "fcntl64", int, int, ...)
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return command == F_OFD_SETLK && hit(CALL_flock) ? -1 : real(fd, command, argument);
}

ONE(rename, CALL_rename, (const char *a, const char *b), TYPES(const char *, const char *), (a, b))
ONE(renameat2, CALL_rename, (int c, const char *a, int d, const char *b, unsigned flags),
    TYPES(int, const char *, int, const char *, unsigned), (c, a, d, b, flags))
ONE(renameat, CALL_rename, (int c, const char *a, int d, const char *b),
    TYPES(int, const char *, int, const char *), (c, a, d, b))
ONE(mkdir, CALL_mkdir, (const char *a, mode_t mode), TYPES(const char *, mode_t), (a, mode))
ONE(mkdirat, CALL_mkdir, (int fd, const char *a, mode_t mode), TYPES(int, const char *, mode_t),
    (fd, a, mode))
ONE(unlinkat, CALL_unlink, (int fd, const char *a, int flags), TYPES(int, const char *, int),
    (fd, a, flags))
ONE(linkat, CALL_link, (int c, const char *a, int d, const char *b, int flags),
    TYPES(int, const char *, int, const char *, int), (c, a, d, b, flags))
ONE(symlinkat, CALL_link, (const char *a, int fd, const char *b),
    TYPES(const char *, int, const char *), (a, fd, b))
ONE(fchmod, CALL_chmod, (int fd, mode_t mode), TYPES(int, mode_t), (fd, mode))
ONE(futimens, CALL_utimes, (int fd, const struct timespec times[2]),
    TYPES(int, const struct timespec *), (fd, times))
ONE(utimensat, CALL_utimes, (int fd, const char *a, const struct timespec times[2], int flags),
    TYPES(int, const char *, const struct timespec *, int), (fd, a, times, flags))
ONE(syncfs, CALL_fsync, (int fd), int, (fd))
ONE(fstat, CALL_stat, (int fd, struct stat *st), TYPES(int, struct stat *), (fd, st))
ONE(fstat64, CALL_stat, (int fd, struct stat64 *st), TYPES(int, struct stat64 *), (fd, st))
ONE(fstatat, CALL_stat, (int fd, const char *a, struct stat *st, int flags),
    TYPES(int, const char *, struct stat *, int), (fd, a, st, flags))
ONE(fstatat64, CALL_stat, (int fd, const char *a, struct stat64 *st, int flags),
    TYPES(int, const char *, struct stat64 *, int), (fd, a, st, flags))

/* pthread_create returns its error instead of setting errno. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    return hit(CALL_thread) ? error_number : real(thread, how, run, arg);
}

/* dlsym calls malloc, so malloc itself is called by glibc's internal name. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

void *malloc(size_t bytes)
{
    const bool fails = hit(CALL_malloc) || (bytes >= LARGE_BYTES && hit(CALL_large));

    return fails ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return hit(CALL_malloc) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return hit(CALL_malloc) ? NULL : __libc_realloc(memory, bytes);
}
