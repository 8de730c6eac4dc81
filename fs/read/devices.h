/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the device that makes units (codec.h, lod_maker).
 *
 * - The host makes them until a faster device is found.
 * - The first unit that a device could make starts a thread. It opens the devices, measures them
 *   and the host on that unit, and chooses the fastest. So a mount never waits for a driver.
 * - Any thread may call. Create it after the mount's fork.
 */
#ifndef LOD_DEVICES_H
#define LOD_DEVICES_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"

struct lod_devices;
struct lod_gpu;

/*
 * Limit of host memory for all buffers of a device, which runs LOD_GPU_LANES jobs at once. The
 * device itself holds as much. A batch has 16 MiB unless one unit is larger, so a job rarely nears
 * its half of the limit. A job above its half goes to the host.
 */
#define LOD_DEVICES_BYTES_MAX (128u << 20)

/* The values of `-o gpu=`, ended by NULL. */
extern const char *const lod_devices_choices[];

/* `choice` is one of lod_devices_choices. A device that is named is used even if the host is
 * faster. */
LOD_MUST_CHECK int lod_devices_create(const char *choice, struct lod_devices **ret_devices);

/* Waits for the thread. Accepts NULL, returns NULL. */
struct lod_devices *lod_devices_destroy(struct lod_devices *devices);

/* Offers a unit that is being made on the host. The first one is copied, and devices are measured
 * on it. Accepts NULL. */
void lod_devices_offer(struct lod_devices *devices, const struct lod_maker *maker,
                       const struct lod_unit *unit);

/* Returns the device on which many units are made at once; NULL means the host. The device lives as
 * long as `devices`. Accepts NULL. */
struct lod_gpu *lod_devices_now(struct lod_devices *devices, const struct lod_maker *maker);

/* Counts a batch of `units` that was made on the device. Logs one line if the device has failed.
 * Accepts NULL. */
void lod_devices_made(struct lod_devices *devices, unsigned units);

#define LOD_DEVICES_TEXT 128
struct lod_devices_stats {
    const char *choice;
    const char *state;               /* "untried", "measuring", "host" or the device's kind */
    char label[LOD_DEVICES_TEXT];    /* the device's own name; "" without a device */
    char why_host[LOD_DEVICES_TEXT]; /* why the host was chosen; "" */
    uint64_t host_bytes_per_second, device_bytes_per_second; /* 0: not measured */
    uint64_t batches, units;                                 /* made on the device */
};
/* Accepts NULL, which means off. */
void lod_devices_stats(struct lod_devices *devices, struct lod_devices_stats *ret_stats);

#endif
