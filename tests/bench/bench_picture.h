/* SPDX-License-Identifier: Apache-2.0 */
/* A PNG as RGB samples of 8 bits, or of 16: then each has its own bits again below, half of them
 * noise. */
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture {
    uint32_t width, height;
    uint8_t bits; /* of a sample */
    uint8_t *at;
    size_t bytes;
};

/* To be freed: `at`. False: it cannot be read, and stderr says why. */
bool picture_read(const char *path, bool deep, struct picture *ret_picture);

#endif
