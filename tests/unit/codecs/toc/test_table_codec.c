/* SPDX-License-Identifier: Apache-2.0 */
/* Tables cut into shards, encoded, and made again unit by unit; malicious rows. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encoder.h"
#include "toc/shard/dtype.h"
#include "toc/source/table.h"
#include "toc/table_row.h"

#define HEADER 128u

static struct lod_data_table make(uint8_t dtype, uint64_t rows, uint32_t columns,
                                  struct lod_table_options cut)
{
    struct lod_data_table table = {.kind = LOD_TABLE_NPY,
                                   .stored = true,
                                   .dtype = dtype,
                                   .rows = rows,
                                   .columns = columns,
                                   .header_bytes = HEADER};

    table.file_bytes = HEADER + rows * columns * lod_dtype_bytes(dtype);
    cr_assert_eq(lod_table_cut(&table, &cut), 0);
    return table;
}

Test(table_codec, cuts)
{
    struct lod_data_table t = make(LOD_DTYPE_F8, 100000, 118, (struct lod_table_options){0});

    cr_assert(t.batch_rows == 250 && t.shard_rows == 5000 && t.shards == 20);
    cr_assert(t.shard_rows % t.unit_rows == 0 && t.unit_rows % 250 == 0);
    cr_assert(t.unit_rows * 944ull >= LOD_TABLE_UNIT_BYTES);
    t = make(LOD_DTYPE_F4, 100000, 1024, (struct lod_table_options){0});
    cr_assert(t.shard_rows == 5000 && t.unit_rows == 1000, "an eighth of a shard, or more");
    t = make(LOD_DTYPE_U1, 1000000, 1, (struct lod_table_options){.shard_rows = 10});
    cr_assert_geq(t.unit_rows, LOD_TABLE_UNIT_MIN, "a read of 1 MiB touches few units");
    t = make(LOD_DTYPE_F8, 100, 1000000, (struct lod_table_options){0});
    cr_assert(t.shard_rows == 8 && t.shards == 13 && t.unit_rows == 8, "long rows");
    t = make(LOD_DTYPE_F8, 0, 3, (struct lod_table_options){0});
    cr_assert_eq(t.shards, 0);
    t.columns = (62 << 20) / 8 + 1;
    cr_assert_eq(lod_table_cut(&t, &(struct lod_table_options){0}), -E2BIG);
    t.columns = 0;
    cr_assert_eq(lod_table_cut(&t, &(struct lod_table_options){0}), -E2BIG);
}

/* With all options, units are not too small, and a reader accepts the row. */
Test(table_codec, every_cut_is_legal)
{
    static const uint32_t columns[] = {1, 7, 64, 130, 1000, 9000, 200000, 3000000};
    static const uint32_t numbers[] = {0, 1, 3, 20, 50, 127, 128, 129, 250, 1000, 70000, 1u << 30};
    const unsigned count = sizeof(numbers) / sizeof(numbers[0]);
    uint64_t bytes[LOD_GROUPS_MAX];
    static const uint8_t header[HEADER];

    for (unsigned i = 0; i < 8 * count * count; i++) {
        struct lod_table_options cut = {.shard_rows = numbers[i / 8 % count],
                                        .batch_rows = numbers[i / 8 / count]};
        struct lod_data_table t = make(LOD_DTYPE_F8, 1000003, columns[i % 8], cut);
        struct lod_encoded item = {0};
        struct lod_span span = {header, HEADER};
        cr_assert_eq(lod_encoder_toc.encode_part(&t, 0, span, &item), 0);
        cr_assert_eq(lod_codec_segments(&lod_codec_toc, item.row, bytes), 0,
                     "%u columns, %u rows a shard, %u a batch", columns[i % 8], cut.shard_rows,
                     cut.batch_rows);
        lod_encoded_finish(&item);
    }
}

static uint8_t *random_table(const struct lod_data_table *t)
{
    uint8_t *bytes = calloc(1, t->file_bytes);

    for (uint64_t i = 0; i < t->file_bytes; i++) {
        bytes[i] = i < HEADER ? (uint8_t)i : (uint8_t)(rand() % 4 ? 0 : rand());
    }
    return bytes;
}

