/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of an open store: the back end, its limits of speed, and a tier in front of them. */
#ifndef LOD_STORE_LAYERS_H
#define LOD_STORE_LAYERS_H

#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "hash.h"

/*
 * Opens the store without the kernel's readahead for a mount, which reads whole prefixes itself:
 * readahead would fetch groups that are not needed. Other programs read files from begin to end,
 * where readahead helps. `why` gets a sentence on error.
 */
LOD_MUST_CHECK int lod_store_layers_open(const char *location,
                                         const struct lod_open_options *options,
                                         struct lod_store **ret_store, struct lod_why *why);

/* Puts a tier in front of *store, if tier->folder is set. A tier has a folder for each store's id,
 * so the manifest has to be read first. The tier's messages are logged. */
LOD_MUST_CHECK int lod_store_layers_add_tier(const struct lod_tier_settings *tier,
                                             struct lod_id store_id, struct lod_store **store,
                                             struct lod_why *why);

#endif
