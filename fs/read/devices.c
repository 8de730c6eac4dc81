/* SPDX-License-Identifier: Apache-2.0 */
/* Measures once per mount, in a thread of its own, and keeps the result. */
#include "read/devices.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/device_sample.h"
#include "gpu.h"
#include "log.h"
#include "thread_start.h"

const char *const lod_devices_choices[] = {"auto", "off", "opencl", "cuda", NULL};

enum state { UNTRIED, MEASURING, HOST, DEVICE };

struct lod_devices {
    const char *choice;
    pthread_mutex_t lock;
    pthread_t thread;
    bool started, warned; /* guarded by lock */
    atomic_bool ending;   /* the owner is being destroyed: stop measuring */
    _Atomic(enum state) state;
    struct lod_gpu *gpu;             /* set before state is DEVICE, then constant */
    struct lod_device_sample sample; /* owned by the thread, once it runs */
    char why_host[LOD_DEVICES_TEXT]; /* set before state is HOST */
    atomic_uint_fast64_t host_rate, device_rate, batches, units;
};

int lod_devices_create(const char *choice, struct lod_devices **ret_devices)
{
    struct lod_devices *devices = calloc(1, sizeof(*devices));

    if (!devices) {
        return -ENOMEM;
    }
    devices->choice = choice;
    pthread_mutex_init(&devices->lock, NULL);
    if (strcmp(choice, "off") == 0) {
        snprintf(devices->why_host, sizeof(devices->why_host), "gpu=off");
        atomic_store(&devices->state, HOST);
    }
    *ret_devices = devices;
    return 0;
}

