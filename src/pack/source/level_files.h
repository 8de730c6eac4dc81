/* SPDX-License-Identifier: Apache-2.0 */
/* The lossless images that --levels names: they get the encoder that makes lower fidelities. */
#ifndef LOD_LEVEL_FILES_H
#define LOD_LEVEL_FILES_H

#include "compiler.h"
#include "option.h"
#include "pack/source/probe.h"

/*
 * Changes the encoder of each FILE that the patterns match, after lod_probe_files and before
 * lod_dedup_find. A file with hard links is matched only if all its names are.
 */
void lod_level_files_mark(struct lod_source_list *list, const struct lod_option_list *globs);

/*
 * For a dry run: encodes the files that are marked, and sets `no_levels` and `why` of those that
 * would get none. A file that cannot be read is left as it is. Returns -ENOMEM or -EINTR.
 */
LOD_MUST_CHECK int lod_level_files_try(struct lod_probe *probe,
                                       const struct lod_encode_options *options);

/* Returns whether a source has lower fidelities though it is a lossless image;
 * once it is encoded. */
static inline bool lod_source_has_levels(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE && source->encoder->apart && !source->no_levels;
}

#endif
