/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The property of the pcr encoder that holds for any input, shared by the fuzzer and the mutation
 * test:
 * - It terminates, and its row is sound.
 * - A file that is stored WHOLE keeps every byte.
 * - A transcoded file decodes to the source's pixels at `full`, and to its size at q1 .. q10.
 * - If the source is kept beside its groups, the same holds up to the last group.
 */
#ifndef LOD_JPEG_PROPERTY_H
#define LOD_JPEG_PROPERTY_H

#include <stdlib.h>

#include "encoder.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/script.h"

struct property_pixels {
    int error;
    uint32_t width, height, channels;
    struct lod_buf pixels;
};

static inline struct property_pixels property_decode(struct lod_span file)
{
    struct property_pixels p = {.error = 0};
    p.error = lod_jpeg_decode(file, &p.pixels, &p.width, &p.height, &p.channels);
    return p;
}

static inline int property_file(const struct lod_encoded *item, unsigned fidelity,
                                struct lod_buf *ret_file)
{
    struct lod_plan plan;
    int error = lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE,
                               (enum lod_fidelity)fidelity, &plan);
    for (unsigned i = 0; i < plan.count && !error; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        const uint8_t *at = piece->mem;
        if (piece->kind == LOD_PIECE_STORED) {
            const struct lod_buf *group = &item->group[piece->group - 1];
            if (piece->offset + piece->bytes > group->bytes) {
                return -1;
            }
            at = group->data + piece->offset;
        }
        error = lod_buf_append(ret_file, at, piece->bytes);
    }
    return error;
}

static inline const char *property_fidelity(struct lod_span source, const struct lod_encoded *item,
                                            const struct property_pixels *expected,
                                            unsigned fidelity)
{
    struct lod_buf file = {0};
    const char *broken = NULL;

    if (property_file(item, fidelity, &file)) {
        broken = "there is no plan, or it reads past the end of a group";
    } else if (item->whole) {
        bool same = file.bytes == source.bytes &&
                    (!file.bytes || memcmp(file.data, source.at, file.bytes) == 0);
        broken = same ? NULL : "a file stored WHOLE has other bytes";
    } else {
        struct property_pixels p = property_decode(lod_buf_span(&file));
        if (p.error != expected->error || p.width != expected->width ||
            p.height != expected->height || p.channels != expected->channels) {
            broken = "the file decodes to another size, or does not decode";
        } else if (fidelity == LOD_FULL && p.pixels.bytes &&
                   memcmp(p.pixels.data, expected->pixels.data, p.pixels.bytes) != 0) {
            broken = "the file at full decodes to other pixels";
        }
        lod_buf_finish(&p.pixels);
    }
    lod_buf_finish(&file);
    return broken;
}

/*
 * Encodes with `top` of struct lod_encode_options. Returns NULL if the property holds, or a
 * description of the breach. *ret_whole is the reason why the file is stored WHOLE, or NULL.
 */
static inline const char *jpeg_property_top(struct lod_span source, uint8_t top,
                                            const char **ret_whole)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice, .top = top};
    struct lod_encoded item = {0};
    struct property_pixels expected = {.error = 0};
    uint64_t bytes[LOD_GROUPS_MAX];
    const char *broken = NULL;

    for (unsigned c = 0; c < LOD_QUANT_CLASSES; c++) {
        choice.classes[c].count = 1;
        choice.classes[c].scripts[0] = lod_script_builtin(0);
    }
    if (lod_encoder_pcr.encode(source, &options, &item)) {
        return "encode failed";
    }
    if (lod_codec_segments(&lod_codec_pcr, item.row, bytes)) {
        broken = "the codec refuses the row that the encoder made";
    }
    for (unsigned g = 0; g < LOD_GROUPS_MAX && !broken; g++) {
        broken = bytes[g] == item.group[g].bytes ? NULL
                                                 : "the row's lengths are not those of the groups";
    }
    if (!item.whole) {
        expected = property_decode(source);
    }
    const unsigned fidelities[] = {LOD_FULL, LOD_Q1, 4, LOD_Q10};
    for (size_t i = 0; i < 4 && !broken; i++) {
        broken = property_fidelity(source, &item, &expected, fidelities[i]);
    }
    *ret_whole = item.whole;
    lod_buf_finish(&expected.pixels);
    lod_encoded_finish(&item);
    return broken;
}

/* NULL: the property holds. *ret_whole: why the file was stored WHOLE, NULL if it was not. */
static inline const char *jpeg_property(struct lod_span source, const char **ret_whole)
{
    const char *whole = NULL;
    const char *broken = jpeg_property_top(source, 4, &whole);

    return broken ? broken : jpeg_property_top(source, 0, ret_whole);
}

#endif
