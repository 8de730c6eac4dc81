/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch table of encoders; see encoder.h. */
#include "encoder.h"

static const struct lod_encoder *const encoders[] = {
    &lod_encoder_pcr, &lod_encoder_l3, &lod_encoder_raw, /* raw takes every file: keep it last */
};

const struct lod_encoder *lod_encoder_probe(struct lod_span head, uint64_t source_bytes)
{
    const size_t last = sizeof(encoders) / sizeof(encoders[0]) - 1;
    size_t i = 0;

    while (i < last &&
           (source_bytes > encoders[i]->source_bytes_max || !encoders[i]->probe(head))) {
        i++;
    }
    return encoders[i];
}
