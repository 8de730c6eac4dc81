/* SPDX-License-Identifier: Apache-2.0 */
/*
 * photographs FOLDER [COUNT [SEED [FIRST [PERCENT]]]]: makes COUNT (200) photograph-like JPEGs in
 * FOLDER/KIND/, numbered from FIRST (0). Sizes, qualities, samplings and headers are mixed as in
 * files from cameras and web sites; sides are PERCENT (100) of the usual ones. The same seed and
 * libjpeg give the same bytes. For quickstart, the tests and the benchmark.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jpeglib.h>

#include "scene.h"

#define COUNT_MAX   1000000u
#define PERCENT_MAX 1000u

/* The encoding of one photograph. */
struct style {
    int quality;
    int h, v;             /* sampling factors of luminance; 0: grayscale */
    unsigned orientation; /* EXIF; 0: no EXIF */
    unsigned note_bytes;  /* bytes of a camera's own APP segment */
    bool optimised, progressive;
    unsigned restart_rows;
};

static struct style choose_style(struct dice *dice)
{
    static const struct {
        int h, v;
    } samplings[] = {{2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2},
                     {2, 2}, {1, 1}, {1, 1}, {2, 1}, {0, 0}};
    unsigned s = dice_below(dice, 10), turned = dice_below(dice, 12);
    static const unsigned turns[] = {6, 8, 3};
    return (struct style){.quality = 75 + (int)dice_below(dice, 21),
                          .h = samplings[s].h,
                          .v = samplings[s].v,
                          .orientation = turned < 3   ? turns[turned]
                                         : turned < 6 ? 1
                                                      : 0,
                          .note_bytes = dice_below(dice, 3) == 0 ? 500 + dice_below(dice, 3000) : 0,
                          .optimised = dice_below(dice, 2) == 0,
                          .progressive = dice_below(dice, 25) == 0,
                          .restart_rows = dice_below(dice, 20) == 0 ? 1 : 0};
}

/*
 * Returns where the displayed pixel (x, y) of a w x h picture is stored under an EXIF orientation.
 */
static size_t stored_at(unsigned orientation, unsigned x, unsigned y, unsigned w, unsigned h)
{
    switch (orientation) {
    case 3:
        return (size_t)(h - 1 - y) * w + (w - 1 - x);
    case 6: /* displayed after a quarter turn clockwise */
        return (size_t)(w - 1 - x) * h + y;
    case 8:
        return (size_t)x * h + (h - 1 - y);
    default:
        return (size_t)y * w + x;
    }
}

static JSAMPLE sample(float v)
{
    return (JSAMPLE)(v * 255 + .5f);
}

/* Returns the samples as stored, 1 or 3 a pixel. */
static JSAMPLE *expose(const struct picture *p, const struct style *style)
{
    unsigned channels = style->h ? 3 : 1;
    JSAMPLE *samples = malloc((size_t)p->w * p->h * channels);
    for (unsigned y = 0; samples && y < p->h; y++) {
        for (unsigned x = 0; x < p->w; x++) {
            const float *c = p->rgb + ((size_t)y * p->w + x) * 3;
            JSAMPLE *to = samples + channels * stored_at(style->orientation, x, y, p->w, p->h);
            if (channels == 1) {
                to[0] = sample(.299f * c[0] + .587f * c[1] + .114f * c[2]);
            } else {
                to[0] = sample(c[0]), to[1] = sample(c[1]), to[2] = sample(c[2]);
            }
        }
    }
    return samples;
}

