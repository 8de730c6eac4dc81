/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that compute bytes in bulk: an open device, and jobs run on it. A job is a number of
 * independent work groups. A GPU runs each as one thread block; the host calls the kernel's C twin,
 * its reference implementation, once for each. This interface names no codec and prints nothing.
 *
 *     lod_gpu_open("opencl")               opens host, opencl or cuda
 *     lod_gpu_begin(kernel, sizes)         blocks until a lane is free; then fill the inputs
 *     lod_gpu_run(job)                     blocks until output and status are written
 *     lod_gpu_end(job)                     frees the lane
 *
 * A lane is the memory, the stream and the kernel objects for one job in flight. There are
 * LOD_GPU_LANES of them. When two threads run jobs, the copies of one overlap the kernel of the
 * other.
 *
 * A device that fails once is never used again. The failed job and all later ones run on the host,
 * and lod_gpu_failure returns the reason, so that the owner can warn once. All functions are
 * thread-safe unless they say otherwise.
 */
#ifndef LOD_GPU_H
#define LOD_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pool.h"

#define LOD_GPU_LANES   2u
#define LOD_GPU_INPUTS  3u
#define LOD_GPU_ALIGN   256u /* of inputs, status and output; the whole is aligned to 64 */
#define LOD_GPU_LABEL   128u /* size of a device's name and of a failure's reason */
#define LOD_GPU_THREADS 256u /* most threads of a work group */

/* The most memory that a job may take. Kernels use 32-bit offsets. */
#define LOD_GPU_JOB_BYTES_MAX (1ull << 30)

struct lod_gpu;
struct lod_gpu_job;

/*
 * A kernel for devices: one source that is both OpenCL C and CUDA C after gpu/prelude.cl, and the
 * same function in C. The struct is static and identified by its address.
 */
struct lod_kernel {
    const char *name;      /* of the entry point in the source */
    const char *source;    /* borrowed; must live as long as the program */
    const uint8_t *fatbin; /* compiled for CUDA at build time; NULL: NVRTC compiles `source` */
    size_t fatbin_bytes;
    unsigned threads; /* of a work group */

    /* Does the work of one group: reads `in`, writes its share of `out` and status[group]. */
    void (*twin)(const struct lod_gpu_job *job, uint32_t group);
};

/* One job. Lives on its caller's stack between begin and end. */
struct lod_gpu_job {
    struct lod_gpu *gpu;
    const struct lod_kernel *kernel;
    uint32_t groups;
    unsigned lane;
    uint8_t *in[LOD_GPU_INPUTS]; /* filled by the caller between begin and run */
    uint64_t in_bytes[LOD_GPU_INPUTS];
    uint32_t *status; /* one word a work group, 0 after begin; the kernel sets it */
    uint8_t *out;     /* undefined after begin */
    uint64_t out_bytes;
    bool stays; /* set before run: `out` is for lod_gpu_keep only and is not copied back */
};

/*
 * Opens the device named `name` in the dispatch table. `pool` is borrowed and may be NULL; the host
 * device then works in the calling thread. Returns -ENODEV with one sentence in `why` if there is
 * no such device, driver or library. Call after fork. Opening can take seconds, so never call it
 * while mounting.
 */
LOD_MUST_CHECK int lod_gpu_open(const char *name, struct lod_pool *pool, struct lod_gpu **ret_gpu,
                                char *why, size_t why_room);

/* Closes the device. Accepts NULL, returns NULL. No job may be between begin and end. */
struct lod_gpu *lod_gpu_close(struct lod_gpu *gpu);

/* Returns name number `index` of the dispatch table, fastest kind first; NULL past the last. */
const char *lod_gpu_name(unsigned index);

/* Returns the device that runs jobs now: "cuda", "opencl", or "host", also after a failure. */
const char *lod_gpu_kind(struct lod_gpu *gpu);

/* Returns the device's own name, which lives as long as `gpu`. */
const char *lod_gpu_label(struct lod_gpu *gpu);

/* Returns why the device was abandoned, or NULL if it was not. Lives as long as `gpu`. */
const char *lod_gpu_failure(struct lod_gpu *gpu);

/*
 * Lowers the memory limit of a job from LOD_GPU_JOB_BYTES_MAX. A job takes that much twice: pinned
 * on the host, and on the device. Call before the first job.
 */
void lod_gpu_limit(struct lod_gpu *gpu, uint32_t job_bytes_max);

/*
 * Begins a job: blocks until a lane is free and lays out its memory. Returns -E2BIG above the
 * limit, or -ENOMEM. End the job with lod_gpu_end.
 */
LOD_MUST_CHECK int lod_gpu_begin(struct lod_gpu *gpu, const struct lod_kernel *kernel,
                                 uint32_t groups, const uint64_t in_bytes[LOD_GPU_INPUTS],
                                 uint64_t out_bytes, struct lod_gpu_job *ret_job);
void lod_gpu_run(struct lod_gpu_job *job);
void lod_gpu_end(struct lod_gpu_job *job);

/*
 * Copies the job's output to device memory of its own and returns its address there, for other
 * users of CUDA's primary context. It outlives the job; free it with lod_gpu_release. Call after
 * run. Returns -ENOTSUP if the device has no such addresses or was abandoned, -ENOMEM or -EIO.
 */
LOD_MUST_CHECK int lod_gpu_keep(struct lod_gpu_job *job, uint64_t *ret_address);
void lod_gpu_release(struct lod_gpu *gpu, uint64_t address);

/*
 * Returns whether the device is separate from the host processor. OpenCL on the processor is not.
 */
bool lod_gpu_is_separate(struct lod_gpu *gpu);

#endif
