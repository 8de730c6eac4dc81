/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs through its shared library only: tables against plain loops, stores against files. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/lodfs.h"
#include "toc/shard/dtype.h"
#include "toc/encode/toc_write.h"

#define ROWS    700u /* of a shard */
#define COLUMNS 13u
#define SHARDS  3u
#define K       3u

static char folder[] = P_tmpdir "/lodfs-table-XXXXXX";
static double dense[SHARDS * ROWS][COLUMNS];
static struct lodfs_error error;

static void write_file(const char *name, const void *bytes, size_t count)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, count, file) == count);
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static void make_folder(void)
{
    static const char schema[] = "{\"dtype\": \"<f8\", \"shape\": [2100, 13], \"shards\": 3}";
    const struct lod_toc_options options = {.batch_rows = 100, .choice = LOD_TOC_CHOOSE_BEST};
    char name[32];

    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < SHARDS * ROWS * COLUMNS; i++) {
        (&dense[0][0])[i] = rand() % 3 ? 0 : rand() % 5 - 2;
    }
    for (unsigned i = 0; i < SHARDS; i++) {
        const struct lod_toc_rows rows = {
            .dtype = LOD_DTYPE_F8, .rows = ROWS, .columns = COLUMNS, .dense = dense[i * ROWS]};
        struct lod_buf shard = {0};
        cr_assert_eq(lod_toc_encode(&rows, &options, &shard), 0);
        snprintf(name, sizeof(name), "shard-%05u.toc", i);
        write_file(name, shard.data, shard.bytes);
        lod_buf_finish(&shard);
    }
    write_file("schema.json", schema, sizeof(schema) - 1);
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(lodfs, .init = make_folder, .fini = remove_folder);

static struct lodfs_table *open_table(void)
{
    struct lodfs_table *table = NULL;

    cr_assert_eq(lodfs_table_open(folder, &table, &error), 0, "%s", error.message);
    return table;
}

Test(lodfs, a_folder_of_shards_is_one_table)
{
    struct lodfs_table *table = open_table();
    double rows[900 * COLUMNS];

    cr_assert_eq(lodfs_table_rows(table), SHARDS * ROWS);
    cr_assert_eq(lodfs_table_columns(table), COLUMNS);
    cr_assert_eq(lodfs_table_shards(table), SHARDS);
    cr_assert_eq(lodfs_table_batches(table), 21);
    cr_assert_eq(lodfs_table_batch_rows(table, 6, 2), 200);
    cr_assert_eq(lodfs_table_batch_rows(table, 20, 2), 0);
    cr_assert_eq(lodfs_table_batch_start(table, 7), 700);
    cr_assert_str_eq(lodfs_table_dtype(table), "<f8");
    cr_assert_gt(lodfs_table_memory_bytes(table), lodfs_table_stored_bytes(table));
    cr_assert_eq(lodfs_table_elements(table, 650, 900, rows, &error), 0);
    cr_assert(memcmp(rows, dense[650], sizeof(rows)) == 0, "across two ends of shards");
    cr_assert_eq(lodfs_table_dense_f8(table, 2099, 1, rows, &error), 0);
    cr_assert(memcmp(rows, dense[2099], sizeof(dense[0])) == 0);
    cr_assert_eq(lodfs_table_dense_f8(table, 2099, 2, rows, &error), -EINVAL);
    cr_assert_eq(lodfs_table_element_bytes(table), sizeof(double));
    lodfs_table_close(table);
}

