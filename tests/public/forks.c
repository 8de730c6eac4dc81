/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store, its files and a table of it in forked children, while threads of the parent read through
 * the same handles: `forks STORE TABLE FORKS FIDELITY/PATH..`. A child reads some of the files that
 * the parent reads, closes everything and ends; one that blocks is ended by its alarm. Before that
 * it checks that reading has started no thread.
 *
 * Plain C, so that ThreadSanitizer can run it; there children start no threads, which it forbids.
 * Both sanitizers of gcc 12 can leave their own allocators locked in the child of a process whose
 * threads allocate: under them readers stand still while the process forks.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/lodfs.h"

#define FILES_MAX     64
#define READERS       4
#define CACHE_BYTES   (2u << 20) /* less than is read: frames come and go */
#define PATIENCE_S    60
#define PIECE_BYTES   60000u
#define FILES_A_CHECK 2

#ifdef __SANITIZE_THREAD__
#define CHILD_THREADS 0
#else
#define CHILD_THREADS 3
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define READERS_STAND_STILL 1
#else
#define READERS_STAND_STILL 0
#endif

struct one {
    const char *path;
    int fidelity;
    struct lodfs_file *file;
    /* the bytes that the parent read while it was alone; likewise the next member */
    uint8_t *bytes;
    size_t count;
};

static struct lodfs_store *store;
static struct lodfs_table *table;
static struct one ones[FILES_MAX];
static unsigned ones_count;
static double *ones_vector, *product; /* the table times 1, 1, .. */
static atomic_bool over;
static atomic_uint wrong;

/*
 * Readers hold it for reading while they read. A fork that must not meet a reader holds it for
 * writing.
 */
static pthread_rwlock_t work = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static unsigned entries_of(const char *folder)
{
    DIR *names = opendir(folder);
    unsigned count = 0;

    while (names && readdir(names)) {
        count++;
    }
    closedir(names);
    return count;
}

static int complain(const char *what, const char *path, const char *why)
{
    fprintf(stderr, "%d: %s %s: %s\n", (int)getpid(), what, path, why);
    atomic_fetch_add(&wrong, 1);
    return 1;
}

/* ------------------------------------------------------------------------------ what is read */

static void check_range(const struct one *one, size_t at, size_t bytes, uint8_t *into)
{
    const size_t wanted = bytes < one->count - at ? bytes : one->count - at;
    struct lodfs_error error;
    size_t got = 0;

    if (lodfs_file_read(one->file, at, into, bytes, &got, &error)) {
        complain("file", one->path, error.message);
    } else if (got != wanted || memcmp(into, one->bytes + at, got) != 0) {
        complain("file", one->path, "other bytes");
    }
}

static void check_whole(const struct one *one, uint8_t *into)
{
    struct lodfs_error error;
    size_t got = 0;

    if (lodfs_read(store, one->path, one->fidelity, 0, into, one->count, &got, &error)) {
        complain("path", one->path, error.message);
    } else if (got != one->count || memcmp(into, one->bytes, got) != 0) {
        complain("path", one->path, "other bytes");
    }
}

static void check_table(void)
{
    const uint64_t rows = lodfs_table_rows(table), batches = lodfs_table_batches(table);
    double *into = malloc(rows * sizeof(*into));
    struct lodfs_error error;

    if (lodfs_table_times_vector_f8(table, 0, batches, ones_vector, into, NULL, &error)) {
        complain("table", "", error.message);
    } else if (memcmp(into, product, rows * sizeof(*into)) != 0) {
        complain("table", "", "another product");
    }
    free(into);
}

static uint8_t *memory_for_all(void)
{
    size_t most = 1;

    for (unsigned i = 0; i < ones_count; i++) {
        most = ones[i].count > most ? ones[i].count : most;
    }
    return malloc(most);
}

/* A few files, others for each number, and sometimes the table. */
static void check_some(unsigned number)
{
    uint8_t *into = memory_for_all();

    for (unsigned i = 0; i < FILES_A_CHECK; i++) {
        const struct one *one = &ones[(number * FILES_A_CHECK + i) % ones_count];
        if (i % 2) {
            check_whole(one, into);
        } else {
            check_range(one, 0, one->count, into);
        }
    }
    free(into);
    if (number % 8 == 1) {
        check_table();
    }
}

/* ------------------------------------------------------------------------------ the parent */

static void load(struct one *one, const char *argument)
{
    struct lodfs_error error;
    char fidelity[16];
    const size_t bytes = strcspn(argument, "/");

    snprintf(fidelity, sizeof(fidelity), "%.*s", (int)bytes, argument);
    one->path = argument + bytes + 1;
    one->fidelity = lodfs_fidelity(fidelity);
    if (lodfs_file_open(store, one->path, one->fidelity, &one->file, &error)) {
        complain("open", argument, error.message);
        exit(1);
    }
    one->count = lodfs_file_bytes(one->file);
    one->bytes = malloc(one->count + 1);
    /* In pieces, as a loader reads, so that whatever reads ahead would begin to. */
    for (size_t at = 0, got = 1; got; at += got) {
        if (lodfs_file_read(one->file, at, one->bytes + at,
                            PIECE_BYTES < one->count - at ? PIECE_BYTES : one->count - at, &got,
                            &error)) {
            complain("read", argument, error.message);
            exit(1);
        }
    }
}

