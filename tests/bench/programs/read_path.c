/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_path STORE FIDELITY THREADS PASSES SEED: does what the daemon does for a shuffled pass over
 * a mount, without FUSE. Each file is looked up in its folder, then read from end to end in
 * requests of 128 KiB. Prints the CPU time a file of both, one line a pass: lodfs's own share of a
 * mount's cost.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "views/namespace.h"
#include "read/reader.h"

#define THREADS_MAX   64
#define REQUEST_BYTES (128u << 10)

struct file {
    uint64_t parent;
    struct lod_inode inode;
    char *name;
};

struct work {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct file *files;
    size_t count;
    int (*step)(struct work *work, const struct file *file);
    atomic_size_t next;
    atomic_ullong bytes;
    atomic_int error;
    struct lod_reader_stats before;
};

static int plan_of(struct work *work, const struct lod_found *found, struct lod_item *ret_item,
                   struct lod_plan *ret_plan)
{
    int error = lod_dataset_item(work->dataset, found->node.ref, ret_item);

    return error ? error
                 : lod_view_plan(found->view, work->dataset, &found->node, ret_item,
                                 found->inode.fidelity, ret_plan);
}

/* As op_lookup. */
static int look_up(struct work *work, const struct file *file)
{
    struct lod_found folder, child;
    struct lod_item item;
    struct lod_plan plan;

    int error = lod_namespace_find(work->dataset, file->parent, &folder);
    error = error ? error : lod_namespace_lookup(work->dataset, &folder, file->name, &child);
    return error ? error : plan_of(work, &child, &item, &plan);
}

/* As op_read, once for each request. */
static int read_slice(struct work *work, uint64_t number, uint64_t offset, uint64_t *ret_size)
{
    struct lod_found found;
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;

    int error = lod_namespace_find(work->dataset, number, &found);
    error = error ? error : plan_of(work, &found, &item, &plan);
    error =
        error ? error : lod_reader_read(work->reader, &item, &plan, offset, REQUEST_BYTES, &read);
    if (!error) {
        atomic_fetch_add_explicit(&work->bytes, read.bytes, memory_order_relaxed);
        *ret_size = plan.bytes;
        lod_read_finish(&read);
    }
    return error;
}

static int read_all(struct work *work, const struct file *file)
{
    uint64_t size = 1;
    int error = 0;

    for (uint64_t at = 0; !error && at < size; at += REQUEST_BYTES) {
        error = read_slice(work, lod_inode_pack(file->inode), at, &size);
    }
    return error;
}

static void *run(void *arg)
{
    struct work *work = arg;
    size_t i;

    while ((i = atomic_fetch_add(&work->next, 1)) < work->count && !atomic_load(&work->error)) {
        int error = work->step(work, &work->files[i]);
        if (error) {
            atomic_store(&work->error, error);
        }
    }
    return NULL;
}

static double us_of(struct timeval t)
{
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

/* Runs `step` on all files; prints its user and system time a file. */
static void timed(struct work *work, const char *what, unsigned threads,
                  int (*step)(struct work *work, const struct file *file))
{
    pthread_t ids[THREADS_MAX];
    struct rusage from, to;
    unsigned started = 0;

    work->step = step;
    atomic_store(&work->next, 0);
    getrusage(RUSAGE_SELF, &from);
    while (started < threads && pthread_create(&ids[started], NULL, run, work) == 0) {
        started++;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    getrusage(RUSAGE_SELF, &to);
    printf("%s: user %.2f system %.2f us  ", what,
           (us_of(to.ru_utime) - us_of(from.ru_utime)) / (double)work->count,
           (us_of(to.ru_stime) - us_of(from.ru_stime)) / (double)work->count);
}

/* Prints the bytes served and read in this pass. */
static void print_reads(struct work *work)
{
    struct lod_reader_stats now;

    lod_reader_stats(work->reader, &now);
    printf("served %.0f B a file, read %.0f in %.2f requests, prefixes %.0f in %.3f\n",
           (double)atomic_exchange(&work->bytes, 0) / (double)work->count,
           (double)(now.scattered_bytes - work->before.scattered_bytes) / (double)work->count,
           (double)(now.scattered_reads - work->before.scattered_reads) / (double)work->count,
           (double)(now.prefix_bytes - work->before.prefix_bytes) / (double)work->count,
           (double)(now.prefix_reads - work->before.prefix_reads) / (double)work->count);
    work->before = now;
}

static int list(struct work *work, enum lod_fidelity fidelity)
{
    struct lod_index *index = lod_dataset_index(work->dataset);
    char name[LOD_NAME_MAX + 1];
    struct lod_node node;
    int error = 0;

    work->files = calloc(lod_index_nodes(index), sizeof(*work->files));
    for (uint32_t i = 0; work->files && i < lod_index_nodes(index) && !error; i++) {
        error = lod_index_node(index, i, &node);
        if (error || !S_ISREG(node.mode)) {
            continue;
        }
        error = lod_index_name(index, &node, name);
        struct lod_inode parent = {.node = node.parent, .fidelity = fidelity};
        work->files[work->count++] = (struct file){
            .parent = lod_inode_pack(parent),
            .inode = {.node = i, .fidelity = fidelity},
            .name = strdup(name),
        };
    }
    return work->files ? error : -1;
}

static void shuffle(struct work *work, uint64_t seed)
{
    for (size_t i = seed ? work->count : 0; i > 1; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t j = (size_t)((seed >> 33) % i);
        struct file kept = work->files[i - 1];
        work->files[i - 1] = work->files[j];
        work->files[j] = kept;
    }
}

static void free_files(struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        free(work->files[i].name);
    }
    free(work->files);
}

int main(int argc, char **argv)
{
    struct work work = {0};
    struct lod_why why = {.text = ""};

    if (argc != 6) {
        fprintf(stderr, "usage: read_path STORE FIDELITY THREADS PASSES SEED\n");
        return 2;
    }
    unsigned threads = (unsigned)atoi(argv[3]), passes = (unsigned)atoi(argv[4]);
    enum lod_fidelity fidelity = lod_fidelity_parse(argv[2], strlen(argv[2]));
    int error = lod_dataset_open(
        argv[1], &(struct lod_open_options){.exactly = true, .shared = true}, &work.dataset, &why);
    error =
        error
            ? error
            : lod_reader_create(work.dataset,
                                &(struct lod_reader_options){.cache_bytes = LOD_CACHE_SIZE_DEFAULT,
                                                             .work_bytes = LOD_WORK_SIZE_DEFAULT,
                                                             .threads = true},
                                &work.reader);
    error = error ? error : list(&work, fidelity);
    for (unsigned i = 0; !error && i < passes; i++) {
        shuffle(&work, strtoull(argv[5], NULL, 10));
        timed(&work, "lookup", threads < THREADS_MAX ? threads : THREADS_MAX, look_up);
        timed(&work, "read", threads < THREADS_MAX ? threads : THREADS_MAX, read_all);
        print_reads(&work);
        error = atomic_load(&work.error);
    }
    if (error) {
        fprintf(stderr, "read_path: %s: %s\n", argv[1], lod_why_text(&why, error));
    }
    lod_reader_destroy(work.reader);
    lod_dataset_close(work.dataset);
    free_files(&work);
    return error ? 1 : 0;
}
