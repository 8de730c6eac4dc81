/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-batch SGD on a table whose batches are kept in one form:
 *   train_table TABLE ROWS FORM MODEL EPOCHS WEIGHTS [FILE [GROUP]]
 * - TABLE is as in bench_table_make(); MODEL is logistic, svm or network.
 * - With FILE the units are written there and every epoch reads them; without, they stay in memory.
 * - FORM npy reads an existing FILE. FORM shards opens FILE, a folder of shards below a mount, with
 *   liblodfs in the first epoch and keeps the table.
 * - GROUP is the cgroup.procs of a cgroup that limits memory; the program enters it once the table
 *   is in the file.
 *
 * Prints JSON: milliseconds of each epoch and the form's ratio to dense. The final weights are
 * written to WEIGHTS as doubles.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch_forms.h"
#include "train_models.h"

struct unit {
    uint64_t offset, bytes;
    uint32_t first, rows;
    struct fetched fetched; /* of a form that stays expanded */
};

struct kept {
    const struct form *form;
    uint32_t rows, columns, units;
    uint64_t bytes, unit_bytes_max;
    struct unit *unit;
    uint8_t *memory;        /* all units, or room for one read from `file` */
    int file;               /* -1: in memory */
    struct fetched fetched; /* the unit fetched for each use */
    const char *folder;     /* for FORM shards */
    struct lodfs_table *shards;
    void *scratch;
};

#define NPY_HEAD_BYTES 128u

/*
 * Returns the thread's CPU time, so that other programs do not count; with a file, the wall clock.
 */
