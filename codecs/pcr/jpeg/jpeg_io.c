/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjpeg reports errors by longjmp, which never leaves this file: every public function is a
 * setjmp around a body that owns no resources itself.
 */
#include "pcr/jpeg/jpeg_io.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pcr/jpeg/jpeg_lib.h"

/*
 * Block smoothing (jdcoefct.c) depends on DC and the first AC coefficients in zigzag order: 5 in
 * libjpeg 6b, 9 since libjpeg-turbo 2.1. If one of them is not fully sent, it invents values.
 */
#define SMOOTHED_COEFFICIENTS 10

/* Returns whether libjpeg would smooth this image's blocks because scans are missing. */
static bool smoothing_acts(const struct jpeg_decompress_struct *info)
{
    for (int c = 0; info->progressive_mode && c < info->num_components; c++) {
        for (int k = 0; k < SMOOTHED_COEFFICIENTS; k++) {
            if (info->coef_bits[c][k] != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether every component's quantisation table at its first scan is
 * unchanged at the end. */
static bool tables_stand(const struct jpeg_decompress_struct *info)
{
    for (int c = 0; c < info->num_components; c++) {
        const jpeg_component_info *component = &info->comp_info[c];
        const JQUANT_TBL *now = info->quant_tbl_ptrs[component->quant_tbl_no];
        if (!component->quant_table || !now ||
            memcmp(component->quant_table->quantval, now->quantval, sizeof(now->quantval)) != 0) {
            return false;
        }
    }
    return true;
}

struct reading {
    struct jpeg_decompress_struct info;
    struct lod_jpeg_failure failure;
    jvirt_barray_ptr *coefficients;
    struct lod_jpeg *jpeg;
};

/* The caller has called setjmp. Returns NULL if there was no loss, else the reason. */
static const char *read_coefficients(struct reading *r)
{
    r->coefficients = jpeg_read_coefficients(&r->info);
    if (r->failure.lost) {
        return r->failure.lost;
    }
    if (smoothing_acts(&r->info)) {
        return "incomplete: progressive scans are missing";
    }
    return tables_stand(&r->info) ? NULL : "a quantisation table changes between scans";
}

/* libjpeg's encoder numbers Huffman tables by the meaning of a component: 0, for chrominance 1. */
static uint8_t coding_of(const struct jpeg_decompress_struct *info, unsigned c)
{
    return (info->jpeg_color_space == JCS_YCbCr && c > 0) ||
           (info->jpeg_color_space == JCS_YCCK && (c == 1 || c == 2));
}

static struct lod_jpeg_frame frame_of(const struct jpeg_decompress_struct *info)
{
    struct lod_jpeg_frame frame = {.components = (uint8_t)info->num_components,
                                   .width = (uint16_t)info->image_width,
                                   .height = (uint16_t)info->image_height};

    for (unsigned c = 0; c < frame.components; c++) {
        const jpeg_component_info *from = &info->comp_info[c];
        frame.component[c] = (struct lod_jpeg_component){.id = (uint8_t)from->component_id,
                                                         .h = (uint8_t)from->h_samp_factor,
                                                         .v = (uint8_t)from->v_samp_factor,
                                                         .quant = (uint8_t)from->quant_tbl_no,
                                                         .coding = coding_of(info, c)};
    }
    lod_jpeg_frame_measure(&frame);
    return frame;
}

/* The caller has called setjmp. Coefficients are in row order in libjpeg's blocks, in zigzag order
 * in ours. */
static void copy_plane(struct reading *r, unsigned c)
{
    const struct lod_jpeg_frame *frame = &r->jpeg->frame;
    const struct lod_jpeg_component *component = &frame->component[c];

    for (uint32_t y = 0; y < frame->mcus_high * component->v; y++) {
        int16_t(*into)[LOD_JPEG_BLOCK] = lod_jpeg_row(r->jpeg, c, y);
        JBLOCKARRAY from = r->info.mem->access_virt_barray((j_common_ptr)&r->info,
                                                           r->coefficients[c], y, 1, FALSE);
        for (uint32_t x = 0; x < frame->mcus_wide * component->h; x++) {
            for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
                into[x][k] = from[0][x][lod_zigzag[k]];
            }
        }
    }
}

static void copy_tables(struct reading *r)
{
    for (unsigned c = 0; c < r->jpeg->frame.components; c++) {
        unsigned number = r->jpeg->frame.component[c].quant;
        const UINT16 *from = r->info.quant_tbl_ptrs[number]->quantval;
        for (unsigned k = 0; k < LOD_JPEG_BLOCK; k++) {
            r->jpeg->quant[number][k] = from[lod_zigzag[k]];
        }
    }
}

/* The caller has called setjmp. */
static int read_all(struct reading *r, const char **ret_why)
{
    const char *why = r->info.num_components > LOD_SCRIPT_COMPONENTS ? "more than four components"
                                                                     : read_coefficients(r);

    if (why) {
        *ret_why = why;
        return -ENOTSUP;
    }
    const struct lod_jpeg_frame frame = frame_of(&r->info);
    int error = lod_jpeg_create(&frame, &r->jpeg);
    for (unsigned c = 0; !error && c < frame.components; c++) {
        copy_plane(r, c);
    }
    if (!error) {
        copy_tables(r);
    }
    return error;
}

int lod_jpeg_read(struct lod_span file, uint64_t bytes_max, struct lod_jpeg **ret_jpeg,
                  const char **ret_why)
{
    struct reading *r = calloc(1, sizeof(*r));
    int error;

    if (!r) {
        return -ENOMEM;
    }
    r->info.err = lod_jpeg_failure_init(&r->failure);
    if (setjmp(r->failure.escape)) {
        error = lod_jpeg_failure_errno(&r->failure, ret_why);
    } else {
        lod_jpeg_start(&r->info, file, bytes_max);
        error = read_all(r, ret_why);
    }
    jpeg_destroy_decompress(&r->info);
    if (error) {
        lod_jpeg_destroy(r->jpeg);
    } else {
        *ret_jpeg = r->jpeg;
    }
    free(r);
    return error;
}

/* The caller has called setjmp. */
static int decode(struct jpeg_decompress_struct *info, struct lod_buf *pixels)
{
    jpeg_start_decompress(info);
    uint64_t row_bytes = (uint64_t)info->output_width * (unsigned)info->output_components;
    uint64_t bytes = row_bytes * info->output_height;
    if (bytes > LOD_JPEG_DECODE_BYTES_MAX) {
        return -E2BIG;
    }
    pixels->bytes = 0;
    int error = lod_buf_reserve(pixels, bytes);
    if (error) {
        return error;
    }
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = pixels->data + info->output_scanline * row_bytes;
        jpeg_read_scanlines(info, &row, 1);
    }
    pixels->bytes = bytes;
    return 0;
}

int lod_jpeg_decode(struct lod_span file, struct lod_buf *pixels, uint32_t *ret_width,
                    uint32_t *ret_height, uint32_t *ret_channels)
{
    struct jpeg_decompress_struct info = {0};
    struct lod_jpeg_failure failure;
    const char *why;
    int error;

    info.err = lod_jpeg_failure_init(&failure);
    if (setjmp(failure.escape)) {
        error = lod_jpeg_failure_errno(&failure, &why);
    } else {
        lod_jpeg_start(&info, file, LOD_JPEG_DECODE_BYTES_MAX);
        error = decode(&info, pixels);
        if (!error) {
            *ret_width = info.output_width;
            *ret_height = info.output_height;
            *ret_channels = (uint32_t)info.output_components;
        }
    }
    jpeg_destroy_decompress(&info);
    return error;
}

/* The caller has called setjmp. */
static int decode_rows(struct jpeg_decompress_struct *info, uint32_t width, uint32_t height,
                       uint32_t channels, uint8_t *into)
{
    if (info->image_width != width || info->image_height != height) {
        return -EILSEQ;
    }
    jpeg_start_decompress(info);
    if ((uint32_t)info->output_components != channels) {
        return -EILSEQ;
    }
    while (info->output_scanline < height) {
        JSAMPROW row = into + (uint64_t)info->output_scanline * width * channels;
        jpeg_read_scanlines(info, &row, 1);
    }
    return 0;
}

int lod_jpeg_decode_into(struct lod_span file, uint64_t bytes_max, uint32_t width, uint32_t height,
                         uint32_t channels, uint8_t *into)
{
    struct jpeg_decompress_struct info = {0};
    const uint64_t bytes = (uint64_t)width * height * channels;
    struct lod_jpeg_failure failure;
    const char *why;
    int error;

    if (bytes >= bytes_max) {
        return -E2BIG;
    }
    info.err = lod_jpeg_failure_init(&failure);
    if (setjmp(failure.escape)) {
        error = lod_jpeg_failure_errno(&failure, &why);
    } else {
        lod_jpeg_start(&info, file, bytes_max - bytes);
        error = decode_rows(&info, width, height, channels, into);
    }
    jpeg_destroy_decompress(&info);
    return error == -ENOTSUP || (!error && failure.lost) ? -EILSEQ : error;
}

struct encoding {
    struct jpeg_compress_struct info;
    struct lod_jpeg_failure failure;
    uint8_t *data; /* libjpeg's, by malloc; after an error it may have been freed */
    unsigned long bytes;
};

/* The caller has called setjmp. */
static void encode(struct encoding *e, const uint8_t *pixels,
                   const struct lod_jpeg_encode_options *options)
{
    const size_t row_bytes = (size_t)e->info.image_width * (unsigned)e->info.input_components;

    jpeg_set_defaults(&e->info);
    jpeg_set_quality(&e->info, (int)options->quality, TRUE);
    e->info.optimize_coding = TRUE;
    e->info.comp_info[0].h_samp_factor = e->info.comp_info[0].v_samp_factor = options->half ? 2 : 1;
    jpeg_start_compress(&e->info, TRUE);
    while (e->info.next_scanline < e->info.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + e->info.next_scanline * row_bytes);
        jpeg_write_scanlines(&e->info, &row, 1);
    }
    jpeg_finish_compress(&e->info);
}

int lod_jpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    const struct lod_jpeg_encode_options *options, struct lod_buf *file)
{
    if ((channels != 1 && channels != 3) || width - 1 >= JPEG_MAX_DIMENSION ||
        height - 1 >= JPEG_MAX_DIMENSION) {
        return -EINVAL;
    }
    struct encoding *e = calloc(1, sizeof(*e));
    int error;

    if (!e) {
        return -ENOMEM;
    }
    e->info.err = lod_jpeg_failure_init(&e->failure);
    if (setjmp(e->failure.escape)) {
        error = -ENOMEM;
    } else {
        jpeg_create_compress(&e->info);
        jpeg_mem_dest(&e->info, &e->data, &e->bytes);
        e->info.image_width = width;
        e->info.image_height = height;
        e->info.input_components = (int)channels;
        e->info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        encode(e, pixels, options);
        error = lod_buf_append(file, e->data, e->bytes);
        free(e->data);
    }
    jpeg_destroy_compress(&e->info);
    free(e);
    return error;
}
