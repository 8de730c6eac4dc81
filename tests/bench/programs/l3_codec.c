/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints ratio and speed of lossless image codecs on one core, in one run, a table for each class
 * of sizes: build/tests/bench/l3_codec [--16] FILE.png .. Images are read as 8-bit RGB. With --16
 * they get eight more bits, half of them random, and only L3 is measured. Times are CPU time of
 * this thread, the least of RUNS interleaved runs. Ratios are means over images; speeds are bytes
 * of pixels over summed times.
 */
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef LOD_BENCH_PEERS
#define QOI_IMPLEMENTATION
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <qoi.h>
#include <webp/decode.h>
#include <webp/encode.h>
#endif

#include "bench_picture.h"
#include "l3/simd/patch_dispatch.h"
#include "l3/patch/l3_stream.h"
#include "l3/stream/l3_stream_write.h"

#define RUNS 3

/* A codec; both functions return 0. */
struct peer {
    const char *name;
    int (*encode)(const struct picture *picture, struct lod_buf *coded);
    int (*decode)(const struct picture *like, struct lod_span coded, uint8_t *into);
    bool slow; /* measured with a single encoding */
};

static int copy_encode(const struct picture *p, struct lod_buf *coded)
{
    return lod_buf_append(coded, p->at, p->bytes);
}

static int copy_decode(const struct picture *like, struct lod_span coded, uint8_t *into)
{
    memcpy(into, coded.at, like->bytes);
    return 0;
}

static void png_put(png_structp png, png_bytep data, size_t bytes)
{
    if (lod_buf_append(png_get_io_ptr(png), data, bytes)) {
        png_error(png, "no memory");
    }
}

static void png_flush_nothing(png_structp png)
{
    (void)png;
}

static int png_encode(const struct picture *p, struct lod_buf *coded)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);

    png_set_write_fn(png, coded, png_put, png_flush_nothing);
    png_set_IHDR(png, info, p->width, p->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < p->height; y++) {
        png_write_row(png, p->at + (size_t)y * p->width * 3);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return 0;
}

static void png_take(png_structp png, png_bytep into, size_t bytes)
{
    struct lod_cursor *c = png_get_io_ptr(png);
    const uint8_t *at = lod_take(c, bytes);

    if (!at) {
        png_error(png, "short");
    }
    memcpy(into, at, bytes);
}

static int png_decode(const struct picture *like, struct lod_span coded, uint8_t *into)
{
    struct lod_cursor c = lod_cursor(coded.at, coded.bytes);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);

    png_set_read_fn(png, &c, png_take);
    png_read_info(png, info);
    for (uint32_t y = 0; y < like->height; y++) {
        png_read_row(png, into + (size_t)y * like->width * 3, NULL);
    }
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
}

static int l3_encode(const struct picture *p, enum lod_l3_mode mode, struct lod_buf *coded)
{
    struct lod_l3_image image = {
        .width = p->width, .height = p->height, .samples = 3, .bits = p->bits};
    struct lod_l3_options options = {.mode = mode};

    return lod_l3_encode(&image, p->at, lod_l3_row_bytes(&image), &options, coded);
}

static int l3_decode(const char *kernels, struct lod_span coded, uint8_t *into)
{
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    struct lod_l3_stream stream;
    unsigned k = 0;

    while (strcmp(lod_l3_patch_dispatch[k]->name, kernels) != 0) {
        k++;
    }
    int r = lod_l3_stream_open(coded, coded.bytes, &stream);
    if (r == 0) {
        r = lod_l3_work_init_with(&stream, lod_l3_patch_dispatch[k], work);
    }
    for (uint32_t row = 0; r == 0 && row < stream.rows; row++) {
        size_t stride = lod_l3_row_bytes(&stream.image);
        uint64_t offset, bytes;
        lod_l3_band(&stream, row, &offset, &bytes);
        struct lod_span band = {.at = coded.at + offset, .bytes = bytes};
        r = lod_l3_decode_band(&stream, row, band,
                               into + ((size_t)row << stream.side_log2) * stride, stride, work);
    }
    free(work);
    return r;
}

