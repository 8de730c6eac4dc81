/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time that a decoder takes for a fidelity, as a share of the time for the source. It is a
 * model of libjpeg-turbo with its defaults. Nothing is timed, since a store must not depend on the
 * machine that packs it.
 */
#ifndef LOD_DECODE_COST_H
#define LOD_DECODE_COST_H

#include <stdint.h>

#include "pcr/jpeg/jpeg_scan.h"
#include "pcr/jpeg/script.h"

/*
 * Returns that share for groups 1 .. `last` of `script`, which is fitted to the image and takes
 * `bytes` so far. `closed`: q1 has closing scans. The source is sequential.
 */
double lod_decode_cost(const struct lod_jpeg_layout *layout, const struct lod_script *script,
                       unsigned last, uint64_t bytes, bool closed, uint64_t source_bytes);

#endif