/* Encodes all shards, then makes every unit from them as a mount does. */
static void check_there_and_back(const struct lod_data_table *t)
{
    const uint64_t row_bytes = (uint64_t)t->columns * lod_dtype_bytes(t->dtype);
    const struct lod_maker *maker = lod_codec_toc.maker;
    struct lod_encoded *items = calloc(t->shards + 1, sizeof(items[0]));
    uint8_t *bytes = random_table(t), *made = malloc(t->file_bytes);
    struct lod_plan plan;

    cr_assert_eq(lod_encoder_toc.encode_part(t, 0, (struct lod_span){bytes, HEADER}, &items[0]), 0);
    for (uint32_t i = 0; i < t->shards; i++) {
        struct lod_shard_rows at = lod_table_shard(t, i);
        struct lod_span span = {bytes + HEADER + at.first * row_bytes, at.rows * row_bytes};
        cr_assert_eq(lod_encoder_toc.encode_part(t, i + 1, span, &items[i + 1]), 0);
        span.bytes--;
        struct lod_encoded none = {0};
        cr_assert_eq(lod_encoder_toc.encode_part(t, i + 1, span, &none), -EILSEQ);
    }
    const uint8_t *row = items[0].row;
    cr_assert_eq(lod_codec_plan(&lod_codec_toc, row, LOD_FORMAT_TREE, LOD_Q1, &plan), 0);
    cr_assert_eq(plan.bytes, t->file_bytes);
    cr_assert_eq(lod_codec_toc.source_bytes(row), t->file_bytes);
    cr_assert_eq(lod_codec_toc.source_bytes(items[t->shards].row), t->shards ? 0 : t->file_bytes);
    cr_assert_eq(maker->ahead(row), t->shards);
    const uint64_t unit_bytes = maker->unit_bytes(row, 0), all = t->file_bytes - HEADER;
    for (uint64_t unit = 0; unit * unit_bytes < all; unit++) {
        const uint64_t left = all - unit * unit_bytes;
        struct lod_inputs inputs = {0};
        cr_assert_eq(maker->need(row, 0, unit, &inputs), 0);
        struct lod_input *input = &inputs.input[0];
        cr_assert(inputs.count == 1 && input->slot == LOD_SLOT_AHEAD && input->group == 1);
        cr_assert(input->ahead >= 1 && input->ahead <= t->shards);
        input->data = lod_buf_span(&items[input->ahead].group[0]);
        memcpy(input->row, items[input->ahead].row, LOD_ROW_BYTES);
        cr_assert_eq(maker->make(row, 0, unit, &inputs, made + unit * unit_bytes,
                                 left < unit_bytes ? left : unit_bytes),
                     0);
        lod_put_le32(input->row + LOD_SHARD_ROW_NUMBER, input->ahead);
        cr_assert_eq(maker->make(row, 0, unit, &inputs, made, 0), -EILSEQ, "another's shard");
    }
    cr_assert(memcmp(made, bytes + HEADER, all) == 0);
    for (uint32_t i = 0; i <= t->shards; i++) {
        lod_encoded_finish(&items[i]);
    }
    free(items);
    free(bytes);
    free(made);
}

Test(table_codec, there_and_back)
{
    static const uint8_t dtypes[] = {LOD_DTYPE_BOOL,
                                     LOD_DTYPE_I1,
                                     LOD_DTYPE_U2,
                                     LOD_DTYPE_F2,
                                     LOD_DTYPE_F4 | LOD_DTYPE_BIG_ENDIAN,
                                     LOD_DTYPE_I8,
                                     LOD_DTYPE_F8};
    struct lod_data_table t;

    for (size_t i = 0; i < sizeof(dtypes); i++) {
        t = make(dtypes[i], 1999, 61,
                 (struct lod_table_options){.shard_rows = 600, .batch_rows = 50});
        check_there_and_back(&t);
    }
    t = make(LOD_DTYPE_F8, 0, 5, (struct lod_table_options){0});
    check_there_and_back(&t);
    t = make(LOD_DTYPE_F8, 1, 1, (struct lod_table_options){0});
    check_there_and_back(&t);
    t = make(LOD_DTYPE_U1, 300000, 1, (struct lod_table_options){0});
    check_there_and_back(&t);
}

Test(table_codec, columns_first)
{
    struct lod_data_table t = make(LOD_DTYPE_U2, 7, 3, (struct lod_table_options){0});
    struct lod_encoded a = {0}, b = {0};
    uint16_t by_row[21], by_column[21];

    for (uint16_t i = 0; i < 21; i++) {
        by_row[i] = by_column[(i % 3) * 7 + i / 3] = (uint16_t)(i * i);
    }
    cr_assert_eq(lod_encoder_toc.encode_part(&t, 1, (struct lod_span){(uint8_t *)by_row, 42}, &a),
                 0);
    t.by_column = true;
    cr_assert_eq(
        lod_encoder_toc.encode_part(&t, 1, (struct lod_span){(uint8_t *)by_column, 42}, &b), 0);
    cr_assert_eq(a.group[0].bytes, b.group[0].bytes);
    cr_assert(memcmp(a.group[0].data, b.group[0].data, a.group[0].bytes) == 0);
    lod_encoded_finish(&a);
    lod_encoded_finish(&b);
}

/* Changes every bit of a row in turn: it is refused, or its plan is within the limits. */
static void check_rows(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_plan plan;

    for (unsigned bit = 0; bit < LOD_ROW_BYTES * 8; bit++) {
        uint8_t changed[LOD_ROW_BYTES];
        memcpy(changed, row, sizeof(changed));
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int error = lod_codec_plan(&lod_codec_toc, changed, LOD_FORMAT_TREE, LOD_FULL, &plan);
        cr_assert(error == 0 || error == -EILSEQ);
        if (!error && plan.count == 2) {
            const uint64_t unit = lod_codec_toc.maker->unit_bytes(changed, 0);
            cr_assert(unit >= LOD_TABLE_UNIT_MIN || unit >= plan.pieces[1].bytes);
            cr_assert_lt(lod_codec_toc.maker->cost(changed, 0), 256ull << 20);
        }
    }
}

Test(table_codec, rows_that_mean_harm)
{
    const struct lod_data_table t = make(LOD_DTYPE_F4, 5000, 100, (struct lod_table_options){0});
    uint8_t row[LOD_ROW_BYTES] = {0};
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_encoded table = {0}, shard = {0};
    uint8_t *file = random_table(&t);

    cr_assert_eq(lod_encoder_toc.encode_part(&t, 0, (struct lod_span){file, HEADER}, &table), 0);
    cr_assert_eq(lod_encoder_toc.encode_part(
                     &t, 1, (struct lod_span){file + HEADER, t.file_bytes - HEADER}, &shard),
                 0);
    check_rows(table.row);
    check_rows(shard.row);
    cr_assert_eq(lod_codec_segments(&lod_codec_toc, row, bytes), -EILSEQ, "all zero");
    memset(row, 0xff, sizeof(row));
    row[0] = 0;
    cr_assert_eq(lod_codec_segments(&lod_codec_toc, row, bytes), -EILSEQ);
    lod_encoded_finish(&table);
    lod_encoded_finish(&shard);
    free(file);
}
