/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the contract of gpu.h on every device of this machine: results equal those of the C twin.
 * Devices that fail are simulated with the host.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "gpu.h"

#define WIDTH 64u /* bytes of a work group */

/*
 * Each group: running sums of its bytes, each looked up in a table, plus the group's word of input
 * 2.
 */
static const char source[] = "ENTRY(sums)\n"
                             "{\n"
                             "    SHARED u32 sum[64];\n"
                             "    GLOBAL const u32 *words = (GLOBAL const u32 *)(arena + in2);\n"
                             "    sum[THREAD] = arena[in0 + GROUP * 64 + THREAD];\n"
                             "    BARRIER();\n"
                             "    for (u32 step = 1; step < 64; step *= 2) {\n"
                             "        u32 more = THREAD >= step ? sum[THREAD - step] : 0;\n"
                             "        BARRIER();\n"
                             "        sum[THREAD] += more;\n"
                             "        BARRIER();\n"
                             "    }\n"
                             "    arena[out + GROUP * 64 + THREAD] = (u8)(arena[in1 + (sum[THREAD] "
                             "& 255)] + words[GROUP]);\n"
                             "    if (THREAD == 63) {\n"
                             "        ((GLOBAL u32 *)(arena + status))[GROUP] = sum[63];\n"
                             "    }\n"
                             "}\n";

static void twin(const struct lod_gpu_job *job, uint32_t group)
{
    const uint32_t *words = (const uint32_t *)(const void *)job->in[2];
    uint32_t sum = 0;

    for (uint32_t i = 0; i < WIDTH; i++) {
        sum += job->in[0][group * WIDTH + i];
        job->out[group * WIDTH + i] = (uint8_t)(job->in[1][sum & 255] + words[group]);
    }
    job->status[group] = sum;
}

static const struct lod_kernel sums = {
    .name = "sums", .source = source, .threads = WIDTH, .twin = twin};
static const struct lod_kernel nonsense = {
    .name = "nonsense", .source = "ENTRY(nonsense) { no }\n", .threads = 1, .twin = twin};

static void begin(struct lod_gpu *gpu, const struct lod_kernel *kernel, uint32_t groups,
                  struct lod_gpu_job *job)
{
    const uint64_t in_bytes[LOD_GPU_INPUTS] = {groups * WIDTH, 256, 4ull * groups};

    cr_assert_eq(lod_gpu_begin(gpu, kernel, groups, in_bytes, groups * WIDTH, job), 0);
    for (unsigned i = 0; i < LOD_GPU_INPUTS; i++) {
        cr_assert_eq((uintptr_t)job->in[i] % 64, 0);
        for (uint64_t k = 0; k < job->in_bytes[i]; k++) {
            job->in[i][k] = (uint8_t)rand();
        }
    }
    memset(job->out, 0x5a, job->out_bytes);
}

/* Checks that the twin computes the same output from the job. */
static void expect(const struct lod_gpu_job *job)
{
    uint8_t *out = malloc(job->out_bytes);
    uint32_t *status = calloc(job->groups, 4);
    struct lod_gpu_job again = *job;

    again.out = out;
    again.status = status;
    for (uint32_t group = 0; group < job->groups; group++) {
        job->kernel->twin(&again, group);
    }
    cr_assert_arr_eq(job->out, out, job->out_bytes);
    cr_assert_arr_eq(job->status, status, 4ull * job->groups);
    free(out);
    free(status);
}

static void jobs_of(struct lod_gpu *gpu)
{
    struct lod_gpu_job job;

    for (uint32_t groups = 1; groups < 3000; groups = groups * 3 + 1) {
        begin(gpu, &sums, groups, &job);
        lod_gpu_run(&job);
        expect(&job);
        lod_gpu_end(&job);
    }
}

static struct lod_gpu *open_or_null(const char *name, struct lod_pool *pool)
{
    struct lod_gpu *gpu = NULL;
    char why[LOD_GPU_LABEL] = "";

    int error = lod_gpu_open(name, pool, &gpu, why, sizeof(why));
    if (error) {
        cr_assert_eq(error, -ENODEV, "%s: %s", name, why);
        cr_assert(why[0]);
        fprintf(stderr, "SKIP: %s: %s\n", name, why);
    }
    return gpu;
}

