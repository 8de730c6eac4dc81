/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints facts about JPEG files, as libjpeg decodes them. Reads file names from stdin, each ended
 * by NUL, and prints a line for each: COEFFICIENTS PIXELS WIDTH HEIGHT COMPONENTS WARNINGS, or:
 * error COEFFICIENTS is a hash over the components' ids, samplings, quantisation tables and
 * width_in_blocks x height_in_blocks blocks. PIXELS is a hash over the pixels that libjpeg decodes
 * with its default settings.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
};

struct facts {
    uint64_t coefficients, pixels;
    unsigned width, height;
    int components;
    long warnings;
};

/* FNV-1a over 16-bit values. */
static uint64_t mix(uint64_t hash, unsigned value)
{
    return (hash ^ (value & 0xffff)) * 0x100000001b3u;
}

static void fail(j_common_ptr jpeg)
{
    struct reader *reader = jpeg->client_data;
    longjmp(reader->failed, 1);
}

static void keep_quiet(j_common_ptr jpeg, int level)
{
    if (level < 0) {
        jpeg->err->num_warnings++;
    }
}

static void open_reader(struct reader *reader, FILE *file)
{
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.emit_message = keep_quiet;
    reader->jpeg.client_data = reader;
    rewind(file);
    jpeg_stdio_src(&reader->jpeg, file);
    jpeg_read_header(&reader->jpeg, TRUE);
}

static uint64_t hash_component(struct reader *reader, jvirt_barray_ptr blocks, int c, uint64_t hash)
{
    jpeg_component_info *info = reader->jpeg.comp_info + c;
    hash = mix(mix(mix(hash, (unsigned)info->component_id), (unsigned)info->h_samp_factor),
               (unsigned)info->v_samp_factor);
    for (int i = 0; info->quant_table && i < DCTSIZE2; i++) {
        hash = mix(hash, info->quant_table->quantval[i]);
    }
    for (JDIMENSION y = 0; y < info->height_in_blocks; y++) {
        JBLOCKARRAY row =
            reader->jpeg.mem->access_virt_barray((j_common_ptr)&reader->jpeg, blocks, y, 1, FALSE);
        for (JDIMENSION x = 0; x < info->width_in_blocks; x++) {
            for (int i = 0; i < DCTSIZE2; i++) {
                hash = mix(hash, (unsigned)row[0][x][i]);
            }
        }
    }
    return hash;
}

static int read_coefficients(struct reader *reader, FILE *file, struct facts *ret)
{
    if (setjmp(reader->failed)) {
        return -1;
    }
    open_reader(reader, file);
    jvirt_barray_ptr *blocks = jpeg_read_coefficients(&reader->jpeg);
    ret->width = reader->jpeg.image_width;
    ret->height = reader->jpeg.image_height;
    ret->components = reader->jpeg.num_components;
    ret->coefficients = mix(mix(0xcbf29ce484222325u, ret->width), ret->height);
    for (int c = 0; c < reader->jpeg.num_components; c++) {
        ret->coefficients = hash_component(reader, blocks[c], c, ret->coefficients);
    }
    jpeg_finish_decompress(&reader->jpeg);
    ret->warnings = reader->errors.num_warnings;
    return 0;
}

static int read_pixels(struct reader *reader, FILE *file, struct facts *ret)
{
    if (setjmp(reader->failed)) {
        return -1;
    }
    open_reader(reader, file);
    jpeg_start_decompress(&reader->jpeg);
    JDIMENSION bytes = reader->jpeg.output_width * (JDIMENSION)reader->jpeg.output_components;
    JSAMPARRAY row =
        reader->jpeg.mem->alloc_sarray((j_common_ptr)&reader->jpeg, JPOOL_IMAGE, bytes, 1);
    ret->pixels = 0xcbf29ce484222325u;
    while (reader->jpeg.output_scanline < reader->jpeg.output_height) {
        jpeg_read_scanlines(&reader->jpeg, row, 1);
        for (JDIMENSION i = 0; i < bytes; i++) {
            ret->pixels = mix(ret->pixels, row[0][i]);
        }
    }
    jpeg_finish_decompress(&reader->jpeg);
    ret->warnings += reader->errors.num_warnings;
    return 0;
}

/* Runs one pass over a file, with a new reader. */
static int with_reader(int (*pass)(struct reader *, FILE *, struct facts *), FILE *file,
                       struct facts *ret)
{
    struct reader reader = {0};
    reader.jpeg.err = jpeg_std_error(&reader.errors);
    jpeg_create_decompress(&reader.jpeg);
    int rc = pass(&reader, file, ret);
    jpeg_destroy_decompress(&reader.jpeg);
    return rc;
}

int main(void)
{
    char *name = NULL;
    size_t room = 0;
    while (getdelim(&name, &room, 0, stdin) > 0) {
        struct facts facts = {0};
        FILE *file = fopen(name, "rb");
        if (file && with_reader(read_coefficients, file, &facts) == 0 &&
            with_reader(read_pixels, file, &facts) == 0) {
            printf("%016llx %016llx %u %u %d %ld\n", (unsigned long long)facts.coefficients,
                   (unsigned long long)facts.pixels, facts.width, facts.height, facts.components,
                   facts.warnings);
        } else {
            puts("error");
        }
        if (file) {
            fclose(file);
        }
    }
    free(name);
    return 0;
}
