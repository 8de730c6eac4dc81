/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that calls libjpeg. Its errors come by longjmp and end here: every public function
 * is a thin setjmp around a body that holds no resource but those its arguments own.
 */
#include "pcr/jpeg_io.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "pcr/jpeg_failure.h"

#include <jerror.h>

/*
 * Block smoothing (jdcoefct.c) looks at DC and the first AC coefficients in zigzag order: 5 in
 * libjpeg 6b, 9 since libjpeg-turbo 2.1. When one of them is not fully sent, it invents values.
 */
#define SMOOTHED_COEFFICIENTS 10

struct lod_jpeg {
    struct jpeg_decompress_struct info;
    struct lod_jpeg_failure failure;
    jvirt_barray_ptr *coefficients;
};

static void start_reading(struct jpeg_decompress_struct *info, struct lod_span file,
                          uint64_t bytes_max)
{
    jpeg_create_decompress(info);
    info->mem->max_memory_to_use = bytes_max < LONG_MAX ? (long)bytes_max : LONG_MAX;
    jpeg_mem_src(info, file.at, file.bytes);
    jpeg_read_header(info, TRUE);
}

/* Would libjpeg smooth this image's blocks because scans are missing? */
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

/* The table of a component as its first scan saw it, still in force at the end? */
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

/* With setjmp done by the caller. NULL: read without loss. */
static const char *read_coefficients(struct lod_jpeg *jpeg)
{
    jpeg->coefficients = jpeg_read_coefficients(&jpeg->info);
    if (jpeg->failure.lost) {
        return jpeg->failure.lost;
    }
    if (smoothing_acts(&jpeg->info)) {
        return "incomplete: progressive scans are missing";
    }
    return tables_stand(&jpeg->info) ? NULL : "a quantisation table changes between scans";
}

int lod_jpeg_read(struct lod_span file, uint64_t bytes_max, struct lod_jpeg **ret_jpeg,
                  const char **ret_why)
{
    struct lod_jpeg *jpeg = calloc(1, sizeof(*jpeg));
    if (!jpeg) {
        return -ENOMEM;
    }
    jpeg->info.err = lod_jpeg_failure_init(&jpeg->failure);
    if (setjmp(jpeg->failure.escape)) {
        int error = lod_jpeg_failure_errno(&jpeg->failure, ret_why);
        lod_jpeg_destroy(jpeg);
        return error;
    }
    start_reading(&jpeg->info, file, bytes_max);
    const char *why = read_coefficients(jpeg);
    if (why) {
        lod_jpeg_destroy(jpeg);
        *ret_why = why;
        return -ENOTSUP;
    }
    *ret_jpeg = jpeg;
    return 0;
}

struct lod_jpeg *lod_jpeg_destroy(struct lod_jpeg *jpeg)
{
    if (jpeg) {
        jpeg_destroy_decompress(&jpeg->info);
        free(jpeg);
    }
    return NULL;
}

/* A destination that grows a lod_buf; `base` first, so that libjpeg's pointer is ours. */
struct sink {
    struct jpeg_destination_mgr base;
    struct lod_buf *out;
};

#define SINK_STEP 65536u

static void sink_extend(j_compress_ptr info)
{
    struct sink *sink = (struct sink *)info->dest;
    if (lod_buf_reserve(sink->out, SINK_STEP)) {
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    }
    sink->base.next_output_byte = sink->out->data + sink->out->bytes;
    sink->base.free_in_buffer = SINK_STEP;
}

/* libjpeg calls this with SINK_STEP bytes written, whatever free_in_buffer says. */
static boolean sink_full(j_compress_ptr info)
{
    struct sink *sink = (struct sink *)info->dest;
    sink->out->bytes += SINK_STEP;
    sink_extend(info);
    return TRUE;
}

static void sink_end(j_compress_ptr info)
{
    struct sink *sink = (struct sink *)info->dest;
    sink->out->bytes += SINK_STEP - sink->base.free_in_buffer;
}

struct writer {
    struct jpeg_compress_struct info;
    struct lod_jpeg_failure failure;
    struct sink sink;
    jpeg_scan_info scans[LOD_SCRIPT_SCANS_MAX];
};

static void set_scans(struct writer *writer, const struct lod_script *script)
{
    for (unsigned i = 0; i < script->count; i++) {
        const struct lod_scan *from = &script->scans[i];
        jpeg_scan_info *to = &writer->scans[i];
        *to = (jpeg_scan_info){.comps_in_scan = from->count,
                               .Ss = from->first,
                               .Se = from->last,
                               .Ah = from->high,
                               .Al = from->low};
        for (unsigned c = 0; c < from->count; c++) {
            to->component_index[c] = from->component[c];
        }
    }
    writer->info.scan_info = writer->scans;
    writer->info.num_scans = (int)script->count;
}

/* With setjmp done by the caller. */
static void write_scans(struct writer *writer, struct lod_jpeg *jpeg,
                        const struct lod_script *script)
{
    j_compress_ptr info = &writer->info;

    jpeg_create_compress(info);
    info->dest = &writer->sink.base;
    jpeg_copy_critical_parameters(&jpeg->info, info);
    info->write_JFIF_header = FALSE;
    info->write_Adobe_marker = FALSE;
    info->restart_interval = 0;
    info->restart_in_rows = 0;
    set_scans(writer, script);
    jpeg_write_coefficients(info, jpeg->coefficients);
    jpeg_finish_compress(info);
}

