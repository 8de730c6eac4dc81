/* SPDX-License-Identifier: Apache-2.0 */
/* The pixels of a pcr item at a fidelity: what libjpeg makes of q_k's bytes, not turned by EXIF. */
#ifndef LOD_PCR_DECODED_H
#define LOD_PCR_DECODED_H

#include "codec.h"

/* Forms of the maker: the source file is LOD_ORIGINAL, pixels of q1 .. q10 are these and after.
 * `full` has the scans of q10. */
#define LOD_PCR_FORM_DECODED 16u

/* Memory to decode, pixels included, of an image with this many bytes of coefficients. */
uint64_t lod_pcr_decoded_bytes(uint32_t width, uint32_t height, unsigned components,
                               uint64_t coefficient_bytes);

/* As struct lod_codec and struct lod_maker say. The row is sound and not WHOLE. */
const char *lod_pcr_decoded_ending(const uint8_t row[LOD_ROW_BYTES]);
LOD_MUST_CHECK int lod_pcr_decoded_plan(const uint8_t row[LOD_ROW_BYTES],
                                        enum lod_fidelity fidelity, struct lod_plan *plan);

/* A maker for the forms of pixels alone. */
extern const struct lod_maker lod_pcr_decoded_maker;

#endif