static void load_table(const char *path)
{
    struct lodfs_error error;

    if (lodfs_table_open_store(store, path, &table, &error)) {
        complain("open", path, error.message);
        exit(1);
    }
    ones_vector = malloc(lodfs_table_columns(table) * sizeof(*ones_vector));
    product = malloc(lodfs_table_rows(table) * sizeof(*product));
    for (uint64_t i = 0; i < lodfs_table_columns(table); i++) {
        ones_vector[i] = 1;
    }
    if (lodfs_table_times_vector_f8(table, 0, lodfs_table_batches(table), ones_vector, product,
                                    NULL, &error)) {
        complain("product", path, error.message);
        exit(1);
    }
}

static void *read_on(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    uint8_t *into = memory_for_all();

    while (!atomic_load(&over)) {
        if (READERS_STAND_STILL) {
            pthread_rwlock_rdlock(&work);
        }
        const struct one *one = &ones[(unsigned)rand_r(&seed) % ones_count];
        const size_t at = one->count ? (unsigned)rand_r(&seed) % one->count : 0;
        check_range(one, at, one->count - at < PIECE_BYTES ? one->count - at : PIECE_BYTES, into);
        if (rand_r(&seed) % 8 == 0) {
            check_whole(one, into);
        }
        if (READERS_STAND_STILL) {
            pthread_rwlock_unlock(&work);
        }
    }
    free(into);
    return NULL;
}

/* ------------------------------------------------------------------------------ the child */

static void *read_once(void *arg)
{
    check_some((unsigned)(uintptr_t)arg);
    return NULL;
}

/* Several threads come to the store at once, first. */
static void use_by_threads(unsigned number)
{
    pthread_t threads[CHILD_THREADS + 1];

    for (uintptr_t i = 0; i < CHILD_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, read_once, (void *)(number + i))) {
            complain("thread", "", "not started");
            return;
        }
    }
    for (unsigned i = 0; i < CHILD_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void close_all(void)
{
    for (unsigned i = 0; i < ones_count; i++) {
        lodfs_file_close(ones[i].file);
    }
    lodfs_table_close(table);
    lodfs_store_close(store);
}

/* The child closes its own descriptors and no others. */
static int live(unsigned number)
{
    const unsigned descriptors = entries_of("/proc/self/fd");
    int status = 0;

    alarm(PATIENCE_S);
    if (number % 3 == 0 && CHILD_THREADS != 0) {
        use_by_threads(number);
    }
    if (number % 5) { /* other children close handles that they have not used */
        check_some(number);
    }
    if (number % 7 == 0) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(PATIENCE_S);
            check_some(number);
            _exit(atomic_load(&wrong) != 0);
        }
        if (waitpid(pid, &status, 0) != pid || status) {
            complain("child of a child", "", "failed");
        }
    }
    close_all();
    if (entries_of("/proc/self/fd") != descriptors) {
        complain("descriptors", "", "more or fewer than at the fork");
    }
    return atomic_load(&wrong) != 0;
}

static pid_t fork_now(void)
{
    if (!READERS_STAND_STILL) {
        return fork();
    }
    pthread_rwlock_wrlock(&work);
    const pid_t pid = fork();
    pthread_rwlock_unlock(&work);
    return pid;
}

static int fork_once(unsigned number)
{
    const pid_t pid = fork_now();
    int status = 0;

    if (pid == 0) {
        atomic_store(&wrong, 0);
        _exit(live(number));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return complain("fork", "", strerror(errno));
    }
    if (status) {
        fprintf(stderr, "child %u: %s %d\n", number, WIFSIGNALED(status) ? "signal" : "exit",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return status != 0;
}

int main(int argc, char **argv)
{
    struct lodfs_error error;
    pthread_t readers[READERS];
    unsigned failed = 0, forks = 0;

    if (argc < 5 || lodfs_store_open(argv[1], CACHE_BYTES, &store, &error)) {
        fprintf(stderr, "%s\n",
                argc < 5 ? "forks STORE TABLE FORKS FIDELITY/PATH.." : error.message);
        return 2;
    }
    const unsigned threads = entries_of("/proc/self/task");
    load_table(argv[2]);
    for (int i = 4; i < argc && ones_count < FILES_MAX; i++) {
        load(&ones[ones_count++], argv[i]);
    }
    if (entries_of("/proc/self/task") != threads) {
        complain("threads", "", "the library has started some");
    }
    for (uintptr_t i = 0; i < READERS; i++) {
        pthread_create(&readers[i], NULL, read_on, (void *)(i + 1));
    }
    for (const unsigned all = (unsigned)atoi(argv[3]); forks < all && failed < 3; forks++) {
        failed += fork_once(forks) != 0;
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    close_all();
    printf("%u forks, %u failed; %u wrong in the parent\n", forks, failed, atomic_load(&wrong));
    return failed || atomic_load(&wrong);
}