/* Batches first .. first + count - 1 of all products, against loops. */
static void check_products(const struct lodfs_table *table, uint64_t first, uint64_t count,
                           double factor, void *scratch)
{
    const uint64_t at = lodfs_table_batch_start(table, first);
    const uint64_t rows = lodfs_table_batch_rows(table, first, count);
    double *right = calloc(COLUMNS * K, 8), *left = calloc(rows * K + 1, 8);
    double *by_row = calloc(rows * K + 1, 8), *by_column = calloc(COLUMNS * K, 8);

    for (size_t i = 0; i < COLUMNS * K; i++) {
        right[i] = rand() % 9 - 4;
    }
    for (size_t i = 0; i < rows * K; i++) {
        left[i] = rand() % 9 - 4;
    }
    cr_assert_eq(
        lodfs_table_times_matrix_f8(table, first, count, right, K, by_row, scratch, &error), 0);
    cr_assert_eq(
        lodfs_table_matrix_times_f8(table, first, count, left, K, by_column, scratch, &error), 0);
    for (uint64_t r = 0; r < rows; r++) {
        for (unsigned k = 0; k < K; k++) {
            double sum = 0;
            for (unsigned c = 0; c < COLUMNS; c++) {
                sum += dense[at + r][c] * right[c * K + k];
            }
            cr_assert_float_eq(by_row[r * K + k], factor * sum, 1e-9);
        }
    }
    for (unsigned k = 0; k < K; k++) {
        for (unsigned c = 0; c < COLUMNS; c++) {
            double sum = 0;
            for (uint64_t r = 0; r < rows; r++) {
                sum += left[k * rows + r] * dense[at + r][c];
            }
            cr_assert_float_eq(by_column[k * COLUMNS + c], factor * sum, 1e-9);
        }
    }
    /* A vector is a matrix of one column, or of one row. */
    double *row = calloc(rows * K + 1, 8), *column = calloc(COLUMNS, 8);
    cr_assert_eq(lodfs_table_times_vector_f8(table, first, count, right, row, scratch, &error), 0);
    cr_assert_eq(lodfs_table_times_matrix_f8(table, first, count, right, 1, by_row, NULL, &error),
                 0);
    for (uint64_t r = 0; r < rows; r++) {
        cr_assert_float_eq(row[r], by_row[r], 1e-9);
    }
    cr_assert_eq(lodfs_table_vector_times_f8(table, first, count, left, column, scratch, &error),
                 0);
    for (unsigned c = 0; c < COLUMNS; c++) {
        cr_assert_float_eq(column[c], by_column[c], 1e-9);
    }
    free(right);
    free(left);
    free(by_row);
    free(by_column);
    free(row);
    free(column);
}

Test(lodfs, products_of_any_batches)
{
    struct lodfs_table *table = open_table(), *scaled = NULL;
    void *scratch = malloc(lodfs_table_scratch_bytes(table, K));
    double none[COLUMNS];

    check_products(table, 0, 21, 1, scratch);
    check_products(table, 0, 7, 1, NULL);
    check_products(table, 5, 4, 1, scratch);
    check_products(table, 6, 10, 1, scratch);
    check_products(table, 20, 1, 1, scratch);
    check_products(table, 3, 0, 1, scratch);
    cr_assert_eq(lodfs_table_scale(table, -2.5, &scaled, &error), 0);
    cr_assert_eq(lodfs_table_times_vector_f8(table, 20, 2, none, none, scratch, &error), -EINVAL);
    cr_assert_str_eq(error.message, "the table has 21 batches");
    lodfs_table_close(table);
    check_products(scaled, 4, 12, -2.5, scratch);
    cr_assert_eq(lodfs_table_dense_f8(scaled, 9, 1, none, &error), 0);
    cr_assert_float_eq(none[4], -2.5 * dense[9][4], 1e-12);
    cr_assert_eq(lodfs_table_elements(scaled, 9, 1, none, &error), -EINVAL);
    lodfs_table_close(scaled);
    free(scratch);
}

Test(lodfs, scratch_and_elements_need_no_alignment)
{
    struct lodfs_table *table = open_table();
    uint8_t *scratch = malloc(lodfs_table_scratch_bytes(table, K) + 1);
    uint8_t *elements = malloc(sizeof(dense) + 1);

    check_products(table, 0, 21, 1, scratch + 1);
    cr_assert_eq(lodfs_table_elements(table, 0, SHARDS * ROWS, elements + 1, &error), 0);
    cr_assert(memcmp(elements + 1, dense, sizeof(dense)) == 0);
    cr_assert_eq(lodfs_table_scratch_bytes(table, UINT64_MAX), UINT64_MAX);
    free(elements);
    free(scratch);
    lodfs_table_close(table);
}

