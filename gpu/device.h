/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE device table: one const struct a kind of device, one line in gpu.c. gpu.c checks arguments,
 * gives a lane to one job at a time and does failed jobs again on the host; a back end assumes it.
 */
#ifndef LOD_DEVICE_H
#define LOD_DEVICE_H

#include "gpu.h"

/*
 * A job's memory, once on the host and once on the device: in, in, in, status, out, each at a
 * multiple of LOD_GPU_ALIGN. Inputs and status travel there, status and out back.
 */
struct lod_gpu_layout {
    uint32_t in[LOD_GPU_INPUTS];
    uint32_t status, out;
    uint32_t bytes;
};

struct lod_device; /* each back end has its own */

/* All int results: 0 or a negative errno with one sentence in why[LOD_GPU_LABEL]. */
struct lod_device_kind {
    const char *name;

    /* -ENODEV: none here. `label` gets the device's own name. */
    int (*open)(struct lod_pool *pool, struct lod_device **ret_device, char label[LOD_GPU_LABEL],
                char *why);
    void (*close)(struct lod_device *device);

    /* Is it something else than the processor? NULL: no. */
    bool (*is_apart)(const struct lod_device *device);

    /* Host memory of at least `bytes` for a lane, kept and grown; what it held is lost. */
    int (*reserve)(struct lod_device *device, unsigned lane, uint32_t bytes, uint8_t **ret_memory,
                   char *why);

    /* Compiles what has not been, as run does. Any thread. NULL: nothing to compile. */
    int (*prepare)(struct lod_device *device, const struct lod_kernel *kernel, char *why);

    /* Runs a job on the memory that was reserved for its lane, and waits for it. Lanes run side by
     * side, each in one thread at a time. */
    int (*run)(struct lod_device *device, const struct lod_gpu_job *job,
               const struct lod_gpu_layout *layout, char *why);

    /* Optional, both or neither: see lod_gpu_keep. */
    int (*keep)(struct lod_device *device, unsigned lane, uint32_t offset, uint64_t bytes,
                uint64_t *ret_address);
    void (*release)(struct lod_device *device, uint64_t address);
};

/* A reason into why[LOD_GPU_LABEL]; returns `error`. */
LOD_PRINTF(3, 4) int lod_device_why(int error, char *why, const char *format, ...);

extern const struct lod_device_kind lod_device_host;
#ifdef LOD_OPENCL
extern const struct lod_device_kind lod_device_opencl;
#endif
#ifdef LOD_CUDA
extern const struct lod_device_kind lod_device_cuda;
#endif

/* For tests: a device of a table row that is not in the table. */
LOD_MUST_CHECK int lod_gpu_open_kind(const struct lod_device_kind *kind, struct lod_pool *pool,
                                     struct lod_gpu **ret_gpu, char *why, size_t why_room);

#endif
