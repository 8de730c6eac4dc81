/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See jpeg_series.h. libjpeg's buffered-image mode keeps the coefficients between scans. It gets
 * the bytes up to an end, followed by a marker, and decodes until it asks for more bytes. Then all
 * scans before the end are complete, and no later one has begun.
 */
#include "pcr/jpeg/jpeg_series.h"

#include <errno.h>
#include <stdbool.h>

#include "pcr/jpeg/jpeg_lib.h"

/* a marker of the next segment, whose length is cut off, so the segment is not read */
#define MARKER_BYTES 2u

struct source {
    /* first member: libjpeg passes its address to fill and skip */
    struct jpeg_decompress_struct info;
    struct lod_jpeg_failure failure;
    struct lod_span file;
    size_t held; /* bytes at the end of the file that libjpeg does not get yet */
    boolean (*fill_all)(j_decompress_ptr info);
    void (*skip_all)(j_decompress_ptr info, long bytes);
};

static void show_all(struct source *source)
{
    source->info.src->bytes_in_buffer += source->held;
    source->held = 0;
}

static void show_to(struct source *source, uint64_t end)
{
    struct jpeg_source_mgr *from = source->info.src;
    const uint64_t at = source->file.bytes - from->bytes_in_buffer;
    const uint64_t shown = lod_least(end + MARKER_BYTES, source->file.bytes);

    source->held = shown > at ? (size_t)(source->file.bytes - shown) : from->bytes_in_buffer;
    from->bytes_in_buffer -= source->held;
}

/* libjpeg waits at the end of the shown bytes. */
static boolean fill(j_decompress_ptr info)
{
    struct source *source = (struct source *)info;

    return source->held ? FALSE : source->fill_all(info);
}

/*
 * libjpeg skips a segment, which is outside of scans: the file is damaged, so there is no need to
 * wait.
 */
static void skip(j_decompress_ptr info, long bytes)
{
    struct source *source = (struct source *)info;

    show_all(source);
    source->skip_all(info, bytes);
}

/* The caller has called setjmp. */
static int start(struct source *source, uint64_t bytes_max, uint32_t width, uint32_t height,
                 uint32_t channels)
{
    struct jpeg_decompress_struct *info = &source->info;

    lod_jpeg_start(info, source->file, bytes_max);
    if (info->image_width != width || info->image_height != height) {
        return -EILSEQ;
    }
    source->fill_all = info->src->fill_input_buffer;
    source->skip_all = info->src->skip_input_data;
    info->src->fill_input_buffer = fill;
    info->src->skip_input_data = skip;
    info->buffered_image = TRUE;
    jpeg_start_decompress(info);
    return (uint32_t)info->output_components == channels ? 0 : -EILSEQ;
}

/* The caller has called setjmp. Reads the scans before the end, and writes their image. An image
 * may read the header of the next scan, so all bytes are shown meanwhile. */
static int decode_to(struct source *source, uint64_t end, uint8_t *into)
{
    struct jpeg_decompress_struct *info = &source->info;
    const size_t stride = (size_t)info->output_width * (unsigned)info->output_components;
    int code;

    show_to(source, end);
    do {
        code = jpeg_consume_input(info);
    } while (code != JPEG_SUSPENDED && code != JPEG_REACHED_EOI);
    show_all(source);
    jpeg_start_output(info, info->input_scan_number);
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = into + info->output_scanline * stride;
        jpeg_read_scanlines(info, &row, 1);
    }
    jpeg_finish_output(info);
    return source->failure.lost ? -EILSEQ : 0;
}

/* The caller has called setjmp. */
static int decode_all(struct source *source, const struct lod_jpeg_series *series, uint8_t *into)
{
    int error = 0;

    for (unsigned i = 0; !error && i < series->count; i++) {
        if (i == 0 || series->ends[i] > series->ends[i - 1]) {
            error = decode_to(source, series->ends[i], into);
        }
        error = error ? error : series->step(series->ctx, i);
    }
    return error;
}

int lod_jpeg_decode_series(struct lod_span file, uint64_t bytes_max, uint32_t width,
                           uint32_t height, uint32_t channels, uint8_t *into,
                           const struct lod_jpeg_series *series)
{
    struct source source = {.file = file};
    const uint64_t bytes = (uint64_t)width * height * channels;
    const char *why;
    int error;

    if (bytes >= bytes_max) {
        return -E2BIG;
    }
    source.info.err = lod_jpeg_failure_init(&source.failure);
    if (setjmp(source.failure.escape)) {
        error = lod_jpeg_failure_errno(&source.failure, &why);
    } else {
        error = start(&source, bytes_max - bytes, width, height, channels);
        error = error ? error : decode_all(&source, series, into);
    }
    jpeg_destroy_decompress(&source.info);
    return error == -ENOTSUP ? -EILSEQ : error;
}
