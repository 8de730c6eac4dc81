/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of encoders; see encoder.h. */
#include "encoder.h"

/* Encoders with a probe come first. */
static const struct lod_encoder *const encoders[] = {
    &lod_encoder_pcr,       &lod_encoder_l3,
    &lod_encoder_raw, /* raw takes every file: keep it last */
    &lod_encoder_l3_levels, &lod_encoder_toc,
};
#define PROBED 3u
#define ALL    (sizeof(encoders) / sizeof(encoders[0]))

const struct lod_encoder *lod_encoder_probe(struct lod_span head, uint64_t source_bytes)
{
    const size_t last = PROBED - 1;
    size_t i = 0;

    while (i < last &&
           (source_bytes > encoders[i]->source_bytes_max || !encoders[i]->probe(head))) {
        i++;
    }
    return encoders[i];
}

const struct lod_encoder *lod_encoder_of_class(unsigned class)
{
    for (size_t i = 0; i < ALL; i++) {
        if (lod_encoder_class(encoders[i]) == class) {
            return encoders[i];
        }
    }
    return NULL;
}
