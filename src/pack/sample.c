/* SPDX-License-Identifier: Apache-2.0 */
/* The sample: the first photographs of each quantisation class in the order of hashed paths. */
#include "pack/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hash.h"
#include "pack/sample_photos.h"
#include "pcr/jpeg_scan.h"

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

int lod_sample_create(struct lod_sample **ret_sample)
{
    struct lod_sample *sample = calloc(1, sizeof(*sample));
    if (!sample) {
        return -ENOMEM;
    }
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
    return sample->looked_at == LOD_SAMPLE_FILES_MAX || sample->count == LOD_SAMPLE_PHOTOS_MAX;
}

/* May one more photograph of this class be kept? Its own pixels do not count. */
static bool has_room(const struct lod_sample *sample, unsigned class)
{
    return sample->classes[class].count < LOD_SAMPLE_CLASS_MAX &&
           sample->classes[class].pixels < LOD_SAMPLE_PIXELS_MAX;
}

static void keep(struct lod_sample *sample, struct lod_buf *file, unsigned class, uint64_t pixels)
{
    sample->classes[class].count++;
    sample->classes[class].pixels += pixels;
    sample->bytes += file->bytes;
    sample->photos[sample->count++] = (struct lod_sample_photo){.file = *file, .class = class};
    *file = (struct lod_buf){0};
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
        unsigned class = lod_quant_class(layout->luma_table);
        if (has_room(sample, class)) {
            keep(sample, file, class, (uint64_t)layout->width * layout->height);
        }
    }
    free(layout);
    return 0;
}
