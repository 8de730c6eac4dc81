/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of the summary that follow from the list of sources. */
#ifndef LOD_PACK_COUNTS_H
#define LOD_PACK_COUNTS_H

#include "pack/pack.h"

/* Sets the counts of tables; the list of sources may be that of a plan, which has none. */
void lod_pack_count_tables(struct lod_pack_result *result);

/* Sets the counts of folders, links, and files that were left out. */
void lod_pack_count_sources(struct lod_pack_result *result);

#endif