int lod_jpeg_write(struct lod_jpeg *jpeg, const struct lod_script *script, struct lod_buf *out)
{
    size_t before = out->bytes;
    const char *why = NULL;
    struct writer *writer = calloc(1, sizeof(*writer));
    if (!writer) {
        return -ENOMEM;
    }
    writer->info.err = lod_jpeg_failure_init(&writer->failure);
    writer->sink.out = out;
    writer->sink.base.init_destination = sink_extend;
    writer->sink.base.empty_output_buffer = sink_full;
    writer->sink.base.term_destination = sink_end;
    int error = 0;
    if (setjmp(writer->failure.escape)) {
        error = lod_jpeg_failure_errno(&writer->failure, &why);
        out->bytes = before;
    } else {
        write_scans(writer, jpeg, script);
    }
    jpeg_destroy_compress(&writer->info);
    free(writer);
    return error;
}

static bool same_component(const jpeg_component_info *a, const jpeg_component_info *b)
{
    return a->component_id == b->component_id && a->h_samp_factor == b->h_samp_factor &&
           a->v_samp_factor == b->v_samp_factor && a->width_in_blocks == b->width_in_blocks &&
           a->height_in_blocks == b->height_in_blocks &&
           memcmp(a->quant_table->quantval, b->quant_table->quantval,
                  sizeof(a->quant_table->quantval)) == 0;
}

/*
 * realize_virt_arrays either holds an array as a whole or asks for a backing store, which
 * libjpeg's memory manager without one refuses: so rows stay where they are.
 */
static int16_t (*row_at(struct lod_jpeg *jpeg, unsigned c, uint32_t y))[LOD_JPEG_BLOCK]
{
    j_common_ptr info = (j_common_ptr)&jpeg->info;
    return jpeg->info.mem->access_virt_barray(info, jpeg->coefficients[c], y, 1, TRUE)[0];
}

int16_t (*lod_jpeg_row(struct lod_jpeg *jpeg, unsigned c, uint32_t y))[LOD_JPEG_BLOCK]
{
    assert(c < (unsigned)jpeg->info.num_components);
    if (setjmp(jpeg->failure.escape)) {
        return NULL;
    }
    return row_at(jpeg, c, y);
}

void lod_jpeg_frame(const struct lod_jpeg *jpeg, struct lod_jpeg_frame *ret_frame)
{
    const struct jpeg_decompress_struct *info = &jpeg->info;
    struct lod_jpeg_frame frame = {.components = (uint8_t)info->num_components};
    unsigned mcu_x = (unsigned)info->max_h_samp_factor * DCTSIZE;
    unsigned mcu_y = (unsigned)info->max_v_samp_factor * DCTSIZE;

    frame.mcus_wide = (info->image_width + mcu_x - 1) / mcu_x;
    frame.mcus_high = (info->image_height + mcu_y - 1) / mcu_y;
    for (unsigned c = 0; c < frame.components; c++) {
        const jpeg_component_info *from = &info->comp_info[c];
        frame.component[c] = (struct lod_jpeg_component){.id = (uint8_t)from->component_id,
                                                         .h = (uint8_t)from->h_samp_factor,
                                                         .v = (uint8_t)from->v_samp_factor,
                                                         .blocks_wide = from->width_in_blocks,
                                                         .blocks_high = from->height_in_blocks};
    }
    *ret_frame = frame;
}

/* With setjmp done by the caller: only the blocks that lie in the image, never an MCU's padding. */
static bool same_coefficients(struct lod_jpeg *a, struct lod_jpeg *b, int c)
{
    const jpeg_component_info *component = &a->info.comp_info[c];
    size_t row_bytes = component->width_in_blocks * sizeof(JBLOCK);

    for (JDIMENSION y = 0; y < component->height_in_blocks; y++) {
        JBLOCKARRAY row_a = a->info.mem->access_virt_barray((j_common_ptr)&a->info,
                                                            a->coefficients[c], y, 1, FALSE);
        JBLOCKARRAY row_b = b->info.mem->access_virt_barray((j_common_ptr)&b->info,
                                                            b->coefficients[c], y, 1, FALSE);
        if (memcmp(row_a[0], row_b[0], row_bytes) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_image(struct lod_jpeg *a, struct lod_jpeg *b)
{
    bool same = a->info.image_width == b->info.image_width &&
                a->info.image_height == b->info.image_height &&
                a->info.num_components == b->info.num_components;

    for (int c = 0; same && c < a->info.num_components; c++) {
        same = same_component(&a->info.comp_info[c], &b->info.comp_info[c]) &&
               same_coefficients(a, b, c);
    }
    return same;
}

int lod_jpeg_same(struct lod_jpeg *a, struct lod_jpeg *b)
{
    if (setjmp(a->failure.escape)) {
        return -EBADMSG;
    }
    if (setjmp(b->failure.escape)) {
        return -EBADMSG;
    }
    return same_image(a, b) ? 0 : -EBADMSG;
}

/* With setjmp done by the caller. */
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
        start_reading(&info, file, LOD_JPEG_DECODE_BYTES_MAX);
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

/* With setjmp done by the caller. */
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
        start_reading(&info, file, bytes_max - bytes);
        error = decode_rows(&info, width, height, channels, into);
    }
    jpeg_destroy_decompress(&info);
    return error == -ENOTSUP || (!error && failure.lost) ? -EILSEQ : error;
}
