/* SPDX-License-Identifier: Apache-2.0 */
/* The state of encoding one source, shared by the sources that write pcr items. */
#ifndef LOD_PCR_WRITE_H
#define LOD_PCR_WRITE_H

#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/jpeg_scan.h"
#include "pcr/jpeg/script.h"

struct lod_pcr_job {
    struct lod_span source;
    struct lod_jpeg_layout layout;
    struct lod_jpeg *jpeg;    /* its coefficients */
    struct lod_script script; /* fitted; that of `written` */
    struct lod_buf written;   /* the progressive file, without APPn and COM */
    uint8_t top;              /* KEPT: `written` ends with this group; 0: it is complete */
    const char *why;          /* reason if it is stored WHOLE */
};

/* Fills groups 1 .. 11 and the row's app_split and ORIENT flag from a checked job.
 * Returns -ENOMEM. */
LOD_MUST_CHECK int lod_pcr_groups_write(const struct lod_pcr_job *job, struct lod_encoded *item);

/*
 * Appends closing scans to group 1, and their length to the row, if the scans of group 1 allow it
 * and closing scans are small enough. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_pcr_closing_write(const struct lod_pcr_job *job, struct lod_encoded *item);

/* Sets the row's lengths of all groups. Returns -ENOTSUP if one exceeds 4 GiB. */
LOD_MUST_CHECK int lod_pcr_set_lengths(struct lod_encoded *item);

/* Stores the source file beside groups 1 .. top, and empties the other groups. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_pcr_keep(const struct lod_pcr_job *job, unsigned top,
                                struct lod_encoded *item);

/*
 * Fills group 12 and the row's flags, so that original/ has the source's bytes: rebuild data that
 * was checked by rebuilding (without its header, see lod_encoder's join), or the source itself,
 * KEPT. Overwrites the padding of `job->jpeg`. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_pcr_original_write(struct lod_pcr_job *job, struct lod_encoded *item);

/* The function `join` of struct lod_encoder. */
LOD_MUST_CHECK int lod_pcr_original_join(struct lod_encoded *item, uint32_t slot);

#endif
