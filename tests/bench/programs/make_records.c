/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_records tar|tfrecord PREFIX SHARDS ROOT LIST: writes the files of LIST (one path a line,
 * below ROOT) into SHARDS record files, PREFIX-NN.tar or .tfrecord. Each takes every SHARDS-th
 * file.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32c.h"

#define SHARDS_MAX 99u
#define FILE_MAX   (64u << 20)
#define TAR_BLOCK  512u

static uint8_t file[FILE_MAX];

static int put(FILE *out, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, out) == count ? 0 : -1;
}

/* Writes a POSIX ustar header. Its checksum counts the checksum field as spaces. */
static int put_tar(FILE *out, unsigned number, size_t bytes)
{
    char header[TAR_BLOCK] = "";
    static const char zeros[2 * TAR_BLOCK];
    unsigned sum = 0;

    snprintf(header, 100, "%08u.jpg", number);
    strcpy(header + 100, "0000644");
    strcpy(header + 108, "0000000");
    strcpy(header + 116, "0000000");
    snprintf(header + 124, 12, "%011zo", bytes);
    strcpy(header + 136, "14524761400");
    memset(header + 148, ' ', 8);
    header[156] = '0';
    memcpy(header + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(header); i++) {
        sum += (uint8_t)header[i];
    }
    snprintf(header + 148, 8, "%06o", sum);
    return put(out, header, sizeof(header)) || put(out, file, bytes) ||
                   put(out, zeros, -bytes % TAR_BLOCK)
               ? -1
               : 0;
}

static void set_le(uint8_t *at, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static int put_tfrecord(FILE *out, unsigned number, size_t bytes)
{
    uint8_t head[12], tail[4];

    (void)number;
    set_le(head, 8, bytes);
    set_le(head + 8, 4, crc32c_masked(head, 8));
    set_le(tail, 4, crc32c_masked(file, bytes));
    return put(out, head, 12) || put(out, file, bytes) || put(out, tail, 4) ? -1 : 0;
}

static int read_source(const char *root, const char *path, size_t *ret_bytes)
{
    char full[8192];

    snprintf(full, sizeof(full), "%s/%s", root, path);
    FILE *in = fopen(full, "rb");
    *ret_bytes = in ? fread(file, 1, FILE_MAX, in) : 0;
    int rc = in && !ferror(in) && *ret_bytes < FILE_MAX ? 0 : -1;
    if (rc) {
        fprintf(stderr, "make_records: cannot take %s\n", full);
    }
    if (in) {
        fclose(in);
    }
    return rc;
}

static int open_shards(FILE **out, unsigned shards, const char *prefix, const char *kind)
{
    for (unsigned i = 0; i < shards; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s-%02u.%s", prefix, i, kind);
        out[i] = fopen(path, "wb");
        if (!out[i]) {
            perror(path);
            return -1;
        }
    }
    return 0;
}

static int close_shards(FILE **out, unsigned shards, int tar)
{
    static const char zeros[2 * TAR_BLOCK];
    int rc = 0;

    for (unsigned i = 0; i < shards; i++) {
        if (out[i]) {
            rc |= tar ? put(out[i], zeros, sizeof(zeros)) : 0;
            rc |= fclose(out[i]);
        }
    }
    return rc;
}

int main(int argc, char **argv)
{
    FILE *out[SHARDS_MAX] = {0}, *list = argc == 6 ? fopen(argv[5], "r") : NULL;
    unsigned shards = argc == 6 ? (unsigned)strtoul(argv[3], NULL, 10) : 0, number = 0;
    char *line = NULL;
    size_t room = 0, bytes;

    if (!list || shards < 1 || shards > SHARDS_MAX) {
        fprintf(stderr, "usage: make_records tar|tfrecord PREFIX SHARDS ROOT LIST\n");
        return 2;
    }
    const int tar = strcmp(argv[1], "tar") == 0;
    int rc = open_shards(out, shards, argv[2], tar ? "tar" : "tfrecord");
    for (ssize_t n; !rc && (n = getline(&line, &room, list)) > 0; number++) {
        line[n - (line[n - 1] == '\n')] = 0;
        rc = read_source(argv[4], line, &bytes);
        rc = rc ? rc : (tar ? put_tar : put_tfrecord)(out[number % shards], number, bytes);
    }
    rc |= close_shards(out, shards, tar);
    free(line);
    fclose(list);
    return rc ? 1 : 0;
}
