/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG files made in memory with libjpeg, and libjpeg's view of a file, for comparison with the pcr
 * codec. Deterministic: the same options give the same bytes.
 */
#ifndef LOD_JPEG_SAMPLES_H
#define LOD_JPEG_SAMPLES_H

#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "buf.h"
#include "pcr/jpeg/script.h"
#include "codecs/sanitized.h"

struct sample {
    unsigned width, height;
    unsigned components;    /* 1 .. 4; 0: 3 */
    unsigned h[4], v[4];    /* 0: 1 */
    J_COLOR_SPACE space;    /* colour space of the file; 0: gray, YCbCr or CMYK */
    int quality;            /* 0: 85 */
    unsigned restart;       /* restart interval in MCUs; 0: none */
    bool progressive;       /* with libjpeg's default script */
    bool optimized;         /* with Huffman tables optimised for the file */
    bool arithmetic, bare;  /* bare: neither JFIF nor Adobe */
    bool scan_a_component;  /* sequential, not interleaved */
    unsigned orientation;   /* orientation in EXIF, 1 .. 8; 0: no EXIF */
    bool exif_big;          /* EXIF is big endian */
    unsigned icc_bytes;     /* size of an ICC profile, split into chunks */
    unsigned comment_bytes; /* 0: none */
    const char *trailing;   /* bytes after EOI; NULL: none */
};

struct sample_failure {
    struct jpeg_error_mgr base;
    jmp_buf escape;
};

static inline void sample_leave(j_common_ptr info)
{
    longjmp(((struct sample_failure *)info->err)->escape, 1);
}

static inline void sample_silent(j_common_ptr info)
{
    (void)info;
}

/* Ends the test: the operation must succeed. */
static inline void sample_die(j_common_ptr info)
{
    char message[JMSG_LENGTH_MAX];
    info->err->format_message(info, message);
    cr_assert_fail("libjpeg: %s", message);
    abort();
}

static inline struct jpeg_error_mgr *sample_errors(struct sample_failure *failure)
{
    jpeg_std_error(&failure->base);
    failure->base.error_exit = sample_leave;
    failure->base.output_message = sample_silent;
    return &failure->base;
}

static inline uint32_t sample_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Fills a row with slopes, edges and noise, different in each component. */
static inline void sample_row(const struct sample *s, unsigned components, unsigned y,
                              uint64_t *state, uint8_t *row)
{
    for (unsigned x = 0; x < s->width; x++) {
        for (unsigned c = 0; c < components; c++) {
            unsigned edge = ((x / 13 + y / (9 + c)) & 1) * 70;
            unsigned value = x * (2 + c) + y * (3 - c % 2) + edge + sample_random(state) % 23;
            row[x * components + c] = (uint8_t)(value & 256 ? 255 - (value & 255) : value);
        }
    }
}

static inline void sample_exif(struct jpeg_compress_struct *info, const struct sample *s)
{
    const uint8_t big[] = {'E', 'x', 'i', 'f', 0, 0,  'M', 'M', 0, 42,
                           0,   0,   0,   8,   0, 2,  1,   0,   0, 3,
                           0,   0,   0,   1,   0, 64, 0,   0, /* ImageWidth */
                           1,   18,  0,   3,   0, 0,  0,   1,   0, (uint8_t)s->orientation,
                           0,   0,   0,   0,   0, 0};
    const uint8_t little[] = {'E', 'x', 'i', 'f', 0,
                              0,   'I', 'I', 42,  0,
                              8,   0,   0,   0,   1,
                              0,   18,  1,   3,   0,
                              1,   0,   0,   0,   (uint8_t)s->orientation,
                              0,   0,   0,   0,   0,
                              0,   0};
    if (s->orientation && s->exif_big) {
        jpeg_write_marker(info, JPEG_APP0 + 1, big, sizeof(big));
    } else if (s->orientation) {
        jpeg_write_marker(info, JPEG_APP0 + 1, little, sizeof(little));
    }
}

static inline void sample_markers(struct jpeg_compress_struct *info, const struct sample *s)
{
    uint8_t *filler = malloc(s->icc_bytes + s->comment_bytes + 1u);
    uint64_t state = 7;

    cr_assert_not_null(filler);
    for (unsigned i = 0; i < s->icc_bytes + s->comment_bytes; i++) {
        filler[i] = (uint8_t)sample_random(&state);
    }
    sample_exif(info, s);
    if (s->icc_bytes) {
        jpeg_write_icc_profile(info, filler, s->icc_bytes);
    }
    if (s->comment_bytes) {
        jpeg_write_marker(info, JPEG_COM, filler + s->icc_bytes, s->comment_bytes);
        jpeg_write_marker(info, JPEG_APP0 + 13, filler + s->icc_bytes, s->comment_bytes / 2);
    }
    free(filler);
}

