/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run finds of an earlier pack that did not end. Reads only. */
#ifndef LOD_FORESEE_H
#define LOD_FORESEE_H

#include <stdint.h>

#include "compiler.h"
#include "pack/order.h"
#include "pack/source.h"
#include "pack/trouble.h"

/*
 * The records in folder `store` that pack would look at to keep, *ret_there of them: their headers
 * are as planned, their frames are not read. -EEXIST: pack would refuse to go on, and trouble says
 * why. `options`: lod_resume_options. -ENOMEM.
 */
LOD_MUST_CHECK int lod_foresee(const char *store, const char *options,
                               const struct lod_source_list *list, const struct lod_order *order,
                               struct lod_trouble *trouble, uint64_t *ret_there);

#endif
