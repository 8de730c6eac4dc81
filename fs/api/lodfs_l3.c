/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, images: the interface of .l3 files and devices. A driver does not survive fork: its
 * threads are gone and its locks are in an unknown state. So a device that was opened before a fork
 * is the host in the child, and the driver is never called there.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "l3/l3_whole.h"
#include "api/lodfs.h"
#include "api/lodfs_error.h"
#include "api/lodfs_process.h"

#define HOST "host"

struct lodfs_device {
    struct lod_gpu *gpu;
    unsigned generation; /* of the process that opened it */
};

/* 1 + the generation of the first process that called a driver; 0: none has */
static atomic_uint drivers_from;

static bool is_here(const struct lodfs_device *device)
{
    return device->generation == lod_process_generation();
}

/* Returns the device's state; NULL for the host. */
static struct lod_gpu *gpu_of(const struct lodfs_device *device)
{
    return device && is_here(device) ? device->gpu : NULL;
}

/* Returns whether a device of this name needs a driver. */
static bool has_driver(const char *name)
{
    unsigned i = 0;

    while (lod_gpu_name(i) && strcmp(lod_gpu_name(i), name) != 0) {
        i++;
    }
    return lod_gpu_name(i) && strcmp(name, HOST) != 0;
}

/* Notes that this process calls drivers. Returns false if a process from which it was forked has
 * called one. */
static bool take_drivers(void)
{
    const unsigned own = lod_process_generation() + 1;
    unsigned from = 0;

    return atomic_compare_exchange_strong(&drivers_from, &from, own) || from == own;
}

static int open_file(const void *file, size_t count, struct lod_l3_whole *whole,
                     struct lodfs_error *error)
{
    int result = lod_l3_whole_open((struct lod_span){.at = file, .bytes = count}, whole);

    return result ? lod_say(error, result, "this is not a .l3 file, or it is damaged") : 0;
}

int lodfs_l3_info(const void *file, size_t count, struct lodfs_l3_info *ret_info,
                  struct lodfs_error *error)
{
    struct lod_l3_whole whole;
    int result = open_file(file, count, &whole, error);

    if (!result) {
        *ret_info = (struct lodfs_l3_info){
            .width = whole.pixels.width,
            .height = whole.pixels.height,
            .channels = whole.pixels.channels,
            .sample_bytes = whole.pixels.sample_bytes,
            .bytes = lod_pixels_bytes(&whole.pixels),
        };
    }
    return result;
}

int lodfs_device_open(const char *name, struct lodfs_device **ret_device, struct lodfs_error *error)
{
    struct lodfs_device *device = calloc(1, sizeof(*device));
    char why[LOD_GPU_LABEL] = "out of memory";
    int result = device ? lod_process_check() : -ENOMEM;

    if (!result && has_driver(name) && !take_drivers()) {
        free(device);
        return lod_say(error, -ENODEV,
                       "cannot use this device: its driver was opened before this process was "
                       "forked; open it only in the child, or start the child by spawn");
    }
    result = result ? result : lod_gpu_open(name, NULL, &device->gpu, why, sizeof(why));
    if (result) {
        free(device);
        return lod_say(error, result, "cannot use this device: %s", why);
    }
    device->generation = lod_process_generation();
    *ret_device = device;
    return 0;
}

void lodfs_device_close(struct lodfs_device *device)
{
    if (device) {
        lod_gpu_close(gpu_of(device));
        free(device);
    }
}

const char *lodfs_device_kind(struct lodfs_device *device)
{
    return is_here(device) ? lod_gpu_kind(device->gpu) : HOST;
}

const char *lodfs_device_label(struct lodfs_device *device)
{
    return lod_gpu_label(device->gpu);
}

static int say_decoded(struct lodfs_error *error, int result)
{
    return lod_say(error, result, "%s",
                   result == -EILSEQ   ? "the .l3 file is damaged"
                   : result == -E2BIG  ? "the image is too large for the device"
                   : result == -ENOMEM ? "out of memory"
                                       : "the device cannot keep images in its memory");
}

int lodfs_l3_decode(const void *file, size_t count, struct lodfs_device *device, void *into,
                    size_t room, struct lodfs_error *error)
{
    struct lod_l3_whole whole;
    int result = open_file(file, count, &whole, error);

    if (result) {
        return result;
    }
    if (room < lod_pixels_bytes(&whole.pixels)) {
        return lod_say(error, -ERANGE, "the pixels have %llu bytes",
                       (unsigned long long)lod_pixels_bytes(&whole.pixels));
    }
    result = lod_l3_whole_pixels(&whole, gpu_of(device), into);
    return result ? say_decoded(error, result) : 0;
}

int lodfs_l3_decode_there(const void *file, size_t count, struct lodfs_device *device,
                          uint64_t *ret_address, struct lodfs_error *error)
{
    struct lod_l3_whole whole;
    int result = open_file(file, count, &whole, error);

    if (result) {
        return result;
    }
    if (!gpu_of(device)) {
        return lod_say(error, -ENODEV, "the device was opened before this process was forked");
    }
    if (!lod_l3_whole_is_plain(&whole)) {
        return lod_say(error, -ENOTSUP,
                       "images with a palette or less than 8 bits are decoded on "
                       "the host");
    }
    result = lod_l3_whole_keep(&whole, device->gpu, ret_address);
    return result ? say_decoded(error, result) : 0;
}

void lodfs_l3_release(struct lodfs_device *device, uint64_t address)
{
    if (is_here(device)) {
        lod_gpu_release(device->gpu, address);
    }
}
