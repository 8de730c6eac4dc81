/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait that ends in time: `waits STORE FIDELITY/PATH..`. One thread reads a file and stalls in
 * its first, second, .. request to the storage; another reads the same file and does not wait for
 * it as long as it would (pthread_cond_timedwait is ours, and returns at once). That reader gets
 * the bytes or -ETIMEDOUT, never a word of damage, and the bytes once the first one continues.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/lodfs.h"

#define REQUESTS_MAX                                                                               \
    12 /* requests for one file; the test stalls a reader at each of them in turn */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static bool stalled, ended; /* guarded by lock: what the first reader does */
static bool released;       /* guarded by lock */
static atomic_bool hurry;   /* waits end at once */

static _Thread_local int requests_left = -1; /* until this thread stalls; -1: it does not */

struct job {
    struct lodfs_store *store;
    const char *path;
    int fidelity, stall_at, result;
    uint8_t *bytes;
    size_t count;
    struct lodfs_error error;
};

/* ------------------------------------------------------------------ in place of the C library */

static void stall(void)
{
    pthread_mutex_lock(&lock);
    stalled = true;
    pthread_cond_broadcast(&moved);
    while (!released) {
        pthread_cond_wait(&moved, &lock);
    }
    pthread_mutex_unlock(&lock);
}

ssize_t pread64(int fd, void *into, size_t bytes, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);

    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "pread64");
    }
    if (requests_left >= 0 && requests_left-- == 0) {
        stall();
    }
    return real(fd, into, bytes, offset);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    }
    return atomic_load(&hurry) ? ETIMEDOUT : real(condition, mutex, until);
}

/* ------------------------------------------------------------------------------ two readers */

static void *read_file(void *arg)
{
    struct job *job = arg;

    requests_left = job->stall_at;
    job->result = lodfs_read(job->store, job->path, job->fidelity, 0, job->bytes, job->count,
                             &job->count, &job->error);
    requests_left = -1;
    pthread_mutex_lock(&lock);
    ended = job->stall_at >= 0;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool is_right(const struct job *job, const struct job *as)
{
    if (job->result) {
        fprintf(stderr, "%s: %d %s\n", job->path, job->result, job->error.message);
        return false;
    }
    return job->count == as->count && memcmp(job->bytes, as->bytes, as->count) == 0;
}

/* Returns 1 if the job timed out, 0 if it has the right bytes, -1 otherwise. */
static int ending_of(const struct job *job, const struct job *as)
{
    if (job->result == -ETIMEDOUT && !strstr(job->error.message, "damage") &&
        strstr(job->error.message, "within 30 seconds")) {
        return 1;
    }
    return is_right(job, as) ? 0 : -1;
}

/* False: the first reader has ended without making this many requests. */
static bool await_stall(void)
{
    pthread_mutex_lock(&lock);
    while (!stalled && !ended) {
        pthread_cond_wait(&moved, &lock);
    }
    bool is_stalled = stalled;
    pthread_mutex_unlock(&lock);
    return is_stalled;
}

static void release(void)
{
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

static struct job job_as(const struct job *as, struct lodfs_store *store, int stall_at)
{
    struct job job = *as;

    job.store = store;
    job.stall_at = stall_at;
    job.bytes = calloc(1, as->count + 1);
    job.count = as->count;
    return job;
}

/* Returns as ending_of, for the second reader; 2: the first one did not stall. */
static int meet(const char *path, const struct job *as, int stall_at)
{
    struct lodfs_store *store = NULL;
    pthread_t thread;
    int ending = 2;

    stalled = ended = released = false;
    if (lodfs_store_open(path, 0, &store, NULL)) {
        return -1;
    }
    struct job first = job_as(as, store, stall_at), second = job_as(as, store, -1);
    struct job third = job_as(as, store, -1);
    pthread_create(&thread, NULL, read_file, &first);
    if (await_stall()) {
        atomic_store(&hurry, true);
        read_file(&second);
        ending = ending_of(&second, as);
        atomic_store(&hurry, false);
    }
    release();
    pthread_join(thread, NULL);
    read_file(&third);
    if (!is_right(&first, as) || !is_right(&third, as)) {
        ending = -1;
    }
    lodfs_store_close(store);
    free(first.bytes);
    free(second.bytes);
    free(third.bytes);
    return ending;
}

/* The bytes that a single reader gets. */
static int learn(const char *path, const char *argument, struct job *as)
{
    struct lodfs_store *store = NULL;
    struct lodfs_entry entry;
    char fidelity[16];
    const size_t bytes = strcspn(argument, "/");

    snprintf(fidelity, sizeof(fidelity), "%.*s", (int)bytes, argument);
    *as = (struct job){.path = argument + bytes + 1, .fidelity = lodfs_fidelity(fidelity)};
    if (lodfs_store_open(path, 0, &store, NULL) ||
        lodfs_stat(store, as->path, as->fidelity, &entry, NULL)) {
        return -1;
    }
    *as = (struct job){.store = store,
                       .path = as->path,
                       .fidelity = as->fidelity,
                       .stall_at = -1,
                       .bytes = malloc(entry.bytes + 1),
                       .count = entry.bytes};
    read_file(as);
    lodfs_store_close(store);
    return as->result;
}

int main(int argc, char **argv)
{
    unsigned late = 0, in_time = 0, wrong = 0;

    for (int i = 2; i < argc; i++) {
        struct job as;
        int ending = 0;
        if (learn(argv[1], argv[i], &as)) {
            fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 2;
        }
        for (int at = 0; at < REQUESTS_MAX && ending != 2; at++) {
            ending = meet(argv[1], &as, at);
            late += ending == 1;
            in_time += ending == 0;
            wrong += ending < 0;
        }
        free(as.bytes);
    }
    printf("%u readers gave up, %u had their bytes, %u got something else\n", late, in_time, wrong);
    return late == 0 || wrong != 0;
}
