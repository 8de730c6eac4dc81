/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_records THREADS PASSES SEED FILE..: does what a reader of .tar or .tfrecord files does. Each
 * thread takes one file after another in a shuffled order, reads it from start to end, verifies the
 * checksums of the format and copies every item out. Prints as read_files does: items bytes seconds
 * cpu_seconds.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "crc32c.h"

#define THREADS_MAX 64
#define READ_BYTES  (1u << 20)
#define ITEM_MAX    (64u << 20)
#define TAR_BLOCK   512u
#define END         (-1)
#define MALFORMED   (-2)

struct work {
    char **files;
    size_t count, passes;
    atomic_size_t next, items, bytes;
    atomic_int wrong;
};

/* The file being read, and its last item. */
struct reader {
    int fd;
    size_t at, have;
    uint8_t *buffer, *item;
};

/* Returns fewer than `bytes` only at the end of the file. */
static size_t take(struct reader *r, uint8_t *into, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        if (r->at == r->have) {
            ssize_t n = read(r->fd, r->buffer, READ_BYTES);
            if (n <= 0) {
                break;
            }
            r->at = 0;
            r->have = (size_t)n;
        }
        size_t some = r->have - r->at < bytes - done ? r->have - r->at : bytes - done;
        memcpy(into + done, r->buffer + r->at, some);
        r->at += some;
        done += some;
    }
    return done;
}

static uint64_t le(const uint8_t *at, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

/* Returns the size of the next item, END or MALFORMED. */
static long next_tar(struct reader *r)
{
    uint8_t header[TAR_BLOCK], rest[TAR_BLOCK];
    unsigned sum = 0;
    if (take(r, header, TAR_BLOCK) != TAR_BLOCK || header[0] == 0) {
        return END;
    }
    for (unsigned i = 0; i < TAR_BLOCK; i++) {
        sum += i >= 148 && i < 156 ? ' ' : header[i];
    }
    size_t bytes = strtoul((char *)header + 124, NULL, 8), pad = -bytes % TAR_BLOCK;
    if (sum != strtoul((char *)header + 148, NULL, 8) || bytes > ITEM_MAX ||
        take(r, r->item, bytes) != bytes || take(r, rest, pad) != pad) {
        return MALFORMED;
    }
    return (long)bytes;
}

static long next_tfrecord(struct reader *r)
{
    uint8_t head[12], tail[4];
    size_t got = take(r, head, sizeof(head));
    if (got == 0) {
        return END;
    }
    size_t bytes = (size_t)le(head, 8);
    if (got != sizeof(head) || crc32c_masked(head, 8) != le(head + 8, 4) || bytes > ITEM_MAX ||
        take(r, r->item, bytes) != bytes || take(r, tail, 4) != 4 ||
        crc32c_masked(r->item, bytes) != le(tail, 4)) {
        return MALFORMED;
    }
    return (long)bytes;
}

static bool read_shard(struct reader *r, const char *path, struct work *work)
{
    const bool tar = strcmp(path + strlen(path) - 4, ".tar") == 0;
    size_t items = 0, bytes = 0;
    long n = MALFORMED;
    r->at = r->have = 0;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd >= 0) {
        while ((n = tar ? next_tar(r) : next_tfrecord(r)) >= 0) {
            items++;
            bytes += (size_t)n;
        }
        close(r->fd);
    }
    atomic_fetch_add(&work->items, items);
    atomic_fetch_add(&work->bytes, bytes);
    return n == END;
}

static void *run(void *arg)
{
    struct work *work = arg;
    struct reader r = {.buffer = malloc(READ_BYTES), .item = malloc(ITEM_MAX)};
    while (r.buffer && r.item) {
        size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= work->count * work->passes) {
            break;
        }
        if (!read_shard(&r, work->files[i % work->count], work)) {
            fprintf(stderr, "read_records: malformed: %s\n", work->files[i % work->count]);
            atomic_store(&work->wrong, 1);
            break;
        }
    }
    free(r.buffer);
    free(r.item);
    return NULL;
}

static void shuffle(struct work *work, uint64_t seed)
{
    for (size_t i = work->count; i > 1; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t j = (size_t)((seed >> 33) % i);
        char *kept = work->files[i - 1];
        work->files[i - 1] = work->files[j];
        work->files[j] = kept;
    }
}

static double seconds_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    pthread_t ids[THREADS_MAX];
    int threads = argc > 4 ? atoi(argv[1]) : 0, started = 0;
    if (threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: read_records THREADS PASSES SEED FILE..\n");
        return 2;
    }
    struct work work = {.files = argv + 4, .count = (size_t)argc - 4};
    work.passes = strtoul(argv[2], NULL, 10);
    shuffle(&work, strtoull(argv[3], NULL, 10));
    double from = seconds_now(CLOCK_MONOTONIC);
    while (started < threads && pthread_create(&ids[started], NULL, run, &work) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    double took = seconds_now(CLOCK_MONOTONIC) - from;
    printf("%zu %zu %.6f %.6f\n", atomic_load(&work.items), atomic_load(&work.bytes), took,
           seconds_now(CLOCK_PROCESS_CPUTIME_ID));
    return started < threads || atomic_load(&work.wrong);
}
