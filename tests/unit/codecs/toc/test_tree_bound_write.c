/* SPDX-License-Identifier: Apache-2.0 */
#include "toc_samples.h"
#include "toc/encode/shard_write.h"

static uint64_t bytes_of(const struct lod_shard_write *shard)
{
    uint64_t bytes = LOD_TOC_HEADER_BYTES;

    for (unsigned i = 0; i < LOD_TOC_SECTIONS; i++) {
        bytes += shard->section[i].bytes;
    }
    return bytes;
}

struct bytes {
    struct lod_raw_guess guess;
    uint64_t raw, tree;
};

static struct bytes measure(const struct lod_toc_rows *rows, uint32_t batch_rows)
{
    const struct lod_shard_plan plan = {
        .dtype = rows->dtype, .columns = rows->columns, .batch_rows = batch_rows};
    struct lod_shard_write shard;
    struct lod_sparse sparse;
    struct bytes bytes;

    cr_assert_eq(lod_sparse_init(&sparse, rows->rows), 0);
    cr_assert_eq(lod_sparse_append(&sparse, rows, 0, rows->rows), 0);
    cr_assert_eq(lod_shard_raw_guess(&plan, &sparse, &bytes.guess), 0);
    cr_assert_eq(lod_shard_write_sparse(&plan, LOD_TOC_TREE, &sparse, &shard), 0);
    bytes.tree = bytes_of(&shard);
    lod_shard_write_finish(&shard);
    cr_assert_eq(lod_shard_write_raw(&plan, rows, &shard), 0);
    bytes.raw = bytes_of(&shard);
    lod_shard_write_finish(&shard);
    lod_sparse_finish(&sparse);
    return bytes;
}

/* Returns numbers below `values`, a share of them zeros: from noise to repeating rows. */
static double *make_numbers(struct sample_chance *chance, uint32_t elements, uint64_t values)
{
    double *number = malloc((elements + 1) * sizeof(*number));

    for (uint32_t i = 0; i < elements; i++) {
        number[i] = (double)sample_below(chance, values) / 8 + (values > 100);
    }
    return number;
}

Test(tree_bound_write, no_tree_is_smaller_than_the_guess)
{
    struct sample_chance chance = {1};

    for (uint64_t values = 1; values < 1000000; values = values * 3 / 2 + 1) {
        for (uint32_t columns = 1; columns <= 40; columns += 13) {
            double *number = make_numbers(&chance, 300 * columns, values);
            const struct lod_toc_rows rows = {
                .dtype = LOD_DTYPE_F8, .rows = 300, .columns = columns, .dense = number};
            const struct bytes bytes = measure(&rows, 1 + (uint32_t)sample_below(&chance, 320));
            cr_assert(bytes.guess.tree_bytes_min <= bytes.tree || bytes.tree > bytes.raw,
                      "%llu values, %u columns", (unsigned long long)values, columns);
            free(number);
        }
    }
}

/* Without the bound the tree of such a table would be built and thrown away. */
Test(tree_bound_write, where_pairs_hardly_repeat_raw_is_known_to_be_smaller)
{
    struct sample_chance chance = {2};
    double *number = make_numbers(&chance, 1000 * 28, 6000);
    const struct lod_toc_rows rows = {
        .dtype = LOD_DTYPE_F8, .rows = 1000, .columns = 28, .dense = number};
    const struct bytes bytes = measure(&rows, 250);

    cr_assert_gt(bytes.guess.tree_bytes_min, bytes.guess.bytes);
    free(number);
}

Test(tree_bound_write, raw_is_guessed_right_until_it_is_settled)
{
    struct sample_chance chance = {3};

    for (size_t d = 0; d < sizeof(all_dtypes); d++) {
        for (int look = 0; look < SAMPLE_LOOKS; look++) {
            uint8_t *table = sample_table(&chance, (enum sample_look)look, all_dtypes[d], 200, 32);
            const struct lod_toc_rows rows = {
                .dtype = all_dtypes[d], .rows = 200, .columns = 32, .dense = table};
            const struct bytes bytes = measure(&rows, 50);
            cr_assert_eq(bytes.guess.bytes, bytes.raw, "dtype %x look %d", all_dtypes[d], look);
            cr_assert(bytes.guess.tree_bytes_min <= bytes.tree || bytes.tree > bytes.raw);
            free(table);
        }
    }
}
