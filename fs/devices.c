/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One measurement a mount: the host makes the unit over and over, times its cores; a device makes a
 * batch of copies of it, the copies there and back included, which is what a read has to wait for.
 */
#include "devices.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "gpu.h"
#include "log.h"

#define SAMPLE_BYTES_MAX (16u << 20) /* of the units of one measured batch */
#define SAMPLE_UNITS_MAX 64u
#define HOST_NS          30000000u /* the host's turn lasts at least this long */
#define ROUNDS           3u        /* of the device, the best one counts; one more before them */

static const char *const choices[] = {"auto", "off", "opencl", "cuda"};
#define CHOICES (sizeof(choices) / sizeof(choices[0]))

enum state { UNTRIED, MEASURING, HOST, DEVICE };

/* The unit that is measured, all of it ours. */
struct sample {
    const struct lod_maker *maker;
    uint8_t row[LOD_ROW_BYTES];
    struct lod_unit unit;
    struct lod_inputs inputs;
};

struct lod_devices {
    const char *choice;
    pthread_mutex_t lock;
    pthread_t thread;
    bool started, warned; /* guarded by lock */
    atomic_bool ending;   /* nobody needs to know any more */
    _Atomic(enum state) state;
    struct lod_gpu *gpu;             /* set before state is DEVICE, then constant */
    struct sample sample;            /* the thread's, once it runs */
    char why_host[LOD_DEVICES_TEXT]; /* set before state is HOST */
    atomic_uint_fast64_t host_rate, device_rate, batches, units;
};

const char *lod_devices_choice(unsigned index)
{
    return index < CHOICES ? choices[index] : NULL;
}

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

static void sample_finish(struct sample *sample)
{
    for (unsigned i = 0; i < sample->inputs.count; i++) {
        free((void *)(uintptr_t)sample->inputs.input[i].data.at);
    }
    sample->inputs.count = 0;
}

struct lod_devices *lod_devices_destroy(struct lod_devices *devices)
{
    if (devices) {
        atomic_store(&devices->ending, true);
        if (devices->started) {
            pthread_join(devices->thread, NULL);
        }
        sample_finish(&devices->sample);
        lod_gpu_close(devices->gpu);
        pthread_mutex_destroy(&devices->lock);
        free(devices);
    }
    return NULL;
}

/* ----------------------------------------------------------------------------- measuring */

static uint64_t rate(uint64_t bytes, uint64_t ns)
{
    return ns ? (uint64_t)((double)bytes / (double)ns * 1e9) : 0;
}

/* Bytes a second of all cores together; 0: the unit cannot be made. */
static uint64_t measure_host(const struct sample *sample, uint8_t *into)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t began = lod_clock_ns(), made = 0;

    do {
        if (sample->maker->make(sample->row, sample->unit.form, sample->unit.unit, &sample->inputs,
                                into, sample->unit.bytes) != 0) {
            return 0;
        }
        made += sample->unit.bytes;
    } while (lod_clock_ns() - began < HOST_NS);
    return rate(made, lod_clock_ns() - began) * (uint64_t)(cores > 0 ? cores : 1);
}

/* Bytes a second of a device; 0: it failed. */
static uint64_t measure_device(struct lod_devices *devices, struct lod_gpu *gpu,
                               struct lod_unit *units, unsigned count)
{
    const struct sample *sample = &devices->sample;
    uint64_t best = 0;

    for (unsigned round = 0; round <= ROUNDS && !atomic_load(&devices->ending); round++) {
        uint64_t began = lod_clock_ns();
        if (sample->maker->make_many(gpu, units, count) != 0 || units[0].error ||
            lod_gpu_failure(gpu)) {
            return 0;
        }
        uint64_t found = rate(count * (uint64_t)sample->unit.bytes, lod_clock_ns() - began);
        best = round && found > best ? found : best;
    }
    return best;
}

static unsigned sample_count(size_t bytes)
{
    size_t count = SAMPLE_BYTES_MAX / bytes;

    return count < 1 ? 1 : count < SAMPLE_UNITS_MAX ? (unsigned)count : SAMPLE_UNITS_MAX;
}

/* Copies of the sample, each with memory of its own behind `*ret_memory`. */
static struct lod_unit *copies(const struct sample *sample, unsigned count, uint8_t **ret_memory)
{
    struct lod_unit *units = calloc(count, sizeof(*units));
    uint8_t *memory = malloc(count * sample->unit.bytes);

    if (!units || !memory) {
        free(units);
        free(memory);
        return NULL;
    }
    for (unsigned i = 0; i < count; i++) {
        units[i] = sample->unit;
        units[i].row = sample->row;
        units[i].inputs = &sample->inputs;
        units[i].into = memory + i * sample->unit.bytes;
    }
    *ret_memory = memory;
    return units;
}

/* ------------------------------------------------------------------------------ choosing */