struct lod_devices *lod_devices_destroy(struct lod_devices *devices)
{
    if (devices) {
        atomic_store(&devices->ending, true);
        if (devices->started) {
            pthread_join(devices->thread, NULL);
        }
        lod_device_sample_finish(&devices->sample);
        lod_gpu_close(devices->gpu);
        pthread_mutex_destroy(&devices->lock);
        free(devices);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------ choosing */

static bool wanted(const struct lod_devices *devices, const char *kind)
{
    return strcmp(devices->choice, "auto") == 0 ? strcmp(kind, "host") != 0
                                                : strcmp(devices->choice, kind) == 0;
}

LOD_PRINTF(2, 3) static void set_reason(struct lod_devices *devices, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(devices->why_host, sizeof(devices->why_host), format, args);
    va_end(args);
}

/* Opens `kind` and measures it. Keeps it if the user named it, or if it is the fastest so far. */
static void try_one(struct lod_devices *devices, const char *kind,
                    const struct lod_device_batch *batch, uint64_t *fastest)
{
    char why[LOD_GPU_LABEL] = "";
    struct lod_gpu *gpu = NULL;

    if (lod_gpu_open(kind, NULL, &gpu, why, sizeof(why)) != 0) {
        set_reason(devices, "%s", why);
        return;
    }
    lod_gpu_limit(gpu, LOD_DEVICES_BYTES_MAX / LOD_GPU_LANES);
    bool automatic = strcmp(devices->choice, "auto") == 0;
    if (automatic && !lod_gpu_is_separate(gpu)) {
        set_reason(devices, "%s is the processor itself", lod_gpu_label(gpu));
        lod_gpu_close(gpu);
        return;
    }
    uint64_t found = lod_device_sample_gpu(&devices->sample, batch, gpu, &devices->ending);
    if (found == 0) {
        set_reason(devices, "%s", lod_gpu_failure(gpu) ? lod_gpu_failure(gpu) : "no memory");
    } else if (found > *fastest || !automatic) {
        *fastest = found;
        lod_gpu_close(devices->gpu);
        devices->gpu = gpu;
        gpu = NULL;
    } else {
        set_reason(devices, "the host is faster than %s", lod_gpu_label(gpu));
    }
    if (found > atomic_load(&devices->device_rate)) {
        atomic_store(&devices->device_rate, found);
    }
    lod_gpu_close(gpu);
}

static void try_all(struct lod_devices *devices)
{
    struct lod_device_batch batch;

    if (lod_device_batch_init(&devices->sample, &batch)) {
        set_reason(devices, "%s", "no memory to measure devices");
        return;
    }
    uint64_t fastest = lod_device_sample_host(&devices->sample, &batch);
    atomic_store(&devices->host_rate, fastest);
    set_reason(devices, "%s",
               fastest ? "this build has no such device" : "nothing could be measured");
    for (unsigned i = 0; fastest && lod_gpu_name(i); i++) {
        if (wanted(devices, lod_gpu_name(i))) {
            try_one(devices, lod_gpu_name(i), &batch, &fastest);
        }
    }
    lod_device_batch_finish(&batch);
}

static void *choose(void *ctx)
{
    struct lod_devices *devices = ctx;

    try_all(devices);
    lod_device_sample_finish(&devices->sample);
    if (devices->gpu) {
        lod_log(LOD_LOG_INFO, "images are decoded on %s", lod_gpu_label(devices->gpu));
    } else if (strcmp(devices->choice, "auto") != 0) {
        lod_log(LOD_LOG_WARNING, "gpu=%s: %s; images are decoded on the host", devices->choice,
                devices->why_host);
    }
    atomic_store(&devices->state, devices->gpu ? DEVICE : HOST);
    return NULL;
}

static void begin(struct lod_devices *devices, const struct lod_maker *maker,
                  const struct lod_unit *unit)
{
    pthread_mutex_lock(&devices->lock);
    if (atomic_load(&devices->state) == UNTRIED) {
        atomic_store(&devices->state, MEASURING);
        if (lod_device_sample_take(&devices->sample, maker, unit) ||
            lod_thread_start(&devices->thread, choose, devices)) {
            set_reason(devices, "%s", "no memory to measure devices");
            atomic_store(&devices->state, HOST);
        } else {
            devices->started = true;
        }
    }
    pthread_mutex_unlock(&devices->lock);
}

void lod_devices_offer(struct lod_devices *devices, const struct lod_maker *maker,
                       const struct lod_unit *unit)
{
    if (devices && maker->make_many && atomic_load(&devices->state) == UNTRIED) {
        begin(devices, maker, unit);
    }
}

struct lod_gpu *lod_devices_now(struct lod_devices *devices, const struct lod_maker *maker)
{
    bool chosen = devices && maker->make_many && atomic_load(&devices->state) == DEVICE;

    return chosen && !lod_gpu_failure(devices->gpu) ? devices->gpu : NULL;
}

void lod_devices_made(struct lod_devices *devices, unsigned units)
{
    const char *failure = devices ? lod_gpu_failure(devices->gpu) : NULL;

    if (!devices) {
        return;
    }
    atomic_fetch_add(&devices->batches, 1);
    atomic_fetch_add(&devices->units, units);
    if (failure) {
        pthread_mutex_lock(&devices->lock);
        bool warn = !devices->warned;
        devices->warned = true;
        pthread_mutex_unlock(&devices->lock);
        if (warn) {
            lod_log(LOD_LOG_WARNING, "%s failed: %s; images are decoded on the host",
                    lod_gpu_label(devices->gpu), failure);
        }
    }
}

/* ----------------------------------------------------------------------------- counters */

static void describe(struct lod_devices *devices, enum state state, struct lod_devices_stats *stats)
{
    const char *failure = state == DEVICE ? lod_gpu_failure(devices->gpu) : NULL;
    const char *why = state == HOST ? devices->why_host : failure ? failure : "";

    snprintf(stats->why_host, sizeof(stats->why_host), "%s", why);
    if (state == DEVICE) {
        stats->state = lod_gpu_kind(devices->gpu);
        snprintf(stats->label, sizeof(stats->label), "%s", lod_gpu_label(devices->gpu));
    }
}

void lod_devices_stats(struct lod_devices *devices, struct lod_devices_stats *ret_stats)
{
    static const char *const names[] = {"untried", "measuring", "host", "device"};

    *ret_stats = (struct lod_devices_stats){.choice = "off", .state = "host"};
    if (devices) {
        enum state state = atomic_load(&devices->state);
        ret_stats->choice = devices->choice;
        ret_stats->state = names[state];
        describe(devices, state, ret_stats);
        ret_stats->host_bytes_per_second = atomic_load(&devices->host_rate);
        ret_stats->device_bytes_per_second = atomic_load(&devices->device_rate);
        ret_stats->batches = atomic_load(&devices->batches);
        ret_stats->units = atomic_load(&devices->units);
    }
}
