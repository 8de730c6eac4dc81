/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "hash.h"
#include "toc_samples.h"

/* Checks that all rows, some of them and none decode bit for bit. */
static void expect_same(const struct lod_toc_shard *shard, const uint8_t *table)
{
    uint64_t all = lod_toc_source_bytes(shard, shard->rows);
    uint8_t *back = malloc(all + 1);

    memset(back, 0xaa, all + 1);
    cr_assert_eq(lod_toc_decode(shard, 0, shard->rows, back, all), 0);
    cr_assert_eq(memcmp(back, table, all), 0, "kind %u dtype %x", shard->kind, shard->dtype);
    cr_assert_eq(back[all], 0xaa, "a byte too many");
    for (uint32_t first = 0; first < shard->rows; first += 1 + first / 2) {
        uint32_t rows = (shard->rows - first + 1) / 2;
        uint64_t bytes = lod_toc_source_bytes(shard, rows);
        cr_assert_eq(lod_toc_decode(shard, first, rows, back, bytes), 0);
        cr_assert_eq(memcmp(back, table + lod_toc_source_bytes(shard, first), bytes), 0);
    }
    cr_assert_eq(lod_toc_decode(shard, shard->rows, 0, back, 0), 0);
    cr_assert_eq(lod_toc_decode(shard, shard->rows, 1, back, lod_toc_source_bytes(shard, 1)),
                 -EINVAL);
    cr_assert_eq(lod_toc_decode(shard, 0, shard->rows, back, all + 1), -EINVAL);
    free(back);
}

static void expect_numbers(const struct lod_toc_shard *shard, const uint8_t *table)
{
    size_t elements = (size_t)shard->rows * shard->columns;
    double *numbers = malloc((elements + 1) * sizeof(*numbers));
    float *floats = malloc((elements + 1) * sizeof(*floats));
    unsigned bytes = lod_dtype_bytes(shard->dtype);

    cr_assert_eq(lod_toc_decode_f8(shard, 0, shard->rows, numbers), 0);
    cr_assert_eq(lod_toc_decode_f4(shard, 0, shard->rows, floats), 0);
    for (size_t i = 0; i < elements; i++) {
        uint64_t word;
        lod_dtype_words(shard->dtype, table + i * bytes, 1, &word);
        double expected = lod_dtype_number(shard->dtype, word);
        cr_assert(expected != expected ? numbers[i] != numbers[i] : numbers[i] == expected);
        cr_assert(expected != expected ? floats[i] != floats[i] : floats[i] == (float)expected);
    }
    free(numbers);
    free(floats);
}

static void expect_round_trip(uint8_t *table, uint8_t dtype, uint32_t rows, uint32_t columns,
                              uint32_t batch_rows)
{
    struct lod_toc_rows source = {.dtype = dtype, .rows = rows, .columns = columns, .dense = table};

    for (unsigned choice = 0; choice <= LOD_TOC_CHOOSE_BEST; choice++) {
        struct lod_buf bytes;
        struct lod_toc_shard shard =
            sample_shard(&source, (enum lod_toc_choice)choice, batch_rows, &bytes);
        cr_assert(shard.rows == rows && shard.columns == columns && shard.dtype == dtype);
        expect_same(&shard, table);
        expect_numbers(&shard, table);
        if (choice == LOD_TOC_CHOOSE_BEST) {
            cr_assert_leq(bytes.bytes, 128 + lod_toc_source_bytes(&shard, rows));
        }
        lod_buf_finish(&bytes);
    }
}

Test(toc, tables_of_all_types_and_looks_come_back_bit_for_bit)
{
    struct sample_chance chance = {.state = 1};

    for (size_t d = 0; d < sizeof(all_dtypes); d++) {
        for (unsigned look = 0; look < SAMPLE_LOOKS; look++) {
            uint32_t rows = 1 + (uint32_t)sample_below(&chance, 60);
            uint32_t columns = 1 + (uint32_t)sample_below(&chance, 40);
            uint32_t batch_rows = 1 + (uint32_t)sample_below(&chance, 30);
            uint8_t *table =
                sample_table(&chance, (enum sample_look)look, all_dtypes[d], rows, columns);
            expect_round_trip(table, all_dtypes[d], rows, columns, batch_rows);
            free(table);
        }
    }
}

