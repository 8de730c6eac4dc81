/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which device makes units (codec.h, lod_maker): the host, until a faster one was found. Nothing is
 * opened before the first unit that a device could make; then a thread of its own opens devices,
 * measures them against the host on that very unit, and takes the faster. So a mount never waits
 * for a driver. Any thread may call; the owner creates it behind a fork.
 */
#ifndef LOD_DEVICES_H
#define LOD_DEVICES_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"

struct lod_devices;
struct lod_gpu;

/*
 * Host memory of all buffers of a device together, for its LOD_GPU_LANES jobs at a time; the device
 * itself holds as much. Batches are of 16 MiB unless a single unit takes more, so a job seldom
 * comes near its half; one that would pass it is left to the host.
 */
#define LOD_DEVICES_BYTES_MAX (128u << 20)

/* "auto", "off", "opencl", "cuda": what `-o gpu=` takes. NULL past the last. */
const char *lod_devices_choice(unsigned index);

/* `choice` is one of these; all but auto and off take that device whatever the host could do. */
LOD_MUST_CHECK int lod_devices_create(const char *choice, struct lod_devices **ret_devices);

/* Waits for the thread. Accepts NULL, returns NULL. */
struct lod_devices *lod_devices_destroy(struct lod_devices *devices);

/* A unit that is being made on the host: the first one is copied, and devices are measured on it.
 * Accepts NULL. */
void lod_devices_offer(struct lod_devices *devices, const struct lod_maker *maker,
                       const struct lod_unit *unit);

/* The device to make units on, many at once; NULL: the host. Accepts NULL. Lives as long as
 * `devices`. */
struct lod_gpu *lod_devices_now(struct lod_devices *devices, const struct lod_maker *maker);

/* A batch of `units` was made: counts it, and logs one line if that was where the device failed.
 * Accepts NULL. */
void lod_devices_made(struct lod_devices *devices, unsigned units);

#define LOD_DEVICES_TEXT 128
struct lod_devices_stats {
    const char *choice;
    const char *state;               /* "untried", "measuring", "host" or the device's kind */
    char label[LOD_DEVICES_TEXT];    /* the device's own name; "" if there is none */
    char why_host[LOD_DEVICES_TEXT]; /* why it is the host; "" */
    uint64_t host_bytes_per_second, device_bytes_per_second; /* 0: not measured */
    uint64_t batches, units;                                 /* made on the device */
};
/* Accepts NULL: off. */
void lod_devices_stats(struct lod_devices *devices, struct lod_devices_stats *ret_stats);

#endif
