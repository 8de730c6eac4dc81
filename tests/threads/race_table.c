/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table of liblodfs used by several threads, under ThreadSanitizer: products with and without
 * the thread's own scratch memory, rows, and scaled tables that outlive one another. Each result
 * must equal that of a single thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs.h"
#include "toc/shard/dtype.h"
#include "toc/encode/toc_write.h"

#define ROWS    600u
#define COLUMNS 20u
#define THREADS 4u
#define ROUNDS  30u

struct work {
    const struct lodfs_table *table;
    double times[ROWS], into[COLUMNS]; /* results of a single thread */
    int wrong[THREADS];
};

struct thread {
    struct work *work;
    unsigned number;
};

static struct lodfs_table *open_table(void)
{
    static double dense[ROWS][COLUMNS];
    const struct lod_toc_options options = {.batch_rows = 100, .choice = LOD_TOC_CHOOSE_TREE};
    const struct lod_toc_rows rows = {
        .dtype = LOD_DTYPE_F8, .rows = ROWS, .columns = COLUMNS, .dense = dense};
    struct lodfs_table *table = NULL;
    struct lod_buf shard = {0};

    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned c = 0; c < COLUMNS; c++) {
            dense[r][c] = (r * 7 + c * c) % 5 ? 0 : c % 3 + 1;
        }
    }
    if (lod_toc_encode(&rows, &options, &shard) ||
        lodfs_table_open_bytes(shard.data, shard.bytes, &table, NULL)) {
        fputs("no table\n", stderr);
    }
    lod_buf_finish(&shard);
    return table;
}

static int multiply(const struct lodfs_table *table, void *scratch, double times[ROWS],
                    double into[COLUMNS])
{
    double v[COLUMNS], w[ROWS];

    for (unsigned i = 0; i < ROWS; i++) {
        w[i] = i % 11;
        v[i % COLUMNS] = i % 7;
    }
    return lodfs_table_times_vector_f8(table, 0, ROWS / 100, v, times, scratch, NULL) ||
           lodfs_table_vector_times_f8(table, 0, ROWS / 100, w, into, scratch, NULL);
}

/* Scales a table and closes it while other threads scale and close the first one. */
static int scaled(const struct lodfs_table *table, const struct work *work)
{
    struct lodfs_table *twice = NULL;
    double times[ROWS], into[COLUMNS];
    int wrong = lodfs_table_scale(table, 2, &twice, NULL) || multiply(twice, NULL, times, into);

    wrong = wrong || times[5] != 2 * work->times[5] || into[3] != 2 * work->into[3];
    lodfs_table_close(twice);
    return wrong;
}

static void *run(void *arg)
{
    struct thread *thread = arg;
    struct work *work = thread->work;
    void *scratch = malloc(lodfs_table_scratch_bytes(work->table, 1));
    double times[ROWS], into[COLUMNS], row[COLUMNS];
    int *wrong = &work->wrong[thread->number];

    for (unsigned i = 0; i < ROUNDS && !*wrong; i++) {
        *wrong = multiply(work->table, i % 2 ? scratch : NULL, times, into) ||
                 memcmp(times, work->times, sizeof(times)) ||
                 memcmp(into, work->into, sizeof(into)) ||
                 lodfs_table_dense_f8(work->table, i, 1, row, NULL) || scaled(work->table, work);
    }
    free(scratch);
    return NULL;
}

int main(void)
{
    struct lodfs_table *table = open_table();
    struct work work = {.table = table};
    struct thread thread[THREADS];
    pthread_t id[THREADS];
    unsigned started = 0;
    int wrong = !table || multiply(table, NULL, work.times, work.into);

    for (; !wrong && started < THREADS; started++) {
        thread[started] = (struct thread){.work = &work, .number = started};
        wrong = pthread_create(&id[started], NULL, run, &thread[started]);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(id[i], NULL);
        wrong |= work.wrong[i];
    }
    lodfs_table_close(table);
    printf("tests: %d passed, %d failed\n", !wrong, wrong != 0);
    return wrong != 0;
}
