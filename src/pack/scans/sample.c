/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the sample: the first photographs in the order of hashed paths, and the first of each
 * class. */
#include "pack/scans/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hash.h"
#include "pack/scans/sample_photos.h"
#include "pcr/jpeg/jpeg_scan.h"
#include "pcr/measure/curve.h"

/* No JPEG of 16 pixels a side is smaller: SOI, DQT, SOF, DHT, SOS, data, EOI. */
#define FILE_BYTES_MIN 100

uint64_t lod_sample_key(const char *path)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".jpe", ".jfif"};
    size_t bytes = strlen(path);
    bool named = false;

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && !named; i++) {
        size_t ending = strlen(endings[i]);
        named = bytes >= ending && strcasecmp(path + bytes - ending, endings[i]) == 0;
    }
    return lod_hash64(path, bytes, 0) >> 1 | (named ? 0 : (uint64_t)1 << 63);
}

int lod_sample_create(const struct lod_sample_limits *limits, struct lod_sample **ret_sample)
{
    struct lod_sample *sample = calloc(1, sizeof(*sample));
    if (!sample) {
        return -ENOMEM;
    }
    sample->limits = *limits;
    *ret_sample = sample;
    return 0;
}

struct lod_sample *lod_sample_destroy(struct lod_sample *sample)
{
    if (sample) {
        for (unsigned i = 0; i < sample->count; i++) {
            lod_buf_finish(&sample->photos[i].file);
        }
        free(sample);
    }
    return NULL;
}

bool lod_sample_wants(const struct lod_sample *sample, uint64_t file_bytes)
{
    return file_bytes >= FILE_BYTES_MIN && file_bytes <= LOD_SAMPLE_FILE_BYTES_MAX &&
           file_bytes <= LOD_SAMPLE_BYTES_MAX - sample->bytes;
}

bool lod_sample_full(const struct lod_sample *sample)
{
    return sample->looked_at == LOD_SAMPLE_FILES_MAX;
}

/* -------------------------------------------------------------------- what measuring takes */

/* CPU time in nanoseconds, measured on photographs of 95 KB with AVX2. */
#define PACK_BYTE_NS     60.0 /* a byte of source, --full=scans */
#define ENCODE_BYTE_NS   32.0
#define DECODE_PIXEL_NS  8.0
#define CREATE_PIXEL_NS  18.0 /* for the part that is compared */
#define COMPARE_PIXEL_NS 12.0
#define SHARED           .6 /* share of a script's fidelities that equal no other's */

/* Measuring takes at most a twentieth of the time of packing, or three seconds. A third of that is
 * for choosing. */
#define WORK_DIVISOR   20
#define WORK_NS        3e9
#define CHOOSING_SHARE .33

static double work_ns(const struct lod_sample *sample)
{
    double ns = PACK_BYTE_NS * (double)sample->limits.jpeg_bytes / WORK_DIVISOR;

    return ns > WORK_NS ? ns : WORK_NS;
}

/* Estimates the time to measure a photograph with `scripts` scripts, if a square of this side is
 * compared. */
static double photo_ns(const struct lod_sample *sample, const struct lod_jpeg_layout *layout,
                       size_t bytes, unsigned scripts, double side)
{
    const double pixels = (double)layout->width * layout->height;
    const double part = pixels < side * side ? pixels : side * side;
    const double shared = scripts > 1 ? SHARED : 1;
    const double fidelity = DECODE_PIXEL_NS * pixels + COMPARE_PIXEL_NS * part;

    return DECODE_PIXEL_NS * pixels + CREATE_PIXEL_NS * part +
           scripts *
               (ENCODE_BYTE_NS * (double)bytes + shared * sample->limits.fidelities * fidelity);
}

/* Returns whether a photograph is drawn: as many as the time allows, and at least a minimum. After
 * the first photograph that is not drawn, none is. */
static bool is_drawn(struct lod_sample *sample, double ns)
{
    const bool few = sample->drawn < LOD_SAMPLE_CLASS_MIN;

    sample->drawn_all = sample->drawn_all ||
                        (!few && sample->drawn_ns + ns > (1 - CHOOSING_SHARE) * work_ns(sample));
    if (!sample->drawn_all) {
        sample->drawn++;
        sample->drawn_ns += ns;
    }
    return !sample->drawn_all;
}

static bool is_for_choosing(struct lod_sample *sample, unsigned class, double ns)
{
    const bool few = sample->choosing[class] < LOD_SAMPLE_CLASS_MIN;
    const bool time = sample->choosing_ns + ns <= CHOOSING_SHARE * work_ns(sample);

    if (sample->choosing_all == LOD_SAMPLE_CHOICE_MAX ||
        sample->choosing[class] == LOD_SAMPLE_CLASS_MAX || !(few || time)) {
        return false;
    }
    sample->choosing[class]++;
    sample->choosing_all++;
    sample->choosing_ns += ns;
    return true;
}

static void take(struct lod_sample *sample, struct lod_buf *file,
                 const struct lod_jpeg_layout *layout)
{
    struct lod_sample_photo photo = {.class = lod_quant_class(layout->luma_table)};

    sample->seen[photo.class]++;
    const double drawn_ns = photo_ns(sample, layout, file->bytes, 1, LOD_CURVE_SIDE);
    const double choosing_ns =
        photo_ns(sample, layout, file->bytes, sample->limits.scripts, LOD_CURVE_SIDE_CHOOSING);
    photo.drawn = is_drawn(sample, drawn_ns);
    photo.choosing = is_for_choosing(sample, photo.class, choosing_ns);
    if (photo.drawn || photo.choosing) {
        photo.file = *file;
        sample->bytes += file->bytes;
        sample->photos[sample->count++] = photo;
        *file = (struct lod_buf){0};
    }
}

int lod_sample_offer(struct lod_sample *sample, struct lod_buf *file)
{
    const char *why = NULL;

    if (lod_sample_full(sample) || !lod_sample_wants(sample, file->bytes)) {
        return 0;
    }
    struct lod_jpeg_layout *layout = malloc(sizeof(*layout));
    if (!layout) {
        return -ENOMEM;
    }
    sample->looked_at++;
    if (!lod_jpeg_scan(lod_buf_span(file), layout, &why)) {
        take(sample, file, layout);
    }
    free(layout);
    return 0;
}