Test(gpu, every_device_here_does_what_the_twin_does)
{
    struct lod_pool *pool = NULL;

    cr_assert_eq(lod_pool_create(2, &pool), 0);
    for (unsigned i = 0; lod_gpu_name(i); i++) {
        struct lod_gpu *gpu = open_or_null(lod_gpu_name(i), pool);
        if (gpu) {
            cr_assert_str_eq(lod_gpu_kind(gpu), lod_gpu_name(i));
            cr_assert(lod_gpu_label(gpu)[0]);
            jobs_of(gpu);
            cr_assert_null(lod_gpu_failure(gpu));
        }
        lod_gpu_close(gpu);
    }
    lod_pool_destroy(pool);
}

Test(gpu, the_host_is_always_there_and_works_without_a_pool)
{
    struct lod_gpu *gpu = open_or_null("host", NULL);

    cr_assert_not_null(gpu);
    jobs_of(gpu);
    lod_gpu_close(gpu);
    cr_assert_null(lod_gpu_close(NULL));
}

Test(gpu, an_unknown_device_is_refused_by_name)
{
    struct lod_gpu *gpu = NULL;
    char why[LOD_GPU_LABEL] = "";

    cr_assert_eq(lod_gpu_open("abacus", NULL, &gpu, why, sizeof(why)), -ENODEV);
    cr_assert(strstr(why, "abacus"));
}

static void *many_jobs(void *ctx)
{
    struct lod_gpu_job job;

    for (int i = 0; i < 40; i++) {
        begin(ctx, &sums, 1 + (uint32_t)i, &job);
        lod_gpu_run(&job);
        expect(&job);
        lod_gpu_end(&job);
    }
    return NULL;
}

Test(gpu, more_threads_than_lanes_share_a_device)
{
    for (unsigned i = 0; lod_gpu_name(i); i++) {
        struct lod_gpu *gpu = open_or_null(lod_gpu_name(i), NULL);
        pthread_t threads[2 * LOD_GPU_LANES];
        for (unsigned k = 0; gpu && k < 2 * LOD_GPU_LANES; k++) {
            cr_assert_eq(pthread_create(&threads[k], NULL, many_jobs, gpu), 0);
        }
        for (unsigned k = 0; gpu && k < 2 * LOD_GPU_LANES; k++) {
            cr_assert_eq(pthread_join(threads[k], NULL), 0);
        }
        lod_gpu_close(gpu);
    }
}

Test(gpu, a_job_past_the_limit_is_refused_and_takes_no_lane)
{
    struct lod_gpu *gpu = open_or_null("host", NULL);
    const uint64_t big[LOD_GPU_INPUTS] = {1, LOD_GPU_JOB_BYTES_MAX, 1};
    const uint64_t wraps[LOD_GPU_INPUTS] = {UINT64_MAX, UINT64_MAX, 2};
    const uint64_t none[LOD_GPU_INPUTS] = {0, 0, 0};
    struct lod_gpu_job job;

    for (unsigned i = 0; i < 2 * LOD_GPU_LANES; i++) {
        cr_assert_eq(lod_gpu_begin(gpu, &sums, 1, big, 1, &job), -E2BIG);
        cr_assert_eq(lod_gpu_begin(gpu, &sums, 1, wraps, 1, &job), -E2BIG);
        cr_assert_eq(lod_gpu_begin(gpu, &sums, 1, none, UINT64_MAX, &job), -E2BIG);
    }
    jobs_of(gpu);
    lod_gpu_close(gpu);
}

Test(gpu, a_kernel_that_does_not_compile_is_done_on_the_host)
{
    for (unsigned i = 0; lod_gpu_name(i); i++) {
        struct lod_gpu *gpu = open_or_null(lod_gpu_name(i), NULL);
        struct lod_gpu_job job;
        if (!gpu) {
            continue;
        }
        begin(gpu, &nonsense, 7, &job);
        lod_gpu_run(&job);
        expect(&job);
        lod_gpu_end(&job);
        cr_assert_str_eq(lod_gpu_kind(gpu), "host");
        cr_assert((lod_gpu_failure(gpu) != NULL) == (strcmp(lod_gpu_name(i), "host") != 0));
        jobs_of(gpu);
        lod_gpu_close(gpu);
    }
}

/* A device that works `good` times and then never again; it has memory of its own. */
static atomic_int good, asked;
static uint8_t failing_memory[LOD_GPU_LANES][1 << 20] __attribute__((aligned(LOD_GPU_ALIGN)));

