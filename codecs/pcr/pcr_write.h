/* SPDX-License-Identifier: Apache-2.0 */
/* One source on its way to an item: what the files that write pcr items share. */
#ifndef LOD_PCR_WRITE_H
#define LOD_PCR_WRITE_H

#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pcr/jpeg_io.h"
#include "pcr/jpeg_scan.h"
#include "pcr/script.h"

struct lod_pcr_job {
    struct lod_span source;
    struct lod_jpeg_layout layout;
    struct lod_jpeg *jpeg;    /* its coefficients */
    struct lod_script script; /* fitted, of `written` */
    struct lod_buf written;   /* without APPn and COM */
    struct lod_jpeg *again;   /* the coefficients read back from it */
    const char *why;          /* it is stored WHOLE */
};

/* Fills groups 1 .. 11 and the row's app_split and ORIENT flag from a job that is proven. -ENOMEM.
 */
LOD_MUST_CHECK int lod_pcr_groups_write(const struct lod_pcr_job *job, struct lod_encoded *item);

/*
 * Fills group 12 and the row's flags, so that original/ has the source's bytes: rebuild data that
 * was proven by rebuilding (its header apart, see lod_encoder's join), or the source itself, KEPT.
 * `job->again` is used up. -ENOMEM.
 */
LOD_MUST_CHECK int lod_pcr_original_write(struct lod_pcr_job *job, struct lod_encoded *item);

/* lod_encoder's join. */
LOD_MUST_CHECK int lod_pcr_original_join(struct lod_encoded *item, uint32_t slot);

#endif
