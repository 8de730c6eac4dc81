/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_files ROOT LIST THREADS PASSES SEED [SECONDS]: does what a data loader does to a file
 * system: open, fstat, read to st_size, close, for each file of LIST (one path a line, below ROOT).
 * The order is shuffled; SEED 0 keeps the list's. Makes PASSES passes, and begins no file after
 * SECONDS. Prints: files bytes seconds cpu_seconds.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define FILES_MAX   10000000u

struct work {
    int root_fd;
    char **paths;
    size_t count, passes;
    double end; /* no file begins after this time */
    atomic_size_t next, files, bytes;
    atomic_int wrong;
};

static int read_one(int root_fd, const char *path, char **buffer, size_t *room, size_t *bytes)
{
    struct stat st;
    int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC), rc = -1;
    if (fd < 0 || fstat(fd, &st) != 0) {
        goto out;
    }
    size_t size = (size_t)st.st_size, done = 0;
    if (size > *room) {
        char *larger = realloc(*buffer, size);
        if (!larger) {
            goto out;
        }
        *buffer = larger;
        *room = size;
    }
    while (done < size) {
        ssize_t n = read(fd, *buffer + done, size - done);
        if (n <= 0) {
            goto out;
        }
        done += (size_t)n;
    }
    *bytes += size;
    rc = 0;
out:
    if (rc != 0) {
        perror(path);
    }
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *run(void *arg)
{
    struct work *work = arg;
    char *buffer = NULL;
    size_t room = 0, bytes = 0, files = 0;
    while (seconds_now() < work->end) {
        size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= work->count * work->passes) {
            break;
        }
        if (read_one(work->root_fd, work->paths[i % work->count], &buffer, &room, &bytes) != 0) {
            atomic_store(&work->wrong, 1);
            break;
        }
        files++;
    }
    atomic_fetch_add(&work->files, files);
    atomic_fetch_add(&work->bytes, bytes);
    free(buffer);
    return NULL;
}

static int load(struct work *work, const char *list)
{
    FILE *file = fopen(list, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    if (!file || !(work->paths = calloc(FILES_MAX, sizeof(char *)))) {
        perror(list);
        return -1;
    }
    while (work->count < FILES_MAX && (n = getline(&line, &room, file)) > 0) {
        line[n - (line[n - 1] == '\n')] = 0;
        work->paths[work->count] = strdup(line);
        if (!work->paths[work->count++]) {
            return -1;
        }
    }
    free(line);
    fclose(file);
    return 0;
}

static void shuffle(struct work *work, uint64_t seed)
{
    for (size_t i = seed ? work->count : 0; i > 1; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t j = (size_t)((seed >> 33) % i);
        char *kept = work->paths[i - 1];
        work->paths[i - 1] = work->paths[j];
        work->paths[j] = kept;
    }
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct work work = {0};
    pthread_t ids[THREADS_MAX];
    struct rusage usage;
    if (argc < 6 || argc > 7) {
        fprintf(stderr, "usage: read_files ROOT LIST THREADS PASSES SEED [SECONDS]\n");
        return 2;
    }
    int threads = atoi(argv[3]), started = 0;
    work.passes = strtoul(argv[4], NULL, 10);
    work.root_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work.root_fd < 0 || threads < 1 || threads > THREADS_MAX || load(&work, argv[2]) != 0) {
        perror(argv[1]);
        return 1;
    }
    shuffle(&work, strtoull(argv[5], NULL, 10));
    double from = seconds_now();
    work.end = from + (argc > 6 ? atof(argv[6]) : 1e9);
    while (started < threads && pthread_create(&ids[started], NULL, run, &work) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    double took = seconds_now() - from;
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu %zu %.6f %.6f\n", atomic_load(&work.files), atomic_load(&work.bytes), took,
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    return started < threads || atomic_load(&work.wrong);
}
