/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of framings; see framing.h. Rows of SUMS have their columns in this order. */
#include "framing/framing.h"

static const struct lod_framing *const framings[LOD_FRAMINGS] = {
    &lod_framing_tar,
    &lod_framing_recordio,
    &lod_framing_tfrecord,
};

const struct lod_framing *lod_framing_at(unsigned index)
{
    return index < LOD_FRAMINGS ? framings[index] : NULL;
}

const struct lod_framing *lod_framing_of(enum lod_format format, unsigned *ret_index)
{
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        if (framings[i]->format == format) {
            *ret_index = i;
            return framings[i];
        }
    }
    return NULL;
}

const char *lod_framed_ending(const struct lod_framing *framing, enum lod_framed_kind kind)
{
    if (kind == LOD_FRAMED_DATA || kind == LOD_FRAMED_CLASSES) {
        return kind == LOD_FRAMED_DATA ? framing->ending : ".classes.txt";
    }
    return framing->lines[kind] ? framing->lines[kind]->ending : NULL;
}

uint64_t lod_framing_bytes(const struct lod_framing *framing,
                           const struct lod_framed_sample *sample)
{
    const unsigned count = framing->stretches(sample);
    struct lod_stretch stretch;
    uint64_t bytes = 0;

    for (unsigned i = 0; i < count; i++) {
        framing->stretch(sample, i, &stretch, NULL);
        bytes += lod_stretch_bytes(&stretch);
    }
    return bytes;
}