Test(lodfs, floats)
{
    struct lodfs_table *table = open_table();
    float v[COLUMNS], *into = calloc(SHARDS * ROWS, 4);

    for (unsigned c = 0; c < COLUMNS; c++) {
        v[c] = (float)c;
    }
    cr_assert_eq(lodfs_table_times_vector_f4(table, 0, 21, v, into, NULL, &error), 0);
    for (size_t r = 0; r < SHARDS * ROWS; r++) {
        double sum = 0;
        for (unsigned c = 0; c < COLUMNS; c++) {
            sum += c * dense[r][c];
        }
        cr_assert_float_eq(into[r], sum, 1e-3);
    }
    free(into);
    lodfs_table_close(table);
}

static void check_refused(const char *path, int result, const char *words)
{
    struct lodfs_table *table = NULL;

    cr_assert_eq(lodfs_table_open(path, &table, &error), result, "%s: %s", path, error.message);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
    cr_assert_eq(lodfs_table_open(path, &table, NULL), result, "without a place for the sentence");
    cr_assert_null(table);
}

Test(lodfs, what_is_no_table)
{
    char path[128];
    struct lodfs_table *table = NULL;

    snprintf(path, sizeof(path), "%s/none", folder);
    check_refused(path, -ENOENT, "No such file");
    snprintf(path, sizeof(path), "%s/schema.json", folder);
    check_refused(path, -EILSEQ, "it is malformed");
    write_text("schema.json", "{\"dtype\": \"<f8\", \"shape\": [2100, 13], \"shards\": 4}");
    check_refused(folder, -ENOENT, "shard-00003.toc");
    write_text("schema.json", "{\"dtype\": \"<f8\", \"shape\": [2000, 13], \"shards\": 3}");
    check_refused(folder, -EILSEQ, "it is malformed");
    write_text("schema.json", "{\"dtype\": \"<f8\", \"shape\": [0, 13], \"shards\": 0}");
    cr_assert_eq(lodfs_table_open(folder, &table, &error), 0, "no rows at all");
    cr_assert(lodfs_table_rows(table) == 0 && lodfs_table_columns(table) == 13);
    check_products(table, 0, 0, 1, NULL);
    lodfs_table_close(table);
    write_text("schema.json", "{\"shards\": -1}");
    check_refused(folder, -EILSEQ, "schema.json");
    cr_assert_eq(lodfs_table_open_bytes("LODFSTC1", 8, &table, &error), -EILSEQ);
    lodfs_table_close(NULL);
}

Test(lodfs, a_shard_with_any_byte_changed_is_refused)
{
    struct lodfs_table *table = NULL;
    char path[128];

    snprintf(path, sizeof(path), "%s/shard-00001.toc", folder);
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[1 << 16];
    size_t count = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    cr_assert_eq(lodfs_table_open_bytes(bytes, count, &table, &error), 0);
    cr_assert_eq(lodfs_table_rows(table), ROWS);
    lodfs_table_close(table);
    for (size_t i = 0; i < count; i += 7) {
        bytes[i] ^= 1;
        cr_assert_neq(lodfs_table_open_bytes(bytes, count, &table, &error), 0, "byte %zu", i);
        bytes[i] ^= 1;
    }
}

Test(lodfs, stores_that_are_none)
{
    struct lodfs_store *store = NULL;

    cr_assert_eq(lodfs_store_open("/no/such/store", 0, &store, &error), -ENOENT);
    cr_assert_str_eq(error.message, "cannot open the store '/no/such/store': no such folder");
    lodfs_store_close(NULL);
    cr_assert_eq(lodfs_fidelity("q5"), 5);
    cr_assert_eq(lodfs_fidelity("q11"), 0);
    cr_assert_str_eq(lodfs_version(), LODFS_VERSION);
}
