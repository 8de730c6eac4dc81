/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a pack as the manifest has them. */
#ifndef LOD_PACK_DESCRIBE_H
#define LOD_PACK_DESCRIBE_H

#include <cjson/cJSON.h>

#include "pack/pack.h"

/* Returns an object for cJSON_Delete; NULL: no memory. */
cJSON *lod_pack_describe(const struct lod_pack_options *options, uint64_t record_bytes);

#endif
