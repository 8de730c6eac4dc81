/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches of mode paper, the scheme of the L3 paper, section 4.2: each row is a base and deltas of
 * one width (FORMAT.md, L3 stream, paper).
 */
#ifndef LOD_PAPER_H
#define LOD_PAPER_H

#include "l3/patch/patch.h"

/* The layout of a paper patch. */
struct lod_paper_map {
    unsigned runs;
    unsigned groups;     /* groups of eight deltas in a run; the last is filled up */
    unsigned base_bytes; /* 1 or 2 */
    size_t bases;        /* offset: one a run */
    size_t widths;       /* offset: four bits a run */
    size_t payload;      /* offset of the deltas */
};

static inline struct lod_paper_map lod_paper_map(const struct lod_l3_patch *patch)
{
    unsigned runs = patch->height * patch->samples, base_bytes = patch->bits == 16 ? 2 : 1;
    size_t widths = 1 + (size_t)runs * base_bytes;

    return (struct lod_paper_map){
        .runs = runs,
        .groups = (patch->width + 7) / 8,
        .base_bytes = base_bytes,
        .bases = 1,
        .widths = widths,
        .payload = widths + (runs + 1) / 2,
    };
}

/* Decodes a patch; `bytes` is all of it. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_paper_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                    const struct lod_l3_target *target, struct lod_l3_rows *rows);

#endif
