/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What encoding costs an image and core, in CPU time, step by step and in all:
 *   build/tests/bench/encode_jpeg FILE.jpg ..
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "encoder.h"
#include "pcr/jpeg_io.h"
#include "pcr/jpeg_scan.h"
#include "pcr/script.h"

#define MEMORY (1ull << 30)

enum step { READ, WRITE, PROVE, DECODE, ENCODE, STEPS };

static const char *const step_names[STEPS] = {
    [READ] = "read the coefficients",
    [WRITE] = "write the scans",
    [PROVE] = "read them back and compare",
    [DECODE] = "decode to pixels, for comparison",
    [ENCODE] = "encode: scan, read, write, prove, cut",
};

struct totals {
    double ms[STEPS];
    double bytes_in, bytes_out;
    unsigned images, whole;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int read_file(const char *path, struct lod_buf *ret_file)
{
    static uint8_t chunk[1 << 16];
    FILE *in = fopen(path, "rb");
    int error = in ? 0 : -1;

    for (size_t bytes; in && !error && (bytes = fread(chunk, 1, sizeof(chunk), in));) {
        error = lod_buf_append(ret_file, chunk, bytes);
    }
    if (in) {
        fclose(in);
    }
    return error;
}

/* The steps of encode one by one, as encode takes them. */
static int time_steps(struct lod_span file, struct totals *t)
{
    static struct lod_jpeg_layout layout;
    struct lod_jpeg *jpeg = NULL, *again = NULL;
    struct lod_buf written = {0}, pixels = {0};
    struct lod_script fitted;
    uint8_t blocks[LOD_SCRIPT_COMPONENTS];
    uint32_t width, height, channels;
    const char *why;

    double from = now_ms();
    int error = lod_jpeg_scan(file, &layout, &why);
    error = error ? error : lod_jpeg_read(file, MEMORY, &jpeg, &why);
    t->ms[READ] += now_ms() - from;
    if (error) {
        return error;
    }
    for (unsigned c = 0; c < LOD_SCRIPT_COMPONENTS; c++) {
        blocks[c] = (uint8_t)(layout.h[c] * layout.v[c]);
    }
    lod_script_fit(lod_script_named("default"), layout.components, blocks, &fitted);
    from = now_ms();
    error = lod_jpeg_write(jpeg, &fitted, &written);
    t->ms[WRITE] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_jpeg_read(lod_buf_span(&written), MEMORY, &again, &why);
    error = error ? error : lod_jpeg_same(jpeg, again);
    t->ms[PROVE] += now_ms() - from;
    from = now_ms();
    error = error ? error : lod_jpeg_decode(file, &pixels, &width, &height, &channels);
    t->ms[DECODE] += now_ms() - from;
    lod_jpeg_destroy(jpeg);
    lod_jpeg_destroy(again);
    lod_buf_finish(&written);
    lod_buf_finish(&pixels);
    return error;
}

static int time_encode(struct lod_span file, struct totals *t)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice};
    struct lod_encoded item;

    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        choice.classes[c].count = 1;
        choice.classes[c].scripts[0] = lod_script_named("default");
    }
    double from = now_ms();
    int error = lod_encoder_pcr.encode(file, &options, &item);
    t->ms[ENCODE] += now_ms() - from;
    if (error) {
        return error;
    }
    t->bytes_in += (double)file.bytes;
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        t->bytes_out += (double)item.group[i].bytes;
    }
    t->images++;
    t->whole += item.whole != NULL;
    lod_encoded_finish(&item);
    return 0;
}

int main(int argc, char **argv)
{
    struct totals t = {.images = 0};

    for (int i = 1; i < argc; i++) {
        struct lod_buf file = {0};
        if (read_file(argv[i], &file) || time_encode(lod_buf_span(&file), &t)) {
            fprintf(stderr, "%s: cannot be read or encoded\n", argv[i]);
            return EXIT_FAILURE;
        }
        if (time_steps(lod_buf_span(&file), &t)) {
            fprintf(stderr, "%s: is stored whole\n", argv[i]);
        }
        lod_buf_finish(&file);
    }
    if (!t.images) {
        fprintf(stderr, "usage: encode_jpeg FILE.jpg ..\n");
        return EXIT_FAILURE;
    }
    printf("%u images of %.1f KB on average, %u stored whole, out/in %.4f\n", t.images,
           t.bytes_in / t.images / 1000, t.whole, t.bytes_out / t.bytes_in);
    for (unsigned i = 0; i < STEPS; i++) {
        printf("%8.2f ms an image  %s\n", t.ms[i] / t.images, step_names[i]);
    }
    return EXIT_SUCCESS;
}
