/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the sources of a pack by their roles; see pack_counts.h. */
#include "pack/pack_counts.h"

#include "pack/source/level_files.h"

void lod_pack_count_tables(struct lod_pack_result *result)
{
    for (size_t i = 0; i < result->tables.count; i++) {
        const struct lod_table_found *found = &result->tables.at[i];
        result->tables_stored += found->is_table && found->table.stored;
        result->tables_beside += found->is_table && !found->table.stored;
        result->shards += found->is_table ? found->table.shards : 0;
    }
}

void lod_pack_count_sources(struct lod_pack_result *result)
{
    for (size_t i = 0; i < result->list.count; i++) {
        const struct lod_source *source = &result->list.at[i];
        if (source->added) {
            continue;
        }
        result->folders += source->role == LOD_SOURCE_FOLDER && source->path[0];
        result->symlinks += source->role == LOD_SOURCE_SYMLINK;
        result->equal += source->role == LOD_SOURCE_EQUAL;
        result->hard_links += source->role == LOD_SOURCE_HARD_LINK;
        result->whole += source->role == LOD_SOURCE_FILE && source->why;
        result->levels += lod_source_has_levels(source);
        result->no_levels += source->role == LOD_SOURCE_FILE && source->no_levels;
        result->not_in_recordio += source->role == LOD_SOURCE_FILE && source->recordio;
        result->left_out += source->role == LOD_SOURCE_LEFT_OUT && !source->folder;
        result->left_out_folders += source->role == LOD_SOURCE_LEFT_OUT && source->folder;
        result->unreadable += source->role == LOD_SOURCE_LEFT_OUT && !source->special;
    }
}
