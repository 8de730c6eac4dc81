/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample unit on which the host and the devices are measured.
 *
 * - The host makes the unit repeatedly on one core. The result is multiplied by the number of
 *   cores.
 * - A device makes a batch of copies of the unit. Copying to and from the device is included, since
 *   a read has to wait for it.
 */
#ifndef LOD_DEVICE_SAMPLE_H
#define LOD_DEVICE_SAMPLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"

struct lod_gpu;

/* Owns all its members. All zero means empty. */
struct lod_device_sample {
    const struct lod_maker *maker;
    uint8_t row[LOD_ROW_BYTES];
    struct lod_unit unit;
    struct lod_inputs inputs;
};

/* Copies of a sample. Inputs are borrowed from the sample; each unit has its own output bytes in
 * `memory`. */
struct lod_device_batch {
    struct lod_unit *units;
    unsigned count;
    uint8_t *memory;
};

/* Copies a unit and its inputs. Returns -ENOMEM; call lod_device_sample_finish then too. */
LOD_MUST_CHECK int lod_device_sample_take(struct lod_device_sample *sample,
                                          const struct lod_maker *maker,
                                          const struct lod_unit *unit);
void lod_device_sample_finish(struct lod_device_sample *sample);

/* Makes as many copies as a batch of a mount has. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_device_batch_init(const struct lod_device_sample *sample,
                                         struct lod_device_batch *ret_batch);
void lod_device_batch_finish(struct lod_device_batch *batch);

/* Returns the bytes per second of all cores together; 0 if the unit cannot be made. */
uint64_t lod_device_sample_host(const struct lod_device_sample *sample,
                                const struct lod_device_batch *batch);

/* Returns the bytes per second of a device; 0 if it failed. Stops early once `ending` is set. */
uint64_t lod_device_sample_gpu(const struct lod_device_sample *sample,
                               const struct lod_device_batch *batch, struct lod_gpu *gpu,
                               const atomic_bool *ending);

#endif
