/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of tables: a file or folder, on disk or in an open store. */
#ifndef LOD_LODFS_SOURCE_H
#define LOD_LODFS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "api/lodfs.h"

#define LOD_SOURCE_NAME_ROOM 32

/* Limit of the size of a schema or shard. */
#define LOD_SOURCE_BYTES_MAX ((uint64_t)1 << 30)

struct lod_table_source {
    const char *path;
    struct lodfs_store *store; /* NULL: on disk */
};

/* Returns in *ret_folder whether it is a folder. */
LOD_MUST_CHECK int lod_table_source_stat(const struct lod_table_source *source, bool *ret_folder);

/* Reads the whole file `name` of the folder, or the file itself if `name` is "". `into` is empty
 * before. */
LOD_MUST_CHECK int lod_table_source_read(const struct lod_table_source *source, const char *name,
                                         struct lod_buf *into);

/* The facts of a folder's schema.json. Returns -EILSEQ if it is malformed. */
struct lod_table_outline {
    uint64_t rows;
    uint32_t columns, shards;
    uint8_t dtype;
};
LOD_MUST_CHECK int lod_table_source_outline(const struct lod_table_source *source,
                                            struct lod_table_outline *ret_outline,
                                            char name[LOD_SOURCE_NAME_ROOM]);

#endif
