/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of ways to decode a patch: the reference in plain C, and its twins in vectors, which
 * give the same samples and refuse the same bytes. After a refusal the samples may differ.
 */
#ifndef LOD_KERNELS_H
#define LOD_KERNELS_H

#include "l3/patch.h"
#include "l3/rans.h"
#include "l3/small.h"

/* Patches of mode small that are decoded side by side where there are so many of one size. */
#define LOD_L3_PAIR 2u

struct lod_l3_kernels {
    const char *name;
    bool (*supported)(void);           /* by this processor */
    const struct lod_l3_kernels *deep; /* for samples of 16 bits; NULL: these */

    /* -EILSEQ */
    int (*packed)(const struct lod_l3_patch *patch, struct lod_span bytes,
                  const struct lod_l3_target *target, struct lod_l3_rows *rows);
    int (*paper)(const struct lod_l3_patch *patch, struct lod_span bytes,
                 const struct lod_l3_target *target, struct lod_l3_rows *rows);
    int (*small)(const struct lod_l3_patch *patch, struct lod_span bytes,
                 const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                 struct lod_small_rows *rows);

    /* Two patches of the same size; NULL where that gains nothing. */
    int (*small_pair)(const struct lod_l3_patch *patch, const struct lod_span bytes[LOD_L3_PAIR],
                      const struct lod_rans_tables *tables,
                      const struct lod_l3_target target[LOD_L3_PAIR]);
};

/* Those of them that decode samples of so many bits. */
static inline const struct lod_l3_kernels *lod_l3_kernels_of(const struct lod_l3_kernels *kernels,
                                                             unsigned bits)
{
    return bits == 16 && kernels->deep ? kernels->deep : kernels;
}

/* All that this build has, the fastest first, the reference last, then NULL. */
extern const struct lod_l3_kernels *const lod_l3_kernels[];

extern const struct lod_l3_kernels lod_l3_kernels_scalar;

/* lod_l3_work_init for decoders that the caller chose; this processor supports them. */
LOD_MUST_CHECK int lod_l3_work_init_with(const struct lod_l3_stream *stream,
                                         const struct lod_l3_kernels *kernels, void *work);

/* The first that this processor supports. */
const struct lod_l3_kernels *lod_l3_kernels_best(void);

#endif