static int failing_open(struct lod_pool *pool, struct lod_device **ret_device,
                        char label[LOD_GPU_LABEL], char *why)
{
    (void)pool;
    (void)why;
    label[0] = 'f';
    *ret_device = (struct lod_device *)(void *)failing_memory;
    return 0;
}

static void failing_close(struct lod_device *device)
{
    (void)device;
}

static int failing_reserve(struct lod_device *device, unsigned lane, uint32_t bytes,
                           uint8_t **ret_memory, char *why)
{
    (void)device;
    *ret_memory = failing_memory[lane];
    return bytes <= sizeof(failing_memory[0]) ? 0 : lod_device_why(-ENOMEM, why, "no memory");
}

static int failing_run(struct lod_device *device, const struct lod_gpu_job *job,
                       const struct lod_gpu_layout *layout, char *why)
{
    (void)device;
    (void)layout;
    atomic_fetch_add(&asked, 1);
    if (atomic_fetch_sub(&good, 1) <= 0) {
        memset(job->out, 0xee, job->out_bytes);
        memset(job->status, 0xee, 4ull * job->groups);
        return lod_device_why(-EIO, why, "it broke");
    }
    for (uint32_t group = 0; group < job->groups; group++) {
        job->kernel->twin(job, group);
    }
    return 0;
}

static const struct lod_device_kind failing = {.name = "failing",
                                               .open = failing_open,
                                               .close = failing_close,
                                               .reserve = failing_reserve,
                                               .run = failing_run};

static struct lod_gpu *open_failing(int after)
{
    struct lod_gpu *gpu = NULL;
    char why[LOD_GPU_LABEL];

    atomic_store(&good, after);
    atomic_store(&asked, 0);
    cr_assert_eq(lod_gpu_open_kind(&failing, NULL, &gpu, why, sizeof(why)), 0);
    return gpu;
}

Test(gpu, a_device_that_fails_is_dropped_and_its_job_done_again)
{
    for (int after = 0; after < 6; after++) {
        struct lod_gpu *gpu = open_failing(after);
        jobs_of(gpu);
        jobs_of(gpu);
        cr_assert_eq(atomic_load(&asked), after + 1, "not asked again once it failed");
        cr_assert_str_eq(lod_gpu_failure(gpu), "it broke");
        cr_assert_str_eq(lod_gpu_kind(gpu), "host");
        lod_gpu_close(gpu);
    }
}

Test(gpu, a_device_without_memory_is_dropped)
{
    struct lod_gpu *gpu = open_failing(1000);
    struct lod_gpu_job job;

    begin(gpu, &sums, 20000, &job);
    lod_gpu_run(&job);
    expect(&job);
    lod_gpu_end(&job);
    cr_assert_str_eq(lod_gpu_failure(gpu), "no memory");
    jobs_of(gpu);
    lod_gpu_close(gpu);
}

Test(gpu, output_stays_on_devices_that_have_addresses)
{
    for (unsigned i = 0; lod_gpu_name(i); i++) {
        struct lod_gpu *gpu = open_or_null(lod_gpu_name(i), NULL);
        struct lod_gpu_job job;
        uint64_t address = 0;
        if (!gpu) {
            continue;
        }
        begin(gpu, &sums, 5, &job);
        lod_gpu_run(&job);
        int error = lod_gpu_keep(&job, &address);
        lod_gpu_end(&job);
        cr_assert_eq(error, strcmp(lod_gpu_name(i), "cuda") == 0 ? 0 : -ENOTSUP);
        if (!error) {
            cr_assert_neq(address, 0);
            lod_gpu_release(gpu, address);
        }
        lod_gpu_close(gpu);
    }
}

Test(gpu, a_limit_holds_for_each_job)
{
    const uint64_t bytes[LOD_GPU_INPUTS] = {1000, 0, 0};
    struct lod_gpu *gpu = open_or_null("host", NULL);
    struct lod_gpu_job job;

    cr_assert(gpu);
    lod_gpu_limit(gpu, 8 * LOD_GPU_ALIGN);
    cr_assert_eq(lod_gpu_begin(gpu, &sums, 1, bytes, 4 * LOD_GPU_ALIGN, &job), -E2BIG);
    cr_assert_eq(lod_gpu_begin(gpu, &sums, 1, bytes, 3 * LOD_GPU_ALIGN, &job), 0);
    lod_gpu_end(&job);
    lod_gpu_close(gpu);
}
