/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch table of patch decoders: the reference in plain C, and vector versions that return
 * the same samples and refuse the same bytes. After a refusal the samples may differ. Mode paper,
 * which is for comparison, has only the reference.
 */
#ifndef LOD_PATCH_DISPATCH_H
#define LOD_PATCH_DISPATCH_H

#include "l3/patch/patch.h"
#include "l3/patch/rans.h"
#include "l3/patch/small.h"

/* The number of small patches of one size that are decoded together. */
#define LOD_L3_PAIR 2u

struct lod_l3_patch_dispatch {
    const char *name;
    bool (*supported)(void); /* by this processor */
    const struct lod_l3_patch_dispatch
        *for_16bit; /* decoders for samples of 16 bits; NULL: this row decodes them too */

    /* All return -EILSEQ for a malformed patch. */
    int (*packed)(const struct lod_l3_patch *patch, struct lod_span bytes,
                  const struct lod_l3_target *target, struct lod_l3_rows *rows);
    int (*small)(const struct lod_l3_patch *patch, struct lod_span bytes,
                 const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                 struct lod_small_rows *rows);

    /* Decodes two patches of the same size together. NULL where that is not faster. */
    int (*small_pair)(const struct lod_l3_patch *patch, const struct lod_span bytes[LOD_L3_PAIR],
                      const struct lod_rans_tables *tables,
                      const struct lod_l3_target target[LOD_L3_PAIR]);
};

/* Returns the decoders for samples of this many bits. */
static inline const struct lod_l3_patch_dispatch *
lod_l3_patch_dispatch_of(const struct lod_l3_patch_dispatch *kernels, unsigned bits)
{
    return bits == 16 && kernels->for_16bit ? kernels->for_16bit : kernels;
}

/* All decoders in this build, the fastest first, the reference last, then NULL. */
extern const struct lod_l3_patch_dispatch *const lod_l3_patch_dispatch[];

extern const struct lod_l3_patch_dispatch lod_l3_patch_dispatch_scalar;

/* As lod_l3_work_init, with decoders that the caller chose and the processor supports. */
LOD_MUST_CHECK int lod_l3_work_init_with(const struct lod_l3_stream *stream,
                                         const struct lod_l3_patch_dispatch *kernels, void *work);

/* Returns the first decoders of the table that this processor supports. */
const struct lod_l3_patch_dispatch *lod_l3_patch_dispatch_best(void);

#endif