#define L3(mode, kernels)                                                                          \
    static int mode##_##kernels(const struct picture *like, struct lod_span coded, uint8_t *into)  \
    {                                                                                              \
        (void)like;                                                                                \
        return l3_decode(#kernels, coded, into);                                                   \
    }
#define L3_MODE(mode, value)                                                                       \
    static int mode##_encode(const struct picture *p, struct lod_buf *coded)                       \
    {                                                                                              \
        return l3_encode(p, value, coded);                                                         \
    }                                                                                              \
    L3(mode, scalar)

L3_MODE(small, LOD_L3_SMALL)
L3(small, avx512)
L3(small, avx2)
L3_MODE(packed, LOD_L3_PACKED)
L3(packed, avx512)
L3(packed, avx2)
L3_MODE(paper, LOD_L3_PAPER)

#ifdef LOD_BENCH_PEERS
static int qoi_put(const struct picture *p, struct lod_buf *coded)
{
    qoi_desc desc = {.width = p->width, .height = p->height, .channels = 3};
    int bytes = 0;
    void *data = qoi_encode(p->at, &desc, &bytes);
    int r = data ? lod_buf_append(coded, data, (size_t)bytes) : -1;

    free(data);
    return r;
}

static int qoi_get(const struct picture *like, struct lod_span coded, uint8_t *into)
{
    qoi_desc desc;
    void *data = qoi_decode(coded.at, (int)coded.bytes, &desc, 3);

    if (data) {
        memcpy(into, data, like->bytes);
    }
    free(data);
    return data ? 0 : -1;
}

static int webp_put(const struct picture *p, struct lod_buf *coded)
{
    uint8_t *data = NULL;
    size_t bytes =
        WebPEncodeLosslessRGB(p->at, (int)p->width, (int)p->height, (int)p->width * 3, &data);
    int r = bytes ? lod_buf_append(coded, data, bytes) : -1;

    WebPFree(data);
    return r;
}

static int webp_get(const struct picture *like, struct lod_span coded, uint8_t *into)
{
    return WebPDecodeRGBInto(coded.at, coded.bytes, into, like->bytes, (int)like->width * 3) ? 0
                                                                                             : -1;
}

static const JxlPixelFormat rgb = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};

static int jxl_put(const struct picture *p, struct lod_buf *coded)
{
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlBasicInfo info;
    JxlColorEncoding srgb;
    uint8_t chunk[1 << 16];
    JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;

    JxlEncoderInitBasicInfo(&info);
    info.xsize = p->width;
    info.ysize = p->height;
    info.bits_per_sample = 8;
    info.uses_original_profile = JXL_TRUE;
    JxlEncoderSetBasicInfo(encoder, &info);
    JxlColorEncodingSetToSRGB(&srgb, JXL_FALSE);
    JxlEncoderSetColorEncoding(encoder, &srgb);
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 1);
    JxlEncoderAddImageFrame(settings, &rgb, p->at, p->bytes);
    JxlEncoderCloseInput(encoder);
    while (status == JXL_ENC_NEED_MORE_OUTPUT) {
        uint8_t *next = chunk;
        size_t room = sizeof(chunk);
        status = JxlEncoderProcessOutput(encoder, &next, &room);
        if (lod_buf_append(coded, chunk, (size_t)(next - chunk))) {
            break;
        }
    }
    JxlEncoderDestroy(encoder);
    return status == JXL_ENC_SUCCESS ? 0 : -1;
}

static int jxl_get(const struct picture *like, struct lod_span coded, uint8_t *into)
{
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    JxlDecoderStatus status;

    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    JxlDecoderSetInput(decoder, coded.at, coded.bytes);
    JxlDecoderCloseInput(decoder);
    while ((status = JxlDecoderProcessInput(decoder)) == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
        JxlDecoderSetImageOutBuffer(decoder, &rgb, into, like->bytes);
    }
    JxlDecoderDestroy(decoder);
    return status == JXL_DEC_FULL_IMAGE ? 0 : -1;
}
#endif

