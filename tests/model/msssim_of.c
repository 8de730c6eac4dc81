/* SPDX-License-Identifier: Apache-2.0 */
/* msssim_of WIDTH HEIGHT CHANNELS REFERENCE IMAGE: prints the MS-SSIM that codecs/pcr/measure
 * computes for two files of raw samples. */
#include <stdio.h>
#include <stdlib.h>

#include "likeness/msssim.h"

static uint8_t *read_samples(const char *path, size_t bytes)
{
    uint8_t *samples = malloc(bytes);
    FILE *file = fopen(path, "rb");

    if (!samples || !file || fread(samples, 1, bytes, file) != bytes) {
        fprintf(stderr, "msssim_of: cannot read %zu bytes of %s\n", bytes, path);
        exit(1);
    }
    fclose(file);
    return samples;
}

int main(int argc, char **argv)
{
    struct lod_msssim *msssim = NULL;
    double value = 0;

    if (argc != 6) {
        return 2;
    }
    struct lod_msssim_image shape = {.width = (uint32_t)strtoul(argv[1], NULL, 10),
                                     .height = (uint32_t)strtoul(argv[2], NULL, 10),
                                     .channels = (uint32_t)strtoul(argv[3], NULL, 10)};
    size_t bytes = (size_t)shape.width * shape.height * shape.channels;
    uint8_t *reference = read_samples(argv[4], bytes), *image = read_samples(argv[5], bytes);
    struct lod_msssim_image a = shape, b = shape;

    a.at = reference;
    b.at = image;
    int error = lod_msssim_create(a, &msssim);
    if (!error) {
        error = lod_msssim_compare(msssim, b, &value);
    }
    lod_msssim_destroy(msssim);
    free(reference);
    free(image);
    printf("%.9f\n", value);
    return error ? 1 : 0;
}
