/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of decoders, and the checks around their calls; see codec.h. */
#include "codec.h"

#include <assert.h>
#include <errno.h>

#define ALL_GROUPS ((1u << LOD_GROUPS_MAX) - 1)

static const struct lod_codec *const codecs[LOD_CODECS] = {
    [LOD_CODEC_TREE] = &lod_codec_tree, [LOD_CODEC_PCR] = &lod_codec_pcr,
    [LOD_CODEC_L3] = &lod_codec_l3,     [LOD_CODEC_RAW] = &lod_codec_raw,
    [LOD_CODEC_TOC] = &lod_codec_toc,
};

static const char *const fidelity_names[] = {
    [LOD_Q1] = "q1", [2] = "q2",        [3] = "q3",          [4] = "q4",
    [5] = "q5",      [6] = "q6",        [7] = "q7",          [8] = "q8",
    [9] = "q9",      [LOD_Q10] = "q10", [LOD_FULL] = "full", [LOD_ORIGINAL] = "original",
};

const struct lod_codec *lod_codec_find(unsigned id)
{
    return id < LOD_CODECS ? codecs[id] : NULL;
}

int lod_codec_segments(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                       uint64_t ret_bytes[LOD_GROUPS_MAX])
{
    int error = codec->segments(row, ret_bytes);
    for (unsigned i = codec->groups; !error && i < LOD_GROUPS_MAX; i++) {
        assert(ret_bytes[i] == 0);
    }
    return error;
}

int lod_codec_plan(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                   enum lod_format format, enum lod_fidelity fidelity, struct lod_plan *ret_plan)
{
    if (!lod_fidelity_name(fidelity)) {
        return -ENOENT;
    }
    if (fidelity == LOD_ORIGINAL && (lod_row_flags(row) & LOD_ITEM_NO_ORIGINAL)) {
        return -ENOENT;
    }
    if (format == LOD_FORMAT_DECODED && !lod_codec_decoded_ending(codec, row)) {
        return -ENOENT;
    }
    if (format == LOD_FORMAT_NATIVE && !lod_codec_native_ending(codec, row)) {
        return -ENOENT;
    }
    return codec->plan(row, format, fidelity, ret_plan);
}

uint16_t lod_codec_made_groups(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                               unsigned form)
{
    return codec->maker->groups ? codec->maker->groups(row, form) : ALL_GROUPS;
}

static uint16_t made_groups(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                            const struct lod_plan *plan)
{
    uint16_t groups = 0;

    for (unsigned i = 0; i < plan->count; i++) {
        if (plan->pieces[i].kind == LOD_PIECE_MADE) {
            groups |= lod_codec_made_groups(codec, row, plan->pieces[i].form);
        }
    }
    return groups;
}

/* Groups of which all bytes are read are not counted again as stored pieces. */
int lod_codec_read_bytes(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                         const uint64_t segments[LOD_GROUPS_MAX], enum lod_fidelity fidelity,
                         uint64_t *ret_bytes)
{
    struct lod_plan plan;
    uint64_t bytes = 0;
    int error = lod_codec_plan(codec, row, LOD_FORMAT_TREE, fidelity, &plan);

    if (error) {
        return error;
    }
    const uint16_t groups = made_groups(codec, row, &plan);
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        bytes += groups >> i & 1 ? segments[i] : 0;
    }
    for (unsigned i = 0; groups && i < plan.count; i++) {
        const struct lod_piece *piece = &plan.pieces[i];
        const bool apart = piece->kind == LOD_PIECE_STORED && !(groups >> (piece->group - 1) & 1);
        bytes += apart ? piece->bytes : 0;
    }
    *ret_bytes = groups ? bytes : plan.bytes;
    return 0;
}

const char *lod_codec_decoded_ending(const struct lod_codec *codec,
                                     const uint8_t row[LOD_ROW_BYTES])
{
    return codec->decoded_ending && !(lod_row_flags(row) & (LOD_ITEM_WHOLE | LOD_ITEM_NO_DECODED))
               ? codec->decoded_ending(row)
               : NULL;
}

const char *lod_codec_native_ending(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES])
{
    return lod_row_flags(row) & LOD_ITEM_WHOLE ? NULL : codec->native_ending;
}

const char *lod_fidelity_name(enum lod_fidelity fidelity)
{
    return fidelity >= LOD_Q1 && fidelity <= LOD_ORIGINAL ? fidelity_names[fidelity] : NULL;
}

enum lod_fidelity lod_fidelity_parse(const char *name, size_t bytes)
{
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        if (strlen(fidelity_names[f]) == bytes && memcmp(fidelity_names[f], name, bytes) == 0) {
            return (enum lod_fidelity)f;
        }
    }
    return (enum lod_fidelity)0;
}