static inline void sample_setup(struct jpeg_compress_struct *info, const struct sample *s,
                                jpeg_scan_info scans[4])
{
    J_COLOR_SPACE space = s->space;

    if (space == JCS_UNKNOWN && s->components != 2) {
        space = s->components == 1 ? JCS_GRAYSCALE : s->components == 4 ? JCS_CMYK : JCS_YCbCr;
    }
    jpeg_set_defaults(info);
    jpeg_set_quality(info, s->quality ? s->quality : 85, FALSE);
    jpeg_set_colorspace(info, space);
    for (int c = 0; c < info->num_components; c++) {
        info->comp_info[c].h_samp_factor = s->h[c] ? (int)s->h[c] : 1;
        info->comp_info[c].v_samp_factor = s->v[c] ? (int)s->v[c] : 1;
        scans[c] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {c}, .Se = 63};
    }
    info->restart_interval = s->restart;
    info->arith_code = s->arithmetic;
    info->optimize_coding = s->optimized;
    if (s->bare) {
        info->write_JFIF_header = FALSE;
        info->write_Adobe_marker = FALSE;
    }
    if (s->scan_a_component) {
        info->scan_info = scans;
        info->num_scans = info->num_components;
    }
    if (s->progressive) {
        jpeg_simple_progression(info);
    }
}

/* Returns the file; the caller frees it with lod_buf_finish. */
static inline struct lod_buf sample_jpeg(const struct sample *s)
{
    struct jpeg_compress_struct info = {0};
    struct jpeg_error_mgr errors;
    struct lod_buf file = {0};
    jpeg_scan_info scans[4];
    unsigned char *made = NULL;
    unsigned long bytes = 0;
    const J_COLOR_SPACE in_spaces[] = {0, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK};
    unsigned components = s->components ? s->components : 3;
    uint8_t *row = malloc((size_t)s->width * components);
    uint64_t state = 1;

    cr_assert_not_null(row);
    info.err = jpeg_std_error(&errors);
    errors.error_exit = sample_die;
    errors.output_message = sample_silent;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &made, &bytes);
    info.image_width = s->width;
    info.image_height = s->height;
    info.input_components = (int)components;
    info.in_color_space = in_spaces[components];
    sample_setup(&info, s, scans);
    jpeg_start_compress(&info, TRUE);
    sample_markers(&info, s);
    for (unsigned y = 0; y < s->height; y++) {
        sample_row(s, components, y, &state, row);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(row);
    cr_assert_eq(lod_buf_append(&file, made, bytes), 0);
    if (s->trailing) {
        cr_assert_eq(lod_buf_append(&file, s->trailing, strlen(s->trailing)), 0);
    }
    free(made);
    return file;
}

/* libjpeg's decode of a file with default settings. bytes is 0 if it fails. */
struct sample_pixels {
    unsigned width, height, channels;
    long warnings;
    struct lod_buf pixels;
};

/* `smooth`: blocks of which scans are missing, as is the default. */
static inline struct sample_pixels sample_decode_as(struct lod_span file, bool smooth)
{
    struct jpeg_decompress_struct info = {0};
    struct sample_failure failure;
    struct sample_pixels *made = calloc(1, sizeof(*made)), copy;

    cr_assert_not_null(made);
    info.err = sample_errors(&failure);
    if (!setjmp(failure.escape)) {
        jpeg_create_decompress(&info);
        jpeg_mem_src(&info, file.at, file.bytes);
        jpeg_read_header(&info, TRUE);
        info.do_block_smoothing = smooth;
        jpeg_start_decompress(&info);
        size_t row_bytes = (size_t)info.output_width * (unsigned)info.output_components;
        cr_assert_eq(lod_buf_reserve(&made->pixels, row_bytes * info.output_height), 0);
        while (info.output_scanline < info.output_height) {
            JSAMPROW row = made->pixels.data + info.output_scanline * row_bytes;
            jpeg_read_scanlines(&info, &row, 1);
        }
        made->width = info.output_width;
        made->height = info.output_height;
        made->channels = (unsigned)info.output_components;
        made->pixels.bytes = row_bytes * info.output_height;
        jpeg_finish_decompress(&info);
        made->warnings = failure.base.num_warnings;
    }
    jpeg_destroy_decompress(&info);
    copy = *made;
    free(made);
    return copy;
}

static inline struct sample_pixels sample_decode(struct lod_span file)
{
    return sample_decode_as(file, true);
}

static inline bool sample_same_pixels(struct lod_span a, struct lod_span b)
{
    struct sample_pixels pa = sample_decode(a), pb = sample_decode(b);
    bool same = pa.width == pb.width && pa.height == pb.height && pa.channels == pb.channels &&
                pa.pixels.bytes == pb.pixels.bytes &&
                (!pa.pixels.bytes || memcmp(pa.pixels.data, pb.pixels.data, pa.pixels.bytes) == 0);
    lod_buf_finish(&pa.pixels);
    lod_buf_finish(&pb.pixels);
    return same;
}

