/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches of fixed-width fields, modes `packed` and `paper`: their layout and their decoding.
 * FORMAT.md, L3 stream, packed and paper.
 *
 * A run is one plane of one row. Runs are numbered row by row, plane by plane. The fields of a run
 * are cut into blocks of one width each: 16 fields in packed, the whole run in paper.
 */
#ifndef LOD_PACKED_H
#define LOD_PACKED_H

#include "l3/patch/patch.h"

#define LOD_L3_BLOCK 16u

/* The layout of a packed patch: offsets of its sections, and sizes in bytes. */
struct lod_l3_packed_map {
    unsigned runs;
    unsigned groups;        /* groups of eight fields in a run; the last is filled up */
    unsigned blocks;        /* in a run */
    unsigned widths_of_run; /* bytes: four bits for each block */
    size_t predictors;      /* offset of the predictors: four bits for each run */
    size_t widths;          /* offset of the widths: widths_of_run bytes for each run */
    size_t payload;         /* offset of the fields */
};

struct lod_l3_packed_map lod_l3_packed_map(const struct lod_l3_patch *patch);

/* Decodes a patch; `bytes` is all of it. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_l3_packed_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                        const struct lod_l3_target *target,
                                        struct lod_l3_rows *rows);

#endif