Test(toc, empty_tables_single_columns_and_large_batches)
{
    static const uint32_t shapes[][3] = {{0, 0, 1},    {0, 5, 250},     {7, 0, 250},
                                         {1, 1, 1},    {300, 1, 7},     {1, 3000, 250},
                                         {2500, 3, 5}, {9, 9, 1u << 24}};
    struct sample_chance chance = {.state = 2};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (unsigned look = 0; look < SAMPLE_LOOKS; look++) {
            uint8_t *table = sample_table(&chance, (enum sample_look)look, LOD_DTYPE_F8,
                                          shapes[i][0], shapes[i][1]);
            expect_round_trip(table, LOD_DTYPE_F8, shapes[i][0], shapes[i][1], shapes[i][2]);
            free(table);
        }
    }
}

/* Three entries of 10^6 columns, an explicit zero and an empty row. */
Test(toc, sparse_rows_of_a_million_columns)
{
    static const uint64_t starts[] = {0, 3, 3, 5};
    static const uint32_t columns[] = {0, 500000, 999999, 3, 999999};
    static const double values[] = {1.5, 0, -0.0, 2, 3};
    struct lod_toc_rows rows = {.dtype = LOD_DTYPE_F8,
                                .rows = 3,
                                .columns = 1000000,
                                .starts = starts,
                                .entry_column = columns,
                                .entry_value = values};
    double *back = malloc(3000000 * sizeof(*back));

    for (unsigned choice = 0; choice <= LOD_TOC_CHOOSE_BEST; choice++) {
        struct lod_buf bytes;
        struct lod_toc_shard shard = sample_shard(&rows, (enum lod_toc_choice)choice, 2, &bytes);
        cr_assert(choice != LOD_TOC_CHOOSE_BEST || bytes.bytes < 300);
        cr_assert_eq(lod_toc_decode(&shard, 0, 3, back, 24000000), 0);
        cr_assert(back[0] == 1.5 && back[500000] == 0 && back[2000003] == 2);
        uint64_t minus_zero;
        memcpy(&minus_zero, &back[999999], 8);
        cr_assert_eq(minus_zero, UINT64_C(1) << 63);
        cr_assert_eq(back[2999999], 3);
        lod_buf_finish(&bytes);
    }
    free(back);
}

Test(toc, what_cannot_be_encoded_is_refused)
{
    static const uint64_t starts[] = {0, 2};
    uint32_t columns[] = {4, 4};
    static const uint8_t values[] = {1, 1};
    struct lod_toc_rows rows = {.dtype = LOD_DTYPE_U1,
                                .rows = 1,
                                .columns = 5,
                                .starts = starts,
                                .entry_column = columns,
                                .entry_value = values};
    struct lod_toc_options options = {.choice = LOD_TOC_CHOOSE_CSR};
    struct lod_buf into = {0};

    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -EINVAL, "a column twice");
    columns[1] = 5;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -EINVAL, "no such column");
    options.choice = LOD_TOC_CHOOSE_RAW;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -EINVAL, "no such column");
    columns[0] = 0;
    columns[1] = 4;
    rows.dtype = 0x0c;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -EINVAL, "no such type");
    rows.dtype = LOD_DTYPE_U1;
    rows.columns = LOD_TOC_COLUMNS_MAX + 1;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -E2BIG);
    rows.columns = 5;
    options.batch_rows = LOD_TOC_ROWS_MAX + 1;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), -E2BIG);
    cr_assert_eq(into.bytes, 0);
    options.batch_rows = 0;
    cr_assert_eq(lod_toc_encode(&rows, &options, &into), 0);
    lod_buf_finish(&into);
}

Test(toc, damage_is_found)
{
    struct sample_chance chance = {.state = 3};
    uint8_t *table = sample_table(&chance, SAMPLE_ONE_HOT, LOD_DTYPE_F8, 40, 20);
    struct lod_toc_rows rows = {.dtype = LOD_DTYPE_F8, .rows = 40, .columns = 20, .dense = table};
    struct lod_buf bytes;
    struct lod_toc_shard shard = sample_shard(&rows, LOD_TOC_CHOOSE_TREE, 10, &bytes);
    struct lod_span span = lod_buf_span(&bytes);

    for (size_t i = 0; i < bytes.bytes; i++) {
        bytes.data[i] ^= 4;
        int error = lod_toc_open(span, &shard);
        bytes.data[i] ^= 4;
        cr_assert_eq(error, i < 8                                         ? -EILSEQ
                            : i < 12                                      ? -ENOTSUP
                            : (i >= 38 && i < 40) || (i >= 80 && i < 112) ? -EILSEQ
                                                                          : -EBADMSG);
    }
    for (size_t cut = 0; cut < bytes.bytes; cut++) {
        cr_assert_lt(lod_toc_open((struct lod_span){bytes.data, cut}, &shard), 0);
    }
    cr_assert_eq(lod_toc_open(span, &shard), 0);
    lod_buf_finish(&bytes);
    free(table);
}

