/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a PNG as RGB samples of 8 bits, or of 16. The 16-bit version repeats the sample's own bits
 * below it, half of them random.
 */
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

/* Reads a picture; the caller frees `at`. Returns false and prints why if it cannot be read. */
bool picture_read(const char *path, bool is_16bit, struct picture *ret_picture);

#endif
