/* SPDX-License-Identifier: Apache-2.0 */
/* Examines the remains of an earlier pack for a dry run. Writes nothing. */
#ifndef LOD_RESUME_PREVIEW_H
#define LOD_RESUME_PREVIEW_H

#include <stdint.h>

#include "compiler.h"
#include "pack/plan/order.h"
#include "pack/source/source.h"
#include "pack/source/first_error.h"

/*
 * Counts in *ret_there the records in folder `store` that pack might keep: their headers are as
 * planned; their frames are not read. `options` are those of lod_pack_lines. Returns -EEXIST
 * with a message if pack would refuse to continue, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_resume_preview(const char *store, const char *options,
                                      const struct lod_source_list *list,
                                      const struct lod_order *order,
                                      struct lod_first_error *first_error, uint64_t *ret_there);

#endif
