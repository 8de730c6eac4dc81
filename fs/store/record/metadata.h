/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a record's metadata that an open record does not keep: path entries and record id
 * (FORMAT.md, Record and Identities). Used by verify, repair and the record's writer.
 */
#ifndef LOD_METADATA_H
#define LOD_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"
#include "sample/magic_list.h"
#include "index/index.h"
#include "backend/store.h"

#define LOD_PATH_ENTRY_BYTES 16 /* without the path */

/* All zero is empty. */
struct lod_metadata {
    uint8_t *bytes;  /* items x LOD_ROW_BYTES | offsets | hashes | path entries */
    uint8_t *memory; /* that has the bytes, and is freed; NULL: they are borrowed */
    size_t bytes_count;
    size_t paths_at; /* where the path entries begin */
    uint32_t items;
    uint8_t codec;
};

/* One path entry. The path points into the metadata and is not NUL-terminated. */
struct lod_path_entry {
    const char *path;
    size_t path_bytes;
    int64_t mtime;
    uint32_t node_flags;
    uint16_t mode;
    int32_t label;            /* of a row with LOD_ITEM_HAS_LABEL; else LOD_NO_LABEL */
    struct lod_magics magics; /* points into the metadata */
};

/*
 * Reads the metadata of a record that lod_record_open accepts, and checks its hash again. Returns
 * -EBADMSG, -EILSEQ, -EIO, -ENOMEM or -ENOENT.
 */
LOD_MUST_CHECK int lod_metadata_read(struct lod_store *store, const struct lod_record_desc *recd,
                                     struct lod_metadata *ret_metadata);
/* The same from the header and metadata that lod_record_open_loaded returned; takes ownership of
 * them. */
void lod_metadata_take(uint8_t *head, const struct lod_record_desc *recd,
                       struct lod_metadata *ret_metadata);
void lod_metadata_finish(struct lod_metadata *metadata);

/* Returns the path entry of a slot (< items). -EILSEQ: it is not inside the metadata. */
LOD_MUST_CHECK int lod_metadata_path(const struct lod_metadata *metadata, uint32_t slot,
                                     struct lod_path_entry *ret_entry);

/* Computes record_id: XXH3-128 of codec, record file name, rows, path entries. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_metadata_identify(const struct lod_metadata *metadata, const char *name,
                                         struct lod_id *ret_id);

#endif