static void reseal(struct lod_buf *bytes)
{
    lod_put_le64(bytes->data + 112, lod_hash64(bytes->data + 128, bytes->bytes - 128, 0));
    lod_put_le64(bytes->data + 120, lod_hash64(bytes->data, 120, 0));
}

/*
 * Changes every byte of a shard in every bit, with correct hashes: the result is an error or rows,
 * and no memory outside the stated amount is touched.
 */
Test(toc, malformed_shards_with_right_hashes_harm_nobody)
{
    struct sample_chance chance = {.state = 4};
    uint8_t *table = sample_table(&chance, SAMPLE_ONE_HOT, LOD_DTYPE_I2, 24, 12), back[576];
    struct lod_toc_rows rows = {.dtype = LOD_DTYPE_I2, .rows = 24, .columns = 12, .dense = table};
    unsigned refused = 0, decoded = 0;

    for (unsigned kind = 0; kind <= LOD_TOC_TREE; kind++) {
        struct lod_buf bytes;
        struct lod_toc_shard shard;
        (void)sample_shard(&rows, (enum lod_toc_choice)kind, 6, &bytes);
        for (size_t bit = 12 * 8; bit < bytes.bytes * 8; bit++) {
            bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            reseal(&bytes);
            int error = lod_toc_open(lod_buf_span(&bytes), &shard);
            if (!error && lod_toc_source_bytes(&shard, shard.rows) <= sizeof(back)) {
                error = lod_toc_decode(&shard, 0, shard.rows, back,
                                       lod_toc_source_bytes(&shard, shard.rows));
            }
            cr_assert(error == 0 || error == -EILSEQ);
            *(error ? &refused : &decoded) += 1;
            bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        lod_buf_finish(&bytes);
    }
    cr_assert_gt(refused, 100);
    cr_assert_gt(decoded, 100);
    free(table);
}

/* A shard of a hundred bytes can claim counts that would take much memory. */
Test(toc, counts_that_no_stored_byte_bounds_are_refused)
{
    struct lod_toc_rows none = {.dtype = LOD_DTYPE_F8, .rows = (1u << 16) + 1};
    struct lod_toc_options options = {.batch_rows = 2, .choice = LOD_TOC_CHOOSE_BEST};
    struct lod_toc_shard shard;
    struct lod_buf bytes = {0};

    cr_assert_eq(lod_toc_encode(&none, &options, &bytes), 0);
    lod_put_le32(bytes.data + 24, 1); /* rows of a batch */
    reseal(&bytes);
    cr_assert_eq(lod_toc_open(lod_buf_span(&bytes), &shard), -EILSEQ, "65,537 batches");
    lod_put_le32(bytes.data + 16, 1u << 16);
    reseal(&bytes);
    cr_assert_eq(lod_toc_open(lod_buf_span(&bytes), &shard), 0);
    cr_assert_eq(shard.batches, 1u << 16);
    options.batch_rows = 1;
    cr_assert_eq(lod_toc_encode(&none, &options, &bytes), -E2BIG);

    /* One value, columns of no bits: one leaf. A batch of one row with a code of 28 bits. */
    uint8_t tree[128 + 8 + 16 + 4] = "LODFSTC1\1\0\0\0\2\x0f";
    struct lod_buf leaves = {.data = tree, .bytes = sizeof(tree)};
    const uint32_t fields[] = {
        [0] = 1, 1, 1, 1, 1}; /* rows, columns, rows a batch, leaves, values */
    for (unsigned i = 0; i < 5; i++) {
        lod_put_le32(tree + 16 + 4 * i, fields[i]);
    }
    tree[40] = 8;
    tree[64] = 16;
    tree[72] = 4;
    tree[136] = tree[136 + 12] = 1;
    tree[136 + 15] = 28;
    reseal(&leaves);
    cr_assert_eq(lod_toc_open(lod_buf_span(&leaves), &shard), 0);
    lod_put_le32(tree + 28, 1u << 28);
    reseal(&leaves);
    cr_assert_eq(lod_toc_open(lod_buf_span(&leaves), &shard), -EILSEQ, "2^28 leaves");
    lod_buf_finish(&bytes);
}
