/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that readahead.h calls. Units are made one by one on the host, many at once on a
 * device. */
#ifndef LOD_UNIT_READAHEAD_H
#define LOD_UNIT_READAHEAD_H

#include "read/readahead.h"

extern const struct lod_readahead_calls
    lod_unit_readahead; /* ctx: a const struct lod_unit_cache_in */

#endif
