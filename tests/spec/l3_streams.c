/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l3_streams make FOLDER SEED COUNT   writes random pictures, N.raw, and their streams, N.l3
 * l3_streams read FILE                writes the samples of a stream to stdout; exit 2: malformed
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/l3_stream.h"
#include "l3/stream/l3_stream_write.h"

static uint32_t chance(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int save(const char *folder, unsigned number, const char *suffix, struct lod_span bytes)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%u.%s", folder, number, suffix);
    file = fopen(path, "wb");
    if (!file || fwrite(bytes.at, 1, bytes.bytes, file) != bytes.bytes || fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

/* Paints noise of every strength beside gradients, so that all modes of the format are used. */
static void paint(const struct lod_l3_image *image, uint32_t *state, uint8_t *at)
{
    size_t bytes = lod_l3_row_bytes(image) * image->height;
    unsigned noise = 1u << chance(state) % 9, slope = chance(state) % 5;
    unsigned wide = image->bits == 16, mask = wide ? 255 : (1u << image->bits) - 1;

    for (size_t i = 0; i < bytes; i++) {
        unsigned value = (unsigned)(i >> wide) * slope / 4 + chance(state) % noise;
        at[i] = (uint8_t)(wide && i % 2 ? value >> 5 & 255 : value & mask);
    }
}

static int make(const char *folder, uint32_t state, unsigned count)
{
    static const uint8_t depths[] = {1, 2, 4, 8, 8, 8, 16};

    for (unsigned i = 0; i < count; i++) {
        struct lod_l3_image image = {.width = 1 + chance(&state) % 90,
                                     .height = 1 + chance(&state) % 60,
                                     .samples = (uint8_t)(1 + chance(&state) % 4),
                                     .bits = depths[chance(&state) % 7]};
        struct lod_l3_options options = {.mode = i % LOD_L3_MODES,
                                         .side_log2 = (uint8_t)(5 + chance(&state) % 3)};
        struct lod_span raw = {.bytes = lod_l3_row_bytes(&image) * image.height};
        uint8_t *samples = malloc(raw.bytes);
        struct lod_buf stream = {0};
        if (!samples) {
            return 1;
        }
        raw.at = samples;
        paint(&image, &state, samples);
        int r = lod_l3_encode(&image, samples, lod_l3_row_bytes(&image), &options, &stream);
        r = r || save(folder, i, "raw", raw) || save(folder, i, "l3", lod_buf_span(&stream));
        lod_buf_finish(&stream);
        free(samples);
        if (r) {
            return 1;
        }
    }
    return 0;
}

static int decode(const struct lod_l3_stream *stream, const uint8_t *data, uint8_t *into)
{
    size_t stride = lod_l3_row_bytes(&stream->image);
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);

    int r = work ? lod_l3_work_init(stream, work) : -ENOMEM;
    for (uint32_t row = 0; r == 0 && row < stream->rows; row++) {
        struct lod_span band;
        uint64_t offset, bytes;
        lod_l3_band(stream, row, &offset, &bytes);
        band = (struct lod_span){.at = data + offset, .bytes = bytes};
        r = lod_l3_decode_band(stream, row, band,
                               into + ((size_t)row << stream->side_log2) * stride, stride, work);
    }
    free(work);
    return r;
}

static int read_stream(const char *path)
{
    static uint8_t data[1 << 20], into[1 << 22];
    struct lod_l3_stream stream;
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(data, 1, sizeof(data), file) : 0;

    if (!file || fclose(file) ||
        lod_l3_stream_open((struct lod_span){data, bytes}, bytes, &stream)) {
        return 2;
    }
    uint64_t row = lod_l3_row_bytes(&stream.image);
    if (row > sizeof(into) / stream.image.height || decode(&stream, data, into)) {
        return 2;
    }
    return fwrite(into, 1, row * stream.image.height, stdout) == row * stream.image.height ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "make") == 0) {
        return make(argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                    (unsigned)strtoul(argv[4], NULL, 10));
    }
    if (argc == 3 && strcmp(argv[1], "read") == 0) {
        return read_stream(argv[2]);
    }
    fprintf(stderr, "usage: l3_streams make FOLDER SEED COUNT | read FILE\n");
    return 1;
}