static double now_ms(const struct kept *kept)
{
    struct timespec now;
    bool memory = kept->file < 0 && !kept->folder;
    clock_gettime(memory ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Writes a header of version 1.0, padded so that rows begin at a multiple of 64. */
static int write_npy_head(const struct bench_table *table, struct lod_buf *all)
{
    char head[NPY_HEAD_BYTES + 1];
    int bytes =
        snprintf(head, sizeof(head),
                 "\x93NUMPY\1%c\x76%c{'descr': '<f8', 'fortran_order': False, 'shape': (%u, %u), }",
                 0, 0, table->rows, table->columns);

    memset(head + bytes, ' ', NPY_HEAD_BYTES - (size_t)bytes);
    head[NPY_HEAD_BYTES - 1] = '\n';
    return lod_buf_append(all, head, NPY_HEAD_BYTES);
}

/* Appends the units, each at a multiple of 64; those of a .npy without gaps. */
static int keep(struct kept *kept, const struct bench_table *table, struct lod_buf *all)
{
    uint32_t step = kept->form->unit_rows;

    if (kept->form->npy && write_npy_head(table, all)) {
        return 1;
    }
    kept->units = (table->rows + step - 1) / step;
    kept->unit = calloc(kept->units, sizeof(*kept->unit));
    for (uint32_t i = 0; kept->unit && i < kept->units; i++) {
        uint32_t first = i * step, rows = table->rows - first < step ? table->rows - first : step;
        struct lod_buf one = {0};
        if (kept->form->keep(table, first, rows, &one) || lod_buf_reserve(all, one.bytes + 64)) {
            return 1;
        }
        struct unit unit = {.offset = all->bytes, .bytes = one.bytes, .first = first, .rows = rows};
        kept->unit[i] = unit;
        kept->bytes += one.bytes;
        kept->unit_bytes_max = one.bytes > kept->unit_bytes_max ? one.bytes : kept->unit_bytes_max;
        memcpy(all->data + all->bytes, one.data, one.bytes);
        all->bytes = lod_round_up(all->bytes + one.bytes, kept->form->npy ? 8 : 64);
        lod_buf_finish(&one);
    }
    return kept->unit ? 0 : 1;
}

/* Writes the file and drops it from the page cache. */
static int write_file(struct kept *kept, const char *path, const struct lod_buf *all)
{
    kept->memory = aligned_alloc(64, lod_round_up(kept->unit_bytes_max + 64, 64));
    kept->file = kept->form->npy ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (kept->file >= 0) {
        return !kept->memory;
    }
    kept->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (size_t done = 0; kept->file >= 0 && done < all->bytes;) {
        ssize_t got = write(kept->file, all->data + done, all->bytes - done);
        if (got <= 0) {
            return 1;
        }
        done += (size_t)got;
    }
    return kept->file < 0 || !kept->memory || fsync(kept->file) ||
           posix_fadvise(kept->file, 0, 0, POSIX_FADV_DONTNEED);
}

static int settle(struct kept *kept, const char *path, struct lod_buf *all)
{
    if (path) {
        int failed = write_file(kept, path, all);
        lod_buf_finish(all);
        return failed;
    }
    kept->memory = aligned_alloc(64, lod_round_up(all->bytes + 64, 64));
    if (!kept->memory) {
        return 1;
    }
    memcpy(kept->memory, all->data, all->bytes);
    lod_buf_finish(all);
    for (uint32_t i = 0; kept->form->stays && i < kept->units; i++) {
        struct unit *u = &kept->unit[i];
        struct lod_span bytes = {kept->memory + u->offset, u->bytes};
        if (kept->form->fetch(bytes, u->rows, kept->columns, &u->fetched)) {
            return 1;
        }
    }
    return 0;
}

static int read_unit(struct kept *kept, const struct unit *u, struct lod_span *ret_bytes)
{
    if (kept->file < 0) {
        *ret_bytes = (struct lod_span){kept->memory + u->offset, u->bytes};
        return 0;
    }
    *ret_bytes = (struct lod_span){kept->memory, u->bytes};
    return pread(kept->file, kept->memory, u->bytes, (off_t)u->offset) != (ssize_t)u->bytes;
}

/* Expands everything once. Its share of the source's bytes is the ratio printed. */
static int open_shards(struct kept *kept)
{
    struct lodfs_error error;

    if (lodfs_table_open(kept->folder, &kept->shards, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    kept->bytes = lodfs_table_stored_bytes(kept->shards);
    uint64_t need = lodfs_table_scratch_bytes(kept->shards, HIDDEN);
    kept->scratch = aligned_alloc(64, lod_round_up(need, 64));
    return !kept->scratch || lodfs_table_rows(kept->shards) != kept->rows;
}

static int epoch_of_shards(struct kept *kept, const struct bench_table *table, struct model *model)
{
    if (!kept->shards && open_shards(kept)) {
        return 1;
    }
    for (uint64_t b = 0; b < lodfs_table_batches(kept->shards); b++) {
        struct ready ready = {.rows = (uint32_t)lodfs_table_batch_rows(kept->shards, b, 1),
                              .columns = kept->columns,
                              .table = kept->shards,
                              .batch = b,
                              .scratch = kept->scratch};
        model_step(model, &ready, table->label + lodfs_table_batch_start(kept->shards, b));
    }
    return 0;
}

static int epoch(struct kept *kept, const struct bench_table *table, struct model *model)
{
    if (kept->folder) {
        return epoch_of_shards(kept, table, model);
    }
    for (uint32_t i = 0; i < kept->units; i++) {
        struct unit *u = &kept->unit[i];
        bool there = kept->file < 0 && kept->form->stays;
        struct fetched *fetched = there ? &u->fetched : &kept->fetched;
        struct lod_span bytes;
        if (read_unit(kept, u, &bytes) ||
            (!there && kept->form->fetch(bytes, u->rows, kept->columns, fetched))) {
            return 1;
        }
        for (uint32_t b = 0; b * BATCH_ROWS < u->rows; b++) {
            struct ready ready = kept->form->batch(bytes, u->rows, kept->columns, b, fetched);
            model_step(model, &ready, table->label + u->first + b * BATCH_ROWS);
        }
    }
    return 0;
}

static int enter(const char *group)
{
    FILE *file = group ? fopen(group, "w") : NULL;
    int failed = group && (!file || fprintf(file, "%d", getpid()) < 0);
    return file ? fclose(file) || failed : failed;
}

static int write_weights(const struct model *model, const char *path)
{
    FILE *file = fopen(path, "wb");
    size_t count = model->weights_count;
    int failed = !file || fwrite(model->weights, sizeof(double), count, file) != count;
    return file ? fclose(file) || failed : 1;
}

static int train(struct kept *kept, const struct bench_table *table, struct model *model,
                 unsigned epochs)
{
    double dense = (double)table->rows * table->columns * sizeof(double);

    printf("{\"epoch_ms\": [");
    for (unsigned e = 0; e < epochs; e++) {
        double from = now_ms(kept);
        if (epoch(kept, table, model)) {
            return 1;
        }
        printf("%s%.3f", e ? ", " : "", now_ms(kept) - from);
    }
    uint64_t memory = kept->shards ? lodfs_table_memory_bytes(kept->shards) : 0;
    printf("], \"ratio\": %.3f, \"bytes\": %llu, \"memory\": %llu}\n", dense / (double)kept->bytes,
           (unsigned long long)kept->bytes, (unsigned long long)memory);
    return 0;
}

int main(int argc, char **argv)
{
    struct kept kept = {.file = -1};
    struct bench_table table;
    struct lod_buf all = {0};
    struct model model;

    if (argc < 7 || !(kept.form = form_find(argv[3]))) {
        fprintf(stderr, "train_table TABLE ROWS FORM MODEL EPOCHS WEIGHTS [FILE]\n");
        return 2;
    }
    if (bench_table_make(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), &table)) {
        return 1;
    }
    kept.rows = table.rows;
    kept.columns = table.columns;
    if (!kept.form->keep && argc > 7) {
        kept.folder = argv[7];
    } else if (!kept.form->keep || keep(&kept, &table, &all)) {
        fprintf(stderr, "the batches cannot be kept\n");
        return 1;
    }
    free(table.data); /* from here on only the form's own bytes are in memory */
    table.data = NULL;
    if ((!kept.folder && settle(&kept, argc > 7 ? argv[7] : NULL, &all)) ||
        model_init(&model, argv[4], table.columns, 1 / table.square)) {
        fprintf(stderr, "no room, or no such model\n");
        return 1;
    }
    int failed = enter(argc > 8 ? argv[8] : NULL) ||
                 train(&kept, &table, &model, (unsigned)strtoul(argv[5], NULL, 10)) ||
                 write_weights(&model, argv[6]);
    for (uint32_t i = 0; i < kept.units; i++) {
        fetched_finish(&kept.unit[i].fetched);
    }
    fetched_finish(&kept.fetched);
    lodfs_table_close(kept.shards);
    free(kept.scratch);
    free(kept.unit);
    free(kept.memory);
    model_finish(&model);
    bench_table_finish(&table);
    return failed;
}