static void write_headers(struct jpeg_compress_struct *jpeg, const struct style *style,
                          struct dice *dice)
{
    if (style->orientation) {
        JOCTET exif[] = {'E', 'x',  'i', 'f', 0,
                         0,   'I',  'I', 42,  0,
                         8,   0,    0,   0,   1,
                         0,   0x12, 1,   3,   0,
                         1,   0,    0,   0,   (JOCTET)style->orientation,
                         0,   0,    0,   0,   0,
                         0,   0};
        jpeg_write_marker(jpeg, JPEG_APP0 + 1, exif, sizeof(exif));
    }
    JOCTET note[4096] = "a camera's own notes";
    for (unsigned i = 24; i < style->note_bytes; i++) {
        note[i] = (JOCTET)dice_roll(dice);
    }
    if (style->note_bytes) {
        jpeg_write_marker(jpeg, JPEG_APP0 + 13, note, style->note_bytes);
    }
}

/* libjpeg's default error handler prints a message and exits, which is right for this program. */
static void write_jpeg(FILE *file, JSAMPLE *samples, unsigned w, unsigned h,
                       const struct style *style, struct dice *dice)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = w;
    jpeg.image_height = h;
    jpeg.input_components = style->h ? 3 : 1;
    jpeg.in_color_space = style->h ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, style->quality, TRUE);
    jpeg.optimize_coding = style->optimised;
    jpeg.restart_in_rows = (int)style->restart_rows;
    if (style->h) {
        jpeg.comp_info[0].h_samp_factor = style->h;
        jpeg.comp_info[0].v_samp_factor = style->v;
    }
    if (style->progressive) {
        jpeg_simple_progression(&jpeg);
    }
    jpeg_start_compress(&jpeg, TRUE);
    write_headers(&jpeg, style, dice);
    while (jpeg.next_scanline < h) {
        JSAMPROW row = samples + (size_t)jpeg.next_scanline * w * (unsigned)jpeg.input_components;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
}

static int make_one(const char *folder, unsigned number, uint64_t seed, unsigned percent)
{
    static const unsigned long_sides[] = {400, 480, 500, 500, 500, 533, 600, 640, 700};
    struct dice dice = {seed * 1000003 + number};
    unsigned kind = number % SCENE_KINDS, a = long_sides[dice_below(&dice, 9)] * percent / 100;
    unsigned b = (unsigned)((float)a * dice_between(&dice, .62f, .8f));
    bool upright = dice_below(&dice, 3) == 0;
    struct style style = choose_style(&dice);
    struct picture picture = {0};
    char path[4096];
    int rc = -1;

    snprintf(path, sizeof(path), "%s/%s", folder, scene_name(kind));
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        perror(path);
        return -1;
    }
    snprintf(path, sizeof(path), "%s/%s/%s-%04u.jpg", folder, scene_name(kind), scene_name(kind),
             number / SCENE_KINDS);
    if (scene_paint(kind, upright ? b : a, upright ? a : b, &dice, &picture) != 0) {
        fprintf(stderr, "photographs: out of memory\n");
        return -1;
    }
    JSAMPLE *samples = expose(&picture, &style);
    FILE *file = fopen(path, "wb");
    bool turned = style.orientation == 6 || style.orientation == 8;
    if (samples && file) {
        write_jpeg(file, samples, turned ? picture.h : picture.w, turned ? picture.w : picture.h,
                   &style, &dice);
        rc = ferror(file) ? -1 : 0;
    }
    if (file && fclose(file) != 0) {
        rc = -1;
    }
    if (rc != 0) {
        perror(path);
    }
    free(samples);
    free(picture.rgb);
    return rc;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    unsigned long first = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    unsigned long percent = argc > 5 ? strtoul(argv[5], NULL, 10) : 100;
    if (argc < 2 || argc > 6 || argv[1][0] == '-' || count == 0 || count > COUNT_MAX ||
        first > COUNT_MAX || percent < 10 || percent > PERCENT_MAX) {
        fprintf(stderr, "usage: photographs FOLDER [COUNT [SEED [FIRST [PERCENT]]]]\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        perror(argv[1]);
        return 1;
    }
    for (unsigned long i = first; i < first + count; i++) {
        if (make_one(argv[1], (unsigned)i, seed, (unsigned)percent) != 0) {
            return 1;
        }
    }
    return 0;
}
