/* SPDX-License-Identifier: Apache-2.0 */
/* See device_sample.h. */
#include "read/device_sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "gpu.h"

#define SAMPLE_BYTES_MAX (16u << 20) /* of the units of one measured batch */
#define SAMPLE_UNITS_MAX 64u
#define HOST_NS          30000000u /* the host is measured for at least this long */
#define ROUNDS           3u        /* of the device; the best counts, after one unmeasured run */

static int copy_inputs(const struct lod_inputs *from, struct lod_inputs *to)
{
    *to = (struct lod_inputs){0};
    for (unsigned i = 0; i < from->count; i++) {
        uint8_t *data = malloc(from->input[i].data.bytes + 1);
        if (!data) {
            return -ENOMEM;
        }
        memcpy(data, from->input[i].data.at, from->input[i].data.bytes);
        to->input[i] = from->input[i];
        to->input[i].data.at = data;
        to->count++;
    }
    return 0;
}

int lod_device_sample_take(struct lod_device_sample *sample, const struct lod_maker *maker,
                           const struct lod_unit *unit)
{
    sample->maker = maker;
    sample->unit = *unit;
    memcpy(sample->row, unit->row, LOD_ROW_BYTES);
    return copy_inputs(unit->inputs, &sample->inputs);
}

void lod_device_sample_finish(struct lod_device_sample *sample)
{
    for (unsigned i = 0; i < sample->inputs.count; i++) {
        free((void *)(uintptr_t)sample->inputs.input[i].data.at);
    }
    sample->inputs.count = 0;
}

static unsigned batch_count(size_t bytes)
{
    size_t count = SAMPLE_BYTES_MAX / bytes;

    return count < 1 ? 1 : count < SAMPLE_UNITS_MAX ? (unsigned)count : SAMPLE_UNITS_MAX;
}

int lod_device_batch_init(const struct lod_device_sample *sample,
                          struct lod_device_batch *ret_batch)
{
    const unsigned count = batch_count(sample->unit.bytes);
    struct lod_unit *units = calloc(count, sizeof(*units));
    uint8_t *memory = malloc(count * sample->unit.bytes);

    if (!units || !memory) {
        free(units);
        free(memory);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < count; i++) {
        units[i] = sample->unit;
        units[i].row = sample->row;
        units[i].inputs = &sample->inputs;
        units[i].into = memory + i * sample->unit.bytes;
    }
    *ret_batch = (struct lod_device_batch){.units = units, .count = count, .memory = memory};
    return 0;
}

void lod_device_batch_finish(struct lod_device_batch *batch)
{
    free(batch->units);
    free(batch->memory);
}

static uint64_t rate(uint64_t bytes, uint64_t ns)
{
    return ns ? (uint64_t)((double)bytes / (double)ns * 1e9) : 0;
}

uint64_t lod_device_sample_host(const struct lod_device_sample *sample,
                                const struct lod_device_batch *batch)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t began = lod_clock_ns(), made = 0;

    do {
        if (sample->maker->make(sample->row, sample->unit.form, sample->unit.unit, &sample->inputs,
                                batch->memory, sample->unit.bytes) != 0) {
            return 0;
        }
        made += sample->unit.bytes;
    } while (lod_clock_ns() - began < HOST_NS);
    return rate(made, lod_clock_ns() - began) * (uint64_t)(cores > 0 ? cores : 1);
}

uint64_t lod_device_sample_gpu(const struct lod_device_sample *sample,
                               const struct lod_device_batch *batch, struct lod_gpu *gpu,
                               const atomic_bool *ending)
{
    uint64_t best = 0;

    for (unsigned round = 0; round <= ROUNDS && !atomic_load(ending); round++) {
        uint64_t began = lod_clock_ns();
        if (sample->maker->make_many(gpu, batch->units, batch->count) != 0 ||
            batch->units[0].error || lod_gpu_failure(gpu)) {
            return 0;
        }
        uint64_t found = rate(batch->count * (uint64_t)sample->unit.bytes, lod_clock_ns() - began);
        best = round && found > best ? found : best;
    }
    return best;
}