static const struct peer peers[] = {
    {"memcpy", copy_encode, copy_decode, false},
    {"libpng, default", png_encode, png_decode, true},
#ifdef LOD_BENCH_PEERS
    {"QOI", qoi_put, qoi_get, false},
    {"WebP lossless", webp_put, webp_get, true},
    {"JPEG XL, effort 1", jxl_put, jxl_get, true},
#endif
    {"L3 paper, scalar", paper_encode, paper_scalar, false},
    {"L3 packed, avx512", packed_encode, packed_avx512, false},
    {"L3 packed, avx2", packed_encode, packed_avx2, false},
    {"L3 packed, scalar", packed_encode, packed_scalar, false},
    {"L3 small, avx512", small_encode, small_avx512, false},
    {"L3 small, avx2", small_encode, small_avx2, false},
    {"L3 small, scalar", small_encode, small_scalar, false},
};
#define PEERS (sizeof(peers) / sizeof(peers[0]))
/* Returns whether the codec runs on this processor and takes samples of this many bits. */
static bool runs_here(const struct peer *peer, unsigned bits)
{
    for (unsigned k = 0; lod_l3_patch_dispatch[k]; k++) {
        const char *end = strrchr(peer->name, ' ');
        if (end && strcmp(end + 1, lod_l3_patch_dispatch[k]->name) == 0) {
            return lod_l3_patch_dispatch[k]->supported();
        }
    }
    return strncmp(peer->name, "L3", 2) != 0 && (bits == 8 || peer->encode == copy_encode);
}

enum { HD, FHD, LARGE, CLASSES };
static const char *const class_names[] = {"< HD", "HD .. FHD", "> FHD"};

static struct {
    double ratio, encode_s, decode_s;
} results[CLASSES][PEERS];
static double class_bytes[CLASSES];
static unsigned class_images[CLASSES];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double least(double a, double b)
{
    return a == 0 || b < a ? b : a;
}

static bool measure(const struct picture *picture, unsigned size_class)
{
    uint8_t *into = malloc(picture->bytes);
    double encode_s[PEERS] = {0}, decode_s[PEERS] = {0}, ratio[PEERS] = {0};
    bool sound = true;

    for (unsigned run = 0; run < RUNS; run++) {
        for (unsigned i = 0; i < PEERS; i++) {
            static struct lod_buf coded[PEERS];
            if (!runs_here(&peers[i], picture->bits)) {
                continue;
            }
            if (run == 0 || !peers[i].slow) {
                coded[i].bytes = 0;
                double begin = now();
                sound &= peers[i].encode(picture, &coded[i]) == 0;
                encode_s[i] = least(encode_s[i], now() - begin);
            }
            memset(into, 0, picture->bytes);
            double begin = now();
            sound &= peers[i].decode(picture, lod_buf_span(&coded[i]), into) == 0;
            decode_s[i] = least(decode_s[i], now() - begin);
            sound &= memcmp(into, picture->at, picture->bytes) == 0;
            ratio[i] = (double)coded[i].bytes / (double)picture->bytes;
        }
    }
    for (unsigned i = 0; i < PEERS; i++) {
        results[size_class][i].ratio += ratio[i];
        results[size_class][i].encode_s += encode_s[i];
        results[size_class][i].decode_s += decode_s[i];
    }
    free(into);
    return sound;
}

static int measure_file(const char *path, bool is_16bit)
{
    struct picture picture;

    if (!picture_read(path, is_16bit, &picture)) {
        return 0;
    }
    size_t pixels = (size_t)picture.width * picture.height;
    unsigned size_class = pixels < 1080 * 720 ? HD : pixels <= 1920 * 1080 ? FHD : LARGE;
    bool sound = measure(&picture, size_class);
    class_bytes[size_class] += (double)picture.bytes;
    class_images[size_class]++;
    free(picture.at);
    if (!sound) {
        fprintf(stderr, "%s: a codec does not give its pixels back\n", path);
    }
    return sound ? 0 : 1;
}

static void report(unsigned c)
{
    printf("\n%s: %u images, %.1f MB of pixels\n", class_names[c], class_images[c],
           class_bytes[c] / 1e6);
    printf("| codec | ratio | to libpng | encode MB/s | decode MB/s |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < PEERS; i++) {
        if (results[c][i].decode_s > 0) {
            printf("| %s | %.3f | %.3f | %.0f | %.0f |\n", peers[i].name,
                   results[c][i].ratio / class_images[c],
                   results[c][1].ratio > 0 ? results[c][i].ratio / results[c][1].ratio : 0,
                   class_bytes[c] / 1e6 / results[c][i].encode_s,
                   class_bytes[c] / 1e6 / results[c][i].decode_s);
        }
    }
}

int main(int argc, char **argv)
{
    const bool is_16bit = argc > 1 && strcmp(argv[1], "--16") == 0;
    int r = argc < 2 + is_16bit;

    for (int i = 1 + is_16bit; i < argc; i++) {
        r |= measure_file(argv[i], is_16bit);
    }
    for (unsigned c = 0; c < CLASSES; c++) {
        if (class_images[c]) {
            report(c);
        }
    }
    return r;
}
