/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit that the host and devices are measured on: the host makes it over and over, times its
 * cores; a device makes a batch of copies of it, the copies there and back included, which is what
 * a read has to wait for.
 */
#ifndef LOD_DEVICE_SAMPLE_H
#define LOD_DEVICE_SAMPLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"

struct lod_gpu;

/* All of it ours. All zero: none. */
struct lod_device_sample {
    const struct lod_maker *maker;
    uint8_t row[LOD_ROW_BYTES];
    struct lod_unit unit;
    struct lod_inputs inputs;
};

/* Copies of a sample, which they borrow from, each with bytes of its own to be made in `memory`. */
struct lod_device_batch {
    struct lod_unit *units;
    unsigned count;
    uint8_t *memory;
};

/* Copies a unit and its inputs. -ENOMEM: what there is of it is still to be finished. */
LOD_MUST_CHECK int lod_device_sample_take(struct lod_device_sample *sample,
                                          const struct lod_maker *maker,
                                          const struct lod_unit *unit);
void lod_device_sample_finish(struct lod_device_sample *sample);

/* As many as a batch of a mount has. -ENOMEM. */
LOD_MUST_CHECK int lod_device_batch_init(const struct lod_device_sample *sample,
                                         struct lod_device_batch *ret_batch);
void lod_device_batch_finish(struct lod_device_batch *batch);

/* Bytes a second of all cores together; 0: the unit cannot be made. */
uint64_t lod_device_sample_host(const struct lod_device_sample *sample,
                                const struct lod_device_batch *batch);

/* Bytes a second of a device; 0: it failed. Stops early once nobody needs to know. */
uint64_t lod_device_sample_gpu(const struct lod_device_sample *sample,
                               const struct lod_device_batch *batch, struct lod_gpu *gpu,
                               const atomic_bool *ending);

#endif
