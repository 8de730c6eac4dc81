/* SPDX-License-Identifier: Apache-2.0 */
/* The pixels of a pcr item at a fidelity, as libjpeg decodes q_k;
 * EXIF orientation is not applied. */
#ifndef LOD_PCR_DECODED_H
#define LOD_PCR_DECODED_H

#include "codec.h"

/* Forms of the maker: LOD_ORIGINAL is the source file; this number and the following ones are the
 * pixels of q1 .. q10. `full` has the pixels of q10. */
#define LOD_PCR_FORM_DECODED 16u

/* Returns the memory for decoding an image with this many bytes of coefficients,
 * pixels included. */
uint64_t lod_pcr_decoded_bytes(uint32_t width, uint32_t height, unsigned components,
                               uint64_t coefficient_bytes);

/* See struct lod_codec and struct lod_maker. The row must be sound and not WHOLE. */
const char *lod_pcr_decoded_ending(const uint8_t row[LOD_ROW_BYTES]);
LOD_MUST_CHECK int lod_pcr_decoded_plan(const uint8_t row[LOD_ROW_BYTES],
                                        enum lod_fidelity fidelity, struct lod_plan *plan);

/* A maker for the forms of pixels only. */
extern const struct lod_maker lod_pcr_decoded_maker;

#endif
