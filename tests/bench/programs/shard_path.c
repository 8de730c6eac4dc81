/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard_path STORE FRAMING FIDELITY THREADS PASSES: does what the daemon does for a reader of all
 * framed files, such as tar q4, without FUSE. Each thread reads whole files from start to end in
 * requests of 128 KiB. Prints the CPU time a MiB and a picture, one line a pass. A pass begins with
 * a new reader, so nothing is in the cache of frames.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "read/reader.h"
#include "shard/shard_read.h"
#include "views/shards.h"

#define THREADS_MAX   64
#define REQUEST_BYTES (128u << 10)

struct work {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct lod_shard_reader *shards;
    const struct lod_framing *framing;
    enum lod_fidelity fidelity;
    atomic_ullong next, bytes, leads;
    atomic_int error;
};

static int read_file(struct work *work, const struct lod_shard *shard, uint8_t *buffer)
{
    size_t bytes = 0;
    int error = 0;

    for (uint64_t at = 0; !error && at < shard->bytes; at += REQUEST_BYTES) {
        error = lod_shard_read(work->shards, shard, at, REQUEST_BYTES, buffer, &bytes);
    }
    atomic_fetch_add(&work->bytes, shard->bytes);
    atomic_fetch_add(&work->leads, shard->leads);
    return error;
}

static void *run(void *arg)
{
    struct work *work = arg;
    const uint64_t count = lod_shard_positions(work->dataset, work->framing);
    uint8_t *buffer = malloc(REQUEST_BYTES);
    struct lod_shard shard;
    uint64_t i;
    int error = buffer ? 0 : -1;

    while (!error && (i = atomic_fetch_add(&work->next, 1)) < count) {
        const struct lod_shard_file file = lod_shard_at(work->framing, i);
        if (lod_shard_find(work->dataset, work->framing, work->fidelity, file, &shard) == 0 &&
            shard.kind == LOD_FRAMED_DATA) {
            error = read_file(work, &shard, buffer);
        }
    }
    free(buffer);
    if (error) {
        atomic_store(&work->error, error);
    }
    return NULL;
}

static double us_of(struct timeval t)
{
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static void run_all(struct work *work, unsigned threads)
{
    pthread_t ids[THREADS_MAX];
    unsigned started = 0;

    while (started < threads && pthread_create(&ids[started], NULL, run, work) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
}

static void print(struct work *work, const struct rusage *from)
{
    struct lod_reader_stats stats;
    struct rusage to;

    getrusage(RUSAGE_SELF, &to);
    lod_reader_stats(work->reader, &stats);
    const double user = us_of(to.ru_utime) - us_of(from->ru_utime);
    const double system = us_of(to.ru_stime) - us_of(from->ru_stime);
    const double leads = (double)atomic_load(&work->leads);
    const double mib = (double)atomic_load(&work->bytes) / (1 << 20);
    printf("%.1f MiB, a picture: %.2f us (user %.2f, system %.2f), %.2f requests of %.0f B;"
           " a MiB: %.0f us\n",
           mib, (user + system) / leads, user / leads, system / leads,
           (double)stats.store_reads / leads, (double)stats.store_bytes / (double)stats.store_reads,
           (user + system) / mib);
}

static int pass(struct work *work, unsigned threads)
{
    const struct lod_reader_options options = {.cache_bytes = LOD_CACHE_SIZE_DEFAULT,
                                               .work_bytes = LOD_WORK_SIZE_DEFAULT,
                                               .threads = true};
    struct rusage from;

    atomic_store(&work->next, 0);
    atomic_store(&work->bytes, 0);
    atomic_store(&work->leads, 0);
    int error = lod_reader_create(work->dataset, &options, &work->reader);
    error = error ? error : lod_shard_reader_create(work->dataset, work->reader, &work->shards);
    if (!error) {
        getrusage(RUSAGE_SELF, &from);
        run_all(work, threads);
        print(work, &from);
        error = atomic_load(&work->error);
    }
    work->shards = lod_shard_reader_destroy(work->shards);
    work->reader = lod_reader_destroy(work->reader);
    return error;
}

static const struct lod_framing *framing_of(const char *folder)
{
    const struct lod_framing *framing = NULL;

    for (unsigned i = 0; (framing = lod_framing_at(i)) && strcmp(framing->folder, folder) != 0;) {
        i++;
    }
    return framing;
}

int main(int argc, char **argv)
{
    const struct lod_open_options how = {.exactly = true, .shared = true};
    struct work work = {0};
    struct lod_why why = {.text = ""};

    if (argc != 6 || !(work.framing = framing_of(argv[2]))) {
        fprintf(stderr, "usage: shard_path STORE FRAMING FIDELITY THREADS PASSES\n");
        return 2;
    }
    work.fidelity = lod_fidelity_parse(argv[3], strlen(argv[3]));
    const unsigned threads = (unsigned)atoi(argv[4]), passes = (unsigned)atoi(argv[5]);
    int error = lod_dataset_open(argv[1], &how, &work.dataset, &why);
    for (unsigned i = 0; !error && i < passes; i++) {
        error = pass(&work, threads < THREADS_MAX ? threads : THREADS_MAX);
    }
    if (error) {
        fprintf(stderr, "shard_path: %s: %s\n", argv[1], lod_why_text(&why, error));
    }
    lod_dataset_close(work.dataset);
    return error ? 1 : 0;
}
