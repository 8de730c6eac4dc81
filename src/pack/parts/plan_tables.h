/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in a plan. Their parts are not stored: a part examines again the files whose shards it
 * writes. */
#ifndef LOD_PLAN_TABLES_H
#define LOD_PLAN_TABLES_H

#include "compiler.h"
#include "pack/parts/pack_part.h"
#include "pack/parts/plan_file.h"
#include "pack/source/probe.h"

/*
 * Gives the files of several items in some records of the order their parts, once
 * lod_pack_plan_take_sources has read them. probe->list is that of `sources`. Returns -EBADMSG if
 * the plan does not fit, -ESTALE if a file has changed since, or another error of reading. The list
 * borrows from `tables`, which the caller finishes after it.
 */
LOD_MUST_CHECK int lod_pack_plan_take_tables(
    const struct lod_pack_plan *plan, const struct lod_pack_plan_sources *sources,
    const struct lod_order *order, const struct lod_part_run *run, struct lod_probe *probe,
    const struct lod_tables_options *options, struct lod_tables *tables);

#endif
