/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The property of the l3 encoder that holds for any input, shared by fuzzers and mutation tests:
 * - It terminates, and its row is sound.
 * - A file that is stored WHOLE keeps every byte.
 * - A PNG that becomes patches is restored as a PNG of the same pixels and chunks, not interlaced,
 *   with right checksums.
 * - Any other image that becomes patches is restored byte for byte.
 */
#ifndef LOD_PNG_PROPERTY_H
#define LOD_PNG_PROPERTY_H

#include <stdlib.h>

#include "encoder.h"
#include "l3/container/png_io.h"

struct property_png {
    struct lod_png_layout layout;
    uint8_t *samples;
    uint64_t bytes;
};

static inline int property_png_open(struct lod_span file, struct property_png *ret_png)
{
    const char *why;
    int error = lod_png_scan(file, &ret_png->layout, &why);
    const struct lod_l3_image image = lod_png_image(&ret_png->layout.header);

    if (error) {
        return error;
    }
    ret_png->bytes = lod_l3_row_bytes(&image) * image.height;
    ret_png->samples = malloc(ret_png->bytes);
    return lod_png_decode(file, &ret_png->layout, ret_png->samples, &why);
}

static inline int property_unit(const struct lod_encoded *item, unsigned form, uint64_t unit,
                                uint8_t *into, size_t bytes)
{
    const struct lod_maker *maker = lod_codec_l3.maker;
    struct lod_inputs inputs = {0};
    unsigned done = 0;
    int error = maker->need(item->row, form, unit, &inputs);

    while (!error && done < inputs.count) {
        struct lod_input *input = &inputs.input[done++];
        if (input->plan.count) {
            const struct lod_piece *piece = &input->plan.pieces[0];
            input->data = (struct lod_span){
                .at = item->group[piece->group - 1].data + piece->offset, .bytes = piece->bytes};
        }
        if (done == inputs.count) {
            error = maker->need(item->row, form, unit, &inputs);
        }
    }
    return error ? error : maker->make(item->row, form, unit, &inputs, into, bytes);
}

static inline int property_made(const struct lod_encoded *item, const struct lod_piece *piece,
                                struct lod_buf *file)
{
    const uint64_t unit_bytes = lod_codec_l3.maker->unit_bytes(item->row, piece->form);
    int error = lod_buf_reserve(file, piece->bytes);

    for (uint64_t at = 0; !error && at < piece->bytes; at += unit_bytes) {
        uint64_t bytes = piece->bytes - at < unit_bytes ? piece->bytes - at : unit_bytes;
        error = property_unit(item, piece->form, at / unit_bytes, file->data + file->bytes, bytes);
        file->bytes += bytes;
    }
    return error;
}

static inline int property_file(const struct lod_encoded *item, enum lod_format format,
                                struct lod_buf *file)
{
    struct lod_plan plan;
    int error = lod_codec_plan(&lod_codec_l3, item->row, format, LOD_FULL, &plan);

    for (unsigned i = 0; !error && i < plan.count; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        if (piece->kind == LOD_PIECE_MADE) {
            error = property_made(item, piece, file);
        } else {
            const uint8_t *at = piece->kind == LOD_PIECE_TEXT
                                    ? plan.text + piece->offset
                                    : item->group[piece->group - 1].data + piece->offset;
            error = lod_buf_append(file, at, piece->bytes);
        }
    }
    return error ? error : file->bytes == plan.bytes ? 0 : -1;
}

static inline bool property_same(const struct property_png *a, const struct property_png *b)
{
    const struct lod_png_header *x = &a->layout.header, *y = &b->layout.header;

    return x->width == y->width && x->height == y->height && x->depth == y->depth &&
           x->colour == y->colour && !y->interlaced && a->bytes == b->bytes &&
           memcmp(a->samples, b->samples, a->bytes) == 0 && b->layout.after.bytes == 0 &&
           b->layout.before.bytes == a->layout.before.bytes + a->layout.after.bytes;
}

/* The property of an item with neither KEPT nor NO_ORIGINAL: full has the source's bytes. */
static inline const char *property_exact(struct lod_span source, const struct lod_encoded *item)
{
    struct lod_buf file = {0}, pixels = {0};
    const char *broken = NULL;

    if (property_file(item, LOD_FORMAT_TREE, &file)) {
        broken = "the file at full cannot be made";
    } else if (file.bytes != source.bytes || memcmp(file.data, source.at, source.bytes) != 0) {
        broken = "the file at full is not the source";
    } else if (lod_codec_decoded_ending(&lod_codec_l3, item->row) &&
               property_file(item, LOD_FORMAT_DECODED, &pixels)) {
        broken = "it has a decoded form that cannot be made";
    }
    lod_buf_finish(&file);
    lod_buf_finish(&pixels);
    return broken;
}

static inline const char *property_patches(struct lod_span source, const struct lod_encoded *item)
{
    struct property_png from = {0}, to = {0};
    struct lod_buf file = {0}, pixels = {0};
    const char *broken = NULL;

    if (property_png_open(source, &from)) {
        broken = "a file that does not decode became patches";
    } else if (property_file(item, LOD_FORMAT_TREE, &file) ||
               property_png_open(lod_buf_span(&file), &to)) {
        broken = "the file at full is not a PNG";
    } else if (!property_same(&from, &to)) {
        broken = "the PNG at full has other pixels or chunks";
    } else if (lod_codec_decoded_ending(&lod_codec_l3, item->row) &&
               property_file(item, LOD_FORMAT_DECODED, &pixels)) {
        broken = "it has a decoded form that cannot be made";
    }
    free(from.samples);
    free(to.samples);
    lod_buf_finish(&file);
    lod_buf_finish(&pixels);
    return broken;
}

/* Returns NULL if the property holds, or a description of the breach. *ret_whole is the reason why
 * the file is stored WHOLE, or NULL. */
static inline const char *png_property(struct lod_span source, uint8_t mode, const char **ret_whole)
{
    const struct lod_encode_options options = {.l3_mode = mode};
    struct lod_encoded item = {0};
    uint64_t bytes[LOD_GROUPS_MAX];
    const char *broken = NULL;

    if (lod_encoder_l3.encode(source, &options, &item)) {
        return "encode failed";
    }
    if (lod_codec_segments(&lod_codec_l3, item.row, bytes)) {
        broken = "the codec refuses the row that the encoder made";
    }
    for (unsigned g = 0; g < LOD_GROUPS_MAX && !broken; g++) {
        broken = bytes[g] == item.group[g].bytes ? NULL
                                                 : "the row's lengths are not those of the groups";
    }
    if (!broken && item.whole) {
        const struct lod_buf *kept = &item.group[LOD_GROUPS_MAX - 1];
        broken = kept->bytes == source.bytes &&
                         (!kept->bytes || memcmp(kept->data, source.at, source.bytes) == 0)
                     ? NULL
                     : "a file stored WHOLE has other bytes";
    } else if (!broken) {
        const bool exact = !(lod_row_flags(item.row) & (LOD_ITEM_KEPT | LOD_ITEM_NO_ORIGINAL));
        broken = exact ? property_exact(source, &item) : property_patches(source, &item);
    }
    *ret_whole = item.whole;
    lod_encoded_finish(&item);
    return broken;
}

#endif
