/* SPDX-License-Identifier: Apache-2.0 */
/* Calls libpng, reading from memory; see png_io.h. */
#include "l3/container/png_io.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>

#include <png.h>

#define SOURCES     4
#define MEMORY_BASE (128u << 10) /* zlib's window and state, libpng's structs */

static const uint8_t iend[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

struct decoder {
    png_structp png;
    png_infop info;
    struct lod_span source[SOURCES]; /* the byte ranges that libpng reads, one after another */
    unsigned at;                     /* the current one */
    const char *why;
    bool out_of_memory;
    jmp_buf escape;
};

static void give(png_structp png, png_bytep into, size_t bytes)
{
    struct decoder *d = png_get_io_ptr(png);

    while (bytes) {
        struct lod_span *source = &d->source[d->at];
        size_t part = bytes < source->bytes ? bytes : source->bytes;
        if (part == 0 && ++d->at == SOURCES) {
            d->at--;
            png_error(png, "no more data");
        }
        if (part) {
            memcpy(into, source->at, part);
            *source = (struct lod_span){.at = source->at + part, .bytes = source->bytes - part};
            into += part;
            bytes -= part;
        }
    }
}

static void leave(png_structp png, png_const_charp message)
{
    struct decoder *d = png_get_error_ptr(png);

    (void)message;
    longjmp(d->escape, 1);
}

/* libpng warns where it continues despite lost or surplus data. */
static void note_warning(png_structp png, png_const_charp message)
{
    struct decoder *d = png_get_error_ptr(png);

    (void)message;
    if (!d->why) {
        d->why = "corrupt: libpng warns about its data";
    }
}

static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    struct decoder *d = png_get_mem_ptr(png);
    void *memory = malloc(bytes);

    d->out_of_memory |= !memory;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static bool begin(struct decoder *d)
{
    d->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, d, leave, note_warning, d, allocate,
                                      release);
    d->info = d->png ? png_create_info_struct(d->png) : NULL;
    return d->info != NULL;
}

static void read_rows(struct decoder *d, const struct lod_png_header *header, uint8_t *samples)
{
    const struct lod_l3_image image = lod_png_image(header);
    const size_t stride = (size_t)lod_l3_row_bytes(&image);

    png_set_user_limits(d->png, LOD_PNG_BYTES_MAX, LOD_PNG_BYTES_MAX);
    png_set_read_fn(d->png, d, give);
    png_set_check_for_invalid_index(d->png, 0); /* keep indices past the palette */
    png_read_info(d->png, d->info);
    png_set_packing(d->png); /* one byte a sample, values unchanged */
    png_set_swap(d->png);
    const int passes = png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    if (png_get_rowbytes(d->png, d->info) != stride) {
        png_error(d->png, "another row than expected");
    }
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < header->height; y++) {
            png_read_row(d->png, samples + y * stride, NULL);
        }
    }
    png_read_end(d->png, NULL);
}

uint64_t lod_png_decode_cost(const struct lod_png_header *header)
{
    const struct lod_l3_image image = lod_png_image(header);

    return 3 * lod_l3_row_bytes(&image) + MEMORY_BASE;
}

/* longjmp returns here. Variables that change after setjmp are not read after it. */
static int run(struct decoder *d, const struct lod_png_header *header, uint8_t *samples)
{
    if (setjmp(d->escape)) {
        d->why = "corrupt: libpng cannot read its data";
        return d->out_of_memory ? -ENOMEM : -ENOTSUP;
    }
    if (!begin(d)) {
        return -ENOMEM;
    }
    read_rows(d, header, samples);
    return d->why ? -ENOTSUP : 0;
}

int lod_png_decode(struct lod_span file, const struct lod_png_layout *layout, uint8_t *samples,
                   const char **ret_why)
{
    struct decoder *d = calloc(1, sizeof(*d));

    if (!d) {
        return -ENOMEM;
    }
    d->source[0] = (struct lod_span){.at = file.at, .bytes = LOD_PNG_IHDR_BYTES};
    d->source[1] = layout->plte;
    d->source[2] = layout->idat;
    d->source[3] = (struct lod_span){.at = iend, .bytes = sizeof(iend)};
    int error = run(d, &layout->header, samples);
    png_destroy_read_struct(&d->png, &d->info, NULL);
    if (error == -ENOTSUP) {
        *ret_why = d->why;
    }
    free(d);
    return error;
}
