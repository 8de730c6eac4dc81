/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, images: a thin face of .l3 files and devices. */
#include <errno.h>
#include <stdlib.h>

#include "gpu.h"
#include "l3/l3_whole.h"
#include "lodfs.h"
#include "lodfs_error.h"

struct lodfs_device {
    struct lod_gpu *gpu;
};

static int open_file(const void *file, size_t count, struct lod_l3_whole *whole,
                     struct lodfs_error *error)
{
    int result = lod_l3_whole_open((struct lod_span){.at = file, .bytes = count}, whole);

    return result ? lod_say(error, result, "this is no .l3 file, or it is damaged") : 0;
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
    int result = device ? lod_gpu_open(name, NULL, &device->gpu, why, sizeof(why)) : -ENOMEM;

    if (result) {
        free(device);
        return lod_say(error, result, "cannot use this device: %s", why);
    }
    *ret_device = device;
    return 0;
}

void lodfs_device_close(struct lodfs_device *device)
{
    if (device) {
        lod_gpu_close(device->gpu);
        free(device);
    }
}

const char *lodfs_device_kind(struct lodfs_device *device)
{
    return lod_gpu_kind(device->gpu);
}

const char *lodfs_device_label(struct lodfs_device *device)
{
    return lod_gpu_label(device->gpu);
}

static int say_decoded(struct lodfs_error *error, int result)
{
    return lod_say(error, result, "%s",
                   result == -EILSEQ   ? "the .l3 file is damaged"
                   : result == -E2BIG  ? "the image is more than a device takes at once"
                   : result == -ENOMEM ? "out of memory"
                                       : "the device cannot keep an image");
}

int lodfs_l3_decode(const void *file, size_t count, struct lodfs_device *device, void *into,
                    size_t room, struct lodfs_error *error)
{
    struct lod_l3_whole whole;
    int result = open_file(file, count, &whole, error);

    if (result) {
        return result;
    }
    if (room != lod_pixels_bytes(&whole.pixels)) {
        return lod_say(error, -EINVAL, "the pixels have %llu bytes",
                       (unsigned long long)lod_pixels_bytes(&whole.pixels));
    }
    result = lod_l3_whole_pixels(&whole, device ? device->gpu : NULL, into);
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
    lod_gpu_release(device->gpu, address);
}