/* Returns all coefficients inside the image, component by component, row by row. */
static inline struct lod_buf sample_coefficients(struct lod_span file)
{
    struct jpeg_decompress_struct info = {0};
    struct jpeg_error_mgr errors;
    struct lod_buf made = {0};

    info.err = jpeg_std_error(&errors);
    errors.error_exit = sample_die;
    errors.output_message = sample_silent;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, file.at, file.bytes);
    jpeg_read_header(&info, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&info);
    for (int c = 0; c < info.num_components; c++) {
        for (JDIMENSION y = 0; y < info.comp_info[c].height_in_blocks; y++) {
            JBLOCKARRAY row =
                info.mem->access_virt_barray((j_common_ptr)&info, arrays[c], y, 1, FALSE);
            size_t bytes = info.comp_info[c].width_in_blocks * sizeof(JBLOCK);
            cr_assert_eq(lod_buf_append(&made, row[0], bytes), 0);
        }
    }
    jpeg_destroy_decompress(&info);
    return made;
}

/* Returns `file` rewritten by libjpeg with these scans and with libjpeg's headers. */
static inline struct lod_buf sample_transcode(struct lod_span file, const struct lod_script *script)
{
    struct jpeg_decompress_struct in = {0};
    struct jpeg_compress_struct out = {0};
    struct jpeg_error_mgr errors;
    struct lod_buf made = {0};
    jpeg_scan_info scans[LOD_SCRIPT_SCANS_MAX] = {{0}};
    unsigned char *data = NULL;
    unsigned long bytes = 0;

    in.err = out.err = jpeg_std_error(&errors);
    errors.error_exit = sample_die;
    errors.output_message = sample_silent;
    jpeg_create_decompress(&in);
    jpeg_mem_src(&in, file.at, file.bytes);
    jpeg_read_header(&in, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&in);
    for (unsigned i = 0; i < script->count; i++) {
        scans[i].comps_in_scan = script->scans[i].count;
        for (unsigned c = 0; c < script->scans[i].count; c++) {
            scans[i].component_index[c] = script->scans[i].component[c];
        }
        scans[i].Ss = script->scans[i].first;
        scans[i].Se = script->scans[i].last;
        scans[i].Ah = script->scans[i].high;
        scans[i].Al = script->scans[i].low;
    }
    jpeg_create_compress(&out);
    jpeg_mem_dest(&out, &data, &bytes);
    jpeg_copy_critical_parameters(&in, &out);
    out.scan_info = scans;
    out.num_scans = (int)script->count;
    jpeg_write_coefficients(&out, arrays);
    jpeg_finish_compress(&out);
    cr_assert_eq(lod_buf_append(&made, data, bytes), 0);
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    free(data);
    return made;
}

/*
 * Returns `file` with one AC coefficient of a component set. It uses arithmetic coding, which can
 * hold values that Huffman coding cannot.
 */
static inline struct lod_buf sample_with_coefficient(struct lod_span file, unsigned component,
                                                     int16_t value)
{
    struct jpeg_decompress_struct in = {0};
    struct jpeg_compress_struct out = {0};
    struct jpeg_error_mgr errors;
    struct lod_buf made = {0};
    unsigned char *data = NULL;
    unsigned long bytes = 0;

    in.err = out.err = jpeg_std_error(&errors);
    errors.error_exit = sample_die;
    jpeg_create_decompress(&in);
    jpeg_mem_src(&in, file.at, file.bytes);
    jpeg_read_header(&in, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&in);
    JDIMENSION last = in.comp_info[component].height_in_blocks - 1;
    JBLOCKARRAY row =
        in.mem->access_virt_barray((j_common_ptr)&in, arrays[component], last, 1, TRUE);
    row[0][in.comp_info[component].width_in_blocks - 1][63] = value;
    jpeg_create_compress(&out);
    jpeg_mem_dest(&out, &data, &bytes);
    jpeg_copy_critical_parameters(&in, &out);
    out.arith_code = TRUE;
    jpeg_write_coefficients(&out, arrays);
    jpeg_finish_compress(&out);
    cr_assert_eq(lod_buf_append(&made, data, bytes), 0);
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    free(data);
    return made;
}

/* Cuts a file after scan number `scans`, counted from 1, and adds EOI. */
static inline void sample_cut(struct lod_buf *file, unsigned scans)
{
    size_t at = 2;
    while (at + 4 <= file->bytes && file->data[at + 1] != 0xd9) {
        bool sos = file->data[at + 1] == 0xda;
        if (sos && scans-- == 0) {
            break;
        }
        at += 2u + (unsigned)(file->data[at + 2] << 8 | file->data[at + 3]);
        while (sos && !(file->data[at] == 0xff && file->data[at + 1] &&
                        (file->data[at + 1] & 0xf8) != 0xd0)) {
            at++;
        }
    }
    file->data[at] = 0xff;
    file->data[at + 1] = 0xd9;
    file->bytes = at + 2;
}

#endif
