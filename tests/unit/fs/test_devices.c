/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a device, which blocks no thread. The devices are those of this machine. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "read/devices.h"
#include "gpu.h"

#define UNIT_BYTES 4096u

static atomic_int host_us, many_error, asked_many;

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    (void)row;
    (void)form;
    (void)unit;
    usleep((useconds_t)atomic_load(&host_us));
    memset(into, inputs->input[0].data.at[0], bytes);
    return 0;
}

static int make_many(struct lod_gpu *gpu, struct lod_unit *units, unsigned count)
{
    atomic_fetch_add(&asked_many, 1);
    cr_assert_str_neq(lod_gpu_kind(gpu), "host");
    for (unsigned i = 0; i < count; i++) {
        memset(units[i].into, units[i].inputs->input[0].data.at[0], units[i].bytes);
        units[i].error = 0;
    }
    return atomic_load(&many_error);
}

static const struct lod_maker both = {.make = make, .make_many = make_many};
static const struct lod_maker host_only = {.make = make};

static const uint8_t row[LOD_ROW_BYTES], input[1] = {7};
static const struct lod_inputs inputs = {.count = 1, .input[0].data = {.at = input, .bytes = 1}};
static const struct lod_unit unit = {.row = row, .inputs = &inputs, .bytes = UNIT_BYTES};

static bool opens(const char *kind, bool apart)
{
    struct lod_gpu *gpu = NULL;
    char why[LOD_GPU_LABEL];
    bool found = lod_gpu_open(kind, NULL, &gpu, why, sizeof(why)) == 0 &&
                 (!apart || lod_gpu_is_separate(gpu));

    lod_gpu_close(gpu);
    return found;
}

/* Polls until the choice is made. */
static struct lod_devices_stats choose(const char *choice, int slow_us, int error)
{
    struct lod_devices *devices = NULL;
    struct lod_devices_stats stats;

    atomic_store(&host_us, slow_us);
    atomic_store(&many_error, error);
    cr_assert_eq(lod_devices_create(choice, &devices), 0);
    lod_devices_stats(devices, &stats);
    cr_assert_str_eq(stats.choice, choice);
    cr_assert_null(lod_devices_now(devices, &both), "nothing is tried before a unit was made");
    lod_devices_offer(devices, &both, &unit);
    do {
        usleep(1000);
        lod_devices_stats(devices, &stats);
    } while (strcmp(stats.state, "measuring") == 0);
    struct lod_gpu *gpu = lod_devices_now(devices, &both);
    cr_assert_eq(gpu != NULL, strcmp(stats.state, "host") != 0);
    if (gpu) {
        cr_assert_str_eq(lod_gpu_kind(gpu), stats.state);
        lod_devices_made(devices, 5);
        lod_devices_stats(devices, &stats);
        cr_assert_eq(stats.batches, 1);
        cr_assert_eq(stats.units, 5);
    } else {
        cr_assert(stats.why_host[0], "it says why");
    }
    lod_devices_destroy(devices);
    return stats;
}

Test(devices, off_opens_no_device)
{
    struct lod_devices_stats stats = choose("off", 0, 0);

    cr_assert_str_eq(stats.state, "host");
    cr_assert_eq(atomic_load(&asked_many), 0);
    lod_devices_stats(NULL, &stats);
    cr_assert_str_eq(stats.state, "host");
    cr_assert_null(lod_devices_now(NULL, &both));
    lod_devices_offer(NULL, &both, &unit);
    cr_assert_null(lod_devices_destroy(NULL));
}

Test(devices, a_codec_without_make_many_starts_no_measurement)
{
    struct lod_devices *devices = NULL;
    struct lod_devices_stats stats;

    cr_assert_eq(lod_devices_create("auto", &devices), 0);
    lod_devices_offer(devices, &host_only, &unit);
    cr_assert_null(lod_devices_now(devices, &host_only));
    lod_devices_stats(devices, &stats);
    cr_assert_str_eq(stats.state, "untried");
    lod_devices_destroy(devices);
}

/* OpenCL on the processor is never measured by auto. */
Test(devices, auto_chooses_the_fastest)
{
    bool any = opens("opencl", true) || opens("cuda", true);
    struct lod_devices_stats slow_host = choose("auto", 5000, 0);
    struct lod_devices_stats fast_host = choose("auto", 0, -1);

    cr_assert_eq(strcmp(slow_host.state, "host") != 0, any, "%s", slow_host.why_host);
    cr_assert_str_eq(fast_host.state, "host");
    cr_assert_gt(slow_host.host_bytes_per_second, 0);
    cr_assert_eq(slow_host.device_bytes_per_second > slow_host.host_bytes_per_second, any);
    if (!any) {
        fprintf(stderr, "SKIP: no device here to be taken\n");
    }
}

Test(devices, a_device_named_by_the_user_is_used_even_if_slow)
{
    for (unsigned i = 2; lod_devices_choices[i]; i++) {
        const char *name = lod_devices_choices[i];
        struct lod_devices_stats stats = choose(name, 0, 0);
        cr_assert_str_eq(stats.state, opens(name, false) ? name : "host", "%s", stats.why_host);
    }
}

Test(devices, a_device_that_cannot_make_the_unit_is_not_used)
{
    cr_assert_str_eq(choose("opencl", 5000, -5).state, "host");
}