static bool wanted(const struct lod_devices *devices, const char *kind)
{
    return strcmp(devices->choice, "auto") == 0 ? strcmp(kind, "host") != 0
                                                : strcmp(devices->choice, kind) == 0;
}

LOD_PRINTF(2, 3) static void because(struct lod_devices *devices, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(devices->why_host, sizeof(devices->why_host), format, args);
    va_end(args);
}

/* Opens `kind` and measures it; it is kept if it is asked for by name, or the fastest so far. */
static void try_one(struct lod_devices *devices, const char *kind, struct lod_unit *units,
                    unsigned count, uint64_t *fastest)
{
    char why[LOD_GPU_LABEL] = "";
    struct lod_gpu *gpu = NULL;

    if (lod_gpu_open(kind, NULL, &gpu, why, sizeof(why)) != 0) {
        because(devices, "%s", why);
        return;
    }
    lod_gpu_limit(gpu, LOD_DEVICES_BYTES_MAX / LOD_GPU_LANES);
    bool automatic = strcmp(devices->choice, "auto") == 0;
    if (automatic && !lod_gpu_is_apart(gpu)) {
        because(devices, "%s is the processor itself", lod_gpu_label(gpu));
        lod_gpu_close(gpu);
        return;
    }
    uint64_t found = measure_device(devices, gpu, units, count);
    if (found == 0) {
        because(devices, "%s", lod_gpu_failure(gpu) ? lod_gpu_failure(gpu) : "no memory");
    } else if (found > *fastest || !automatic) {
        *fastest = found;
        lod_gpu_close(devices->gpu);
        devices->gpu = gpu;
        gpu = NULL;
    } else {
        because(devices, "the host is faster than %s", lod_gpu_label(gpu));
    }
    if (found > atomic_load(&devices->device_rate)) {
        atomic_store(&devices->device_rate, found);
    }
    lod_gpu_close(gpu);
}

static void try_all(struct lod_devices *devices)
{
    unsigned count = sample_count(devices->sample.unit.bytes);
    uint8_t *memory = NULL;
    struct lod_unit *units = copies(&devices->sample, count, &memory);

    if (!units) {
        because(devices, "%s", "no memory to measure devices");
        return;
    }
    uint64_t fastest = measure_host(&devices->sample, memory);
    atomic_store(&devices->host_rate, fastest);
    because(devices, "%s", fastest ? "this build has no such device" : "nothing could be measured");
    for (unsigned i = 0; fastest && lod_gpu_name(i); i++) {
        if (wanted(devices, lod_gpu_name(i))) {
            try_one(devices, lod_gpu_name(i), units, count, &fastest);
        }
    }
    free(units);
    free(memory);
}

static void *choose(void *ctx)
{
    struct lod_devices *devices = ctx;

    try_all(devices);
    sample_finish(&devices->sample);
    if (devices->gpu) {
        lod_log(LOD_LOG_INFO, "images are decoded on %s", lod_gpu_label(devices->gpu));
    } else if (strcmp(devices->choice, "auto") != 0) {
        lod_log(LOD_LOG_WARNING, "gpu=%s: %s; images are decoded on the host", devices->choice,
                devices->why_host);
    }
    atomic_store(&devices->state, devices->gpu ? DEVICE : HOST);
    return NULL;
}

static bool copy_inputs(const struct lod_inputs *from, struct lod_inputs *to)
{
    *to = (struct lod_inputs){0};
    for (unsigned i = 0; i < from->count; i++) {
        uint8_t *data = malloc(from->input[i].data.bytes + 1);
        if (!data) {
            return false;
        }
        memcpy(data, from->input[i].data.at, from->input[i].data.bytes);
        to->input[i] = from->input[i];
        to->input[i].data.at = data;
        to->count++;
    }
    return true;
}

/* Signals are for the threads that serve. */
static int start_thread(struct lod_devices *devices)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&devices->thread, NULL, choose, devices);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void begin(struct lod_devices *devices, const struct lod_maker *maker,
                  const struct lod_unit *unit)
{
    pthread_mutex_lock(&devices->lock);
    if (atomic_load(&devices->state) == UNTRIED) {
        struct sample *sample = &devices->sample;
        sample->maker = maker;
        sample->unit = *unit;
        memcpy(sample->row, unit->row, LOD_ROW_BYTES);
        atomic_store(&devices->state, MEASURING);
        if (!copy_inputs(unit->inputs, &sample->inputs) || start_thread(devices) != 0) {
            because(devices, "%s", "no memory to measure devices");
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

/* ------------------------------------------------------------------------------ telling */

static void tell(struct lod_devices *devices, enum state state, struct lod_devices_stats *stats)
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
        tell(devices, state, ret_stats);
        ret_stats->host_bytes_per_second = atomic_load(&devices->host_rate);
        ret_stats->device_bytes_per_second = atomic_load(&devices->device_rate);
        ret_stats->batches = atomic_load(&devices->batches);
        ret_stats->units = atomic_load(&devices->units);
    }
}
