/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look FILE...: reads and decodes each JPEG as a training job does. Prints a line for each: bytes,
 * width x height, milliseconds of decoding, name. For quickstart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <jpeglib.h>

#define FILE_BYTES_MAX (256u << 20)
#define TRIES          5 /* the fastest counts; the first ones fill the caches */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* libjpeg's default error handler prints a message and exits, which is right for this program. */
static void decode(const unsigned char *bytes, size_t count, unsigned *ret_width,
                   unsigned *ret_height)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    jpeg_start_decompress(&jpeg);
    JSAMPARRAY row =
        jpeg.mem->alloc_sarray((j_common_ptr)&jpeg, JPOOL_IMAGE,
                               jpeg.output_width * (JDIMENSION)jpeg.output_components, 1);
    while (jpeg.output_scanline < jpeg.output_height) {
        jpeg_read_scanlines(&jpeg, row, 1);
    }
    *ret_width = jpeg.output_width;
    *ret_height = jpeg.output_height;
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
}

static int look(const char *name)
{
    FILE *file = fopen(name, "rb");
    unsigned char *bytes = malloc(FILE_BYTES_MAX);
    size_t count = file && bytes ? fread(bytes, 1, FILE_BYTES_MAX, file) : 0;
    int rc = -1;
    if (count > 0 && !ferror(file)) {
        unsigned width, height;
        double best_ms = 1e9;
        for (int i = 0; i < TRIES; i++) {
            double from = now_ms(), took;
            decode(bytes, count, &width, &height);
            took = now_ms() - from;
            best_ms = took < best_ms ? took : best_ms;
        }
        printf("%10zu bytes  %5u x %-5u  decoded in %5.1f ms  %s\n", count, width, height, best_ms,
               name);
        rc = 0;
    } else {
        perror(name);
    }
    if (file) {
        fclose(file);
    }
    free(bytes);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = argc < 2 ? 2 : 0;
    for (int i = 1; i < argc && rc == 0; i++) {
        rc = look(argv[i]) == 0 ? 0 : 1;
    }
    return rc;
}
