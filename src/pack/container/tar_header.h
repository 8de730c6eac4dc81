/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers of tar files: POSIX.1-2001 (pax and ustar), GNU tar's and those of V7. Pure functions of
 * bytes in memory.
 */
#ifndef LOD_TAR_HEADER_H
#define LOD_TAR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "compiler.h"

#define LOD_TAR_BLOCK 512u

/* A name of a header has at most 155 bytes, a slash and 100. */
#define LOD_TAR_NAME_MAX   256u
#define LOD_TAR_TARGET_MAX 100u

struct lod_tar_header {
    char type; /* as in ustar: '0' a file, '5' a folder, ..; also for archives of V7 */
    uint16_t mode;
    uint64_t size;
    int64_t seconds;
    size_t name_bytes;
    char name[LOD_TAR_NAME_MAX + 1];
    size_t target_bytes; /* of a link */
    char target[LOD_TAR_TARGET_MAX];
};

/* Returns whether all bytes of a block are 0. */
bool lod_tar_is_zero(const uint8_t block[LOD_TAR_BLOCK]);

/* Returns whether the block's checksum is right, as bytes with or without a sign. */
bool lod_tar_is_header(const uint8_t block[LOD_TAR_BLOCK]);

/* Reads a header. Returns -EILSEQ for a malformed one, with the name of the field. */
LOD_MUST_CHECK int lod_tar_header_read(const uint8_t block[LOD_TAR_BLOCK],
                                       struct lod_tar_header *ret_header, const char **ret_field);

/*
 * Reads a number: octal digits, or of base 256 with the first bit set. Returns -EILSEQ if it is
 * neither, or beyond 63 bits.
 */
LOD_MUST_CHECK int lod_tar_number(const uint8_t *field, size_t bytes, int64_t *ret_number);

/* Reads decimal digits, at least one. Returns -EILSEQ for another byte, or beyond 63 bits. */
LOD_MUST_CHECK int lod_tar_decimal(const char *at, size_t bytes, int64_t *ret_number);

/*
 * Reads seconds in decimal, perhaps with a sign and a fraction, as "-1.25". Digits behind the ninth
 * of the fraction are dropped, so the time is never later than that of the text. Returns -EILSEQ
 * for other text.
 */
LOD_MUST_CHECK int lod_tar_time(const char *at, size_t bytes, struct timespec *ret_time);

#endif
