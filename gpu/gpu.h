/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where bytes are computed in bulk: an open device, and jobs run on it. A job is many groups of the
 * same work, a group a thread block on a device, or a call of the kernel's C twin on the host. What
 * is computed is a kernel's business; no codec is named here, and nothing is printed.
 *
 *     lod_gpu_open("opencl")               host, opencl or cuda
 *     lod_gpu_begin(kernel, sizes)         waits for a lane; the job's memory can be filled
 *     lod_gpu_run(job)                     out and status are there
 *     lod_gpu_end(job)                     the lane is free for others
 *
 * There are LOD_GPU_LANES lanes, each with memory, stream and kernels of its own: with as many
 * threads at work, the copies of one job overlap the kernel of another.
 *
 * A device that fails is dropped for good: the job is done on the host, as are all later ones, and
 * lod_gpu_failure says why, so that its owner can warn once. Any thread may call.
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
#define LOD_GPU_ALIGN   256u /* of every part within a job's memory, which is aligned to 64 */
#define LOD_GPU_LABEL   128u /* bytes of a device's own name, and of the reason of a failure */
#define LOD_GPU_THREADS 256u /* of a group, at most */

/* A job's memory in all; offsets of a kernel are 32 bits. */
#define LOD_GPU_JOB_BYTES_MAX (1ull << 30)

struct lod_gpu;
struct lod_gpu_job;

/*
 * What a device runs: one text for OpenCL C and CUDA C, behind gpu/prelude.cl, which says how an
 * entry is declared and what it is given; and the same in C. Static, compared by address.
 */
struct lod_kernel {
    const char *name;   /* of the entry in the text */
    const char *source; /* borrowed for the life of the program */
    const uint8_t
        *fatbin; /* the text compiled for CUDA at build time; NULL: by NVRTC at run time */
    size_t fatbin_bytes;
    unsigned threads; /* of a group */

    /* The work of one group: reads in, writes its part of out and status[group]. */
    void (*twin)(const struct lod_gpu_job *job, uint32_t group);
};

/* One job; lives on its caller's stack between begin and end. */
struct lod_gpu_job {
    struct lod_gpu *gpu;
    const struct lod_kernel *kernel;
    uint32_t groups;
    unsigned lane;
    uint8_t *in[LOD_GPU_INPUTS]; /* filled by the caller between begin and run */
    uint64_t in_bytes[LOD_GPU_INPUTS];
    uint32_t *status; /* one a group, 0 after begin: the kernel's word on each */
    uint8_t *out;     /* undefined after begin */
    uint64_t out_bytes;
    bool stays; /* set before run: out is for lod_gpu_keep alone and need not travel back */
};

/*
 * Opens a device by its name in the table. `pool`, borrowed, may be NULL: the host then works in
 * the thread that asks. -ENODEV with one sentence in `why`: no such device, driver or library here.
 * Device and driver are asked here, which can take seconds: not on the way to a mount. After fork.
 */
LOD_MUST_CHECK int lod_gpu_open(const char *name, struct lod_pool *pool, struct lod_gpu **ret_gpu,
                                char *why, size_t why_room);

/* No job may be between begin and end. Accepts NULL, returns NULL. */
struct lod_gpu *lod_gpu_close(struct lod_gpu *gpu);

/* The index-th name of the table, fastest kind first; NULL past the last. */
const char *lod_gpu_name(unsigned index);

/* "cuda", "opencl" or "host": what jobs run on now; "host" once a device was dropped. */
const char *lod_gpu_kind(struct lod_gpu *gpu);

/* The device's own name for itself; lives as long as `gpu`. */
const char *lod_gpu_label(struct lod_gpu *gpu);

/* Why the device was dropped; NULL: it was not. Lives as long as `gpu`. */
const char *lod_gpu_failure(struct lod_gpu *gpu);

/* Compiles a kernel for all lanes, so that its first job does not wait for that. */
void lod_gpu_prepare(struct lod_gpu *gpu, const struct lod_kernel *kernel);

/*
 * No job may take more than so many bytes, LOD_GPU_JOB_BYTES_MAX at first: what it takes here,
 * pinned, and on the device each. Before the first job.
 */
void lod_gpu_limit(struct lod_gpu *gpu, uint32_t job_bytes_max);

/* -E2BIG: past that limit; -ENOMEM. */
LOD_MUST_CHECK int lod_gpu_begin(struct lod_gpu *gpu, const struct lod_kernel *kernel,
                                 uint32_t groups, const uint64_t in_bytes[LOD_GPU_INPUTS],
                                 uint64_t out_bytes, struct lod_gpu_job *ret_job);
void lod_gpu_run(struct lod_gpu_job *job);
void lod_gpu_end(struct lod_gpu_job *job);

/*
 * The job's output as memory of the device that stays there after the job's end: its address for
 * other users of the device (CUDA's primary context). After run. -ENOTSUP: this device has no such
 * addresses, or was dropped; -ENOMEM; -EIO.
 */
LOD_MUST_CHECK int lod_gpu_keep(struct lod_gpu_job *job, uint64_t *ret_address);
void lod_gpu_release(struct lod_gpu *gpu, uint64_t address);

/* Is it something else than the processor? Not so of the host, and of OpenCL on the processor. */
bool lod_gpu_is_apart(struct lod_gpu *gpu);

/* The number of the device that lod_gpu_keep's addresses belong to. */
int lod_gpu_ordinal(struct lod_gpu *gpu);

#endif
