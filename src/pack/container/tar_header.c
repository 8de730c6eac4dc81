/* SPDX-License-Identifier: Apache-2.0 */
/* See tar_header.h. */
#include "pack/container/tar_header.h"

#include <errno.h>
#include <string.h>

#define NAME_BYTES   100u
#define MODE_AT      100u
#define SIZE_AT      124u
#define TIME_AT      136u
#define SUM_AT       148u
#define SUM_BYTES    8u
#define TYPE_AT      156u
#define TARGET_AT    157u
#define MAGIC_AT     257u
#define PREFIX_AT    345u
#define PREFIX_BYTES 155u
#define NANOSECONDS  1000000000l

bool lod_tar_is_zero(const uint8_t block[LOD_TAR_BLOCK])
{
    return block[0] == 0 && memcmp(block, block + 1, LOD_TAR_BLOCK - 1) == 0;
}

static int read_octal(const uint8_t *field, size_t bytes, int64_t *ret_number)
{
    uint64_t number = 0;
    size_t at = 0;

    while (at < bytes && field[at] == ' ') {
        at++;
    }
    for (; at < bytes && field[at] >= '0' && field[at] <= '7'; at++) {
        if (number >> 60) {
            return -EILSEQ;
        }
        number = number << 3 | (uint64_t)(field[at] - '0');
    }
    if (at < bytes && field[at] != ' ' && field[at] != '\0') {
        return -EILSEQ;
    }
    *ret_number = (int64_t)number;
    return 0;
}

/* GNU's numbers: two's complement, most significant byte first, without the first bit. */
static int read_base_256(const uint8_t *field, size_t bytes, int64_t *ret_number)
{
    const bool negative = field[0] & 0x40;
    uint64_t number = negative ? UINT64_MAX : 0;

    for (size_t i = 0; i < bytes; i++) {
        const uint8_t byte = i ? field[i] : (uint8_t)((field[0] & 0x7f) | (negative ? 0x80 : 0));
        const uint64_t top = number >> 55; /* the bits that the shift drops, and the sign bit */
        if (top != (negative ? UINT64_MAX >> 55 : 0)) {
            return -EILSEQ;
        }
        number = number << 8 | byte;
    }
    *ret_number = (int64_t)number;
    return 0;
}

int lod_tar_number(const uint8_t *field, size_t bytes, int64_t *ret_number)
{
    return field[0] & 0x80 ? read_base_256(field, bytes, ret_number)
                           : read_octal(field, bytes, ret_number);
}

int lod_tar_decimal(const char *at, size_t bytes, int64_t *ret_number)
{
    int64_t number = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (at[i] < '0' || at[i] > '9' || number > (INT64_MAX - 9) / 10) {
            return -EILSEQ;
        }
        number = number * 10 + (at[i] - '0');
    }
    *ret_number = number;
    return bytes ? 0 : -EILSEQ;
}

/* The first nine digits of a fraction, in nanoseconds; *ret_more: digits behind them are not 0. */
static int read_fraction(const char *at, size_t bytes, long *ret_nanoseconds, bool *ret_more)
{
    long number = 0, unit = NANOSECONDS / 10;
    bool more = false;

    for (size_t i = 0; i < bytes; i++, unit /= 10) {
        if (at[i] < '0' || at[i] > '9') {
            return -EILSEQ;
        }
        number += unit * (at[i] - '0');
        more = more || (unit == 0 && at[i] != '0');
    }
    *ret_nanoseconds = number;
    *ret_more = more;
    return 0;
}

int lod_tar_time(const char *at, size_t bytes, struct timespec *ret_time)
{
    const bool negative = bytes > 0 && at[0] == '-';
    const size_t sign = negative ? 1 : 0;
    const char *dot = memchr(at, '.', bytes);
    const size_t whole = (dot ? (size_t)(dot - at) : bytes) - sign;
    const size_t fraction = dot ? bytes - whole - sign - 1 : 0;
    int64_t seconds = 0;
    long nanoseconds = 0;
    bool more = false;

    if (lod_tar_decimal(at + sign, whole, &seconds) ||
        read_fraction(at + bytes - fraction, fraction, &nanoseconds, &more)) {
        return -EILSEQ;
    }
    if (negative) { /* the nanoseconds of a timespec count upwards */
        nanoseconds = nanoseconds + more;
        seconds = -seconds - (nanoseconds > 0);
        nanoseconds = nanoseconds ? NANOSECONDS - nanoseconds : 0;
    }
    *ret_time = (struct timespec){.tv_sec = seconds, .tv_nsec = nanoseconds};
    return 0;
}

bool lod_tar_is_header(const uint8_t block[LOD_TAR_BLOCK])
{
    int64_t plain = 0, with_sign = 0, sum = 0;

    for (size_t i = 0; i < LOD_TAR_BLOCK; i++) {
        const bool in_sum = i >= SUM_AT && i < SUM_AT + SUM_BYTES;
        plain += in_sum ? ' ' : block[i];
        with_sign += in_sum ? ' ' : (int8_t)block[i];
    }
    return lod_tar_number(block + SUM_AT, SUM_BYTES, &sum) == 0 &&
           (sum == plain || sum == with_sign);
}

/* Only POSIX headers have a prefix. GNU's have other fields there. */
static void read_name(const uint8_t block[LOD_TAR_BLOCK], struct lod_tar_header *header)
{
    const size_t name_bytes = strnlen((const char *)block, NAME_BYTES);
    size_t bytes = 0;

    if (memcmp(block + MAGIC_AT, "ustar", 6) == 0 && block[PREFIX_AT]) {
        bytes = strnlen((const char *)block + PREFIX_AT, PREFIX_BYTES);
        memcpy(header->name, block + PREFIX_AT, bytes);
        header->name[bytes++] = '/';
    }
    memcpy(header->name + bytes, block, name_bytes);
    header->name_bytes = bytes + name_bytes;
    header->name[header->name_bytes] = '\0';
}

int lod_tar_header_read(const uint8_t block[LOD_TAR_BLOCK], struct lod_tar_header *ret_header,
                        const char **ret_field)
{
    int64_t mode = 0, size = 0;

    *ret_field = "checksum";
    if (!lod_tar_is_header(block)) {
        return -EILSEQ;
    }
    *ret_field = "mode";
    if (lod_tar_number(block + MODE_AT, 8, &mode)) {
        return -EILSEQ;
    }
    *ret_field = "size";
    if (lod_tar_number(block + SIZE_AT, 12, &size) || size < 0) {
        return -EILSEQ;
    }
    *ret_field = "time";
    if (lod_tar_number(block + TIME_AT, 12, &ret_header->seconds)) {
        return -EILSEQ;
    }
    read_name(block, ret_header);
    memcpy(ret_header->target, block + TARGET_AT, LOD_TAR_TARGET_MAX);
    ret_header->target_bytes = strnlen(ret_header->target, LOD_TAR_TARGET_MAX);
    ret_header->mode = (uint16_t)(mode & 0777);
    ret_header->size = (uint64_t)size;
    ret_header->type = (char)block[TYPE_AT];
    if (ret_header->type == '\0' || ret_header->type == '7') { /* 7: contiguous, of old systems */
        ret_header->type = '0';
    }
    if (ret_header->type == '0' && ret_header->name_bytes &&
        ret_header->name[ret_header->name_bytes - 1] == '/') {
        ret_header->type = '5';
    }
    return 0;
}
