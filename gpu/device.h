/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a device back end: one const struct for each kind, one line in gpu.c's dispatch
 * table. The dispatcher checks arguments, gives each lane to one job at a time and repeats failed
 * jobs on the host, so back ends need not.
 */
#ifndef LOD_DEVICE_H
#define LOD_DEVICE_H

#include "gpu.h"

/*
 * The layout of a job's memory, the same on host and device: three inputs, status, output, each at
 * a multiple of LOD_GPU_ALIGN. Inputs and status are copied to the device; status and output are
 * copied back.
 */
struct lod_gpu_layout {
    uint32_t in[LOD_GPU_INPUTS];
    uint32_t status, out;
    uint32_t bytes;
};

struct lod_device; /* each back end defines its own */

/* Functions that return int: 0, or a negative errno with one sentence in why[LOD_GPU_LABEL]. */
struct lod_device_kind {
    const char *name;

    /* Opens the device and writes its own name to `label`. -ENODEV: there is no such device. */
    int (*open)(struct lod_pool *pool, struct lod_device **ret_device, char label[LOD_GPU_LABEL],
                char *why);
    void (*close)(struct lod_device *device);

    /* Returns false if the device is the host processor itself. NULL means always false. */
    bool (*is_apart)(const struct lod_device *device);

    /* Provides at least `bytes` of host memory for a lane. It is kept for later jobs and only
     * grows; growing loses its contents. */
    int (*reserve)(struct lod_device *device, unsigned lane, uint32_t bytes, uint8_t **ret_memory,
                   char *why);

    /* Runs a job in the memory reserved for its lane and blocks until it has ended. Lanes run
     * concurrently; each is used by one thread at a time. */
    int (*run)(struct lod_device *device, const struct lod_gpu_job *job,
               const struct lod_gpu_layout *layout, char *why);

    /* Optional, both or neither: see lod_gpu_keep and lod_gpu_release. */
    int (*keep)(struct lod_device *device, unsigned lane, uint32_t offset, uint64_t bytes,
                uint64_t *ret_address);
    void (*release)(struct lod_device *device, uint64_t address);
};

/* Writes a reason to why[LOD_GPU_LABEL] and returns `error`. */
LOD_PRINTF(3, 4) int lod_device_why(int error, char *why, const char *format, ...);

extern const struct lod_device_kind lod_device_host;
#ifdef LOD_OPENCL
extern const struct lod_device_kind lod_device_opencl;
#endif
#ifdef LOD_CUDA
extern const struct lod_device_kind lod_device_cuda;
#endif

/* For tests: opens a kind of device that is not in the dispatch table. */
LOD_MUST_CHECK int lod_gpu_open_kind(const struct lod_device_kind *kind, struct lod_pool *pool,
                                     struct lod_gpu **ret_gpu, char *why, size_t why_room);

#endif
