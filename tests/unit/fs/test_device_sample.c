/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "read/device_sample.h"

static int answer;

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    (void)form;
    (void)unit;
    memset(into, row[0] + inputs->input[0].data.at[0], bytes);
    return answer;
}

static int make_many(struct lod_gpu *gpu, struct lod_unit *units, unsigned count)
{
    (void)gpu;
    (void)units;
    return count ? -EIO : 0;
}

static const struct lod_maker maker = {.make = make, .make_many = make_many};

/* A unit whose row and input are overwritten after they were copied. */
static void take(struct lod_device_sample *sample, size_t bytes)
{
    uint8_t row[LOD_ROW_BYTES] = {3}, data[2] = {4, 5};
    struct lod_inputs inputs = {.count = 1, .input[0].data = {.at = data, .bytes = sizeof(data)}};
    struct lod_unit unit = {.row = row, .inputs = &inputs, .bytes = bytes};

    memset(sample, 0, sizeof(*sample));
    cr_assert_eq(lod_device_sample_take(sample, &maker, &unit), 0);
    memset(row, 0xff, sizeof(row));
    memset(data, 0xff, sizeof(data));
}

Test(device_sample, a_sample_owns_its_inputs_and_each_copy_its_output)
{
    struct lod_device_sample sample;
    struct lod_device_batch batch;

    take(&sample, 1000);
    cr_assert_eq(sample.row[0], 3);
    cr_assert_eq(sample.inputs.input[0].data.at[1], 5);
    cr_assert_eq(lod_device_batch_init(&sample, &batch), 0);
    for (unsigned i = 0; i < batch.count; i++) {
        cr_assert_eq(batch.units[i].into, batch.memory + 1000 * i);
        cr_assert_eq(batch.units[i].row, sample.row);
        cr_assert_eq(batch.units[i].inputs, &sample.inputs);
    }
    lod_device_batch_finish(&batch);
    lod_device_sample_finish(&sample);
    lod_device_sample_finish(&sample);
}

Test(device_sample, a_batch_has_16_mib_and_1_to_64_units)
{
    static const struct {
        size_t bytes;
        unsigned count;
    } units[] = {{1, 64}, {256 << 10, 64}, {1 << 20, 16}, {16 << 20, 1}, {17 << 20, 1}};

    for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        struct lod_device_sample sample;
        struct lod_device_batch batch;
        take(&sample, units[i].bytes);
        cr_assert_eq(lod_device_batch_init(&sample, &batch), 0);
        cr_assert_eq(batch.count, units[i].count, "%zu bytes", units[i].bytes);
        lod_device_batch_finish(&batch);
        lod_device_sample_finish(&sample);
    }
}

Test(device_sample, a_unit_that_cannot_be_made_has_no_rate)
{
    struct lod_device_sample sample;
    struct lod_device_batch batch;
    atomic_bool ending = false;

    take(&sample, 4096);
    cr_assert_eq(lod_device_batch_init(&sample, &batch), 0);
    cr_assert_gt(lod_device_sample_host(&sample, &batch), 0);
    cr_assert_eq(batch.memory[4095], 7);
    answer = -EILSEQ;
    cr_assert_eq(lod_device_sample_host(&sample, &batch), 0);
    cr_assert_eq(lod_device_sample_gpu(&sample, &batch, NULL, &ending), 0);
    lod_device_batch_finish(&batch);
    lod_device_sample_finish(&sample);
}
