/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open store as one tree of nodes: names, items, sizes, checked frames. Immutable after open, so
 * any thread may use it. Knows no view, no FUSE, no single codec. Errors other than ENOENT, ENOMEM
 * and EINTR that concern stored bytes are logged here, once, with record, item, group and offset.
 */
#ifndef LOD_DATASET_H
#define LOD_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "codec.h"
#include "compiler.h"
#include "plan.h"
#include "store/index.h"
#include "store/manifest.h"
#include "store/slow.h"

#define LOD_INDEX_CACHE_BYTES  (16u << 20)
#define LOD_RECORD_CACHE_BYTES (16u << 20)

struct lod_dataset;

/*
 * Opens a committed store. `why` gets one sentence for the user on error. -ENOENT: no store there
 * (exit 10); -ENOTSUP: another version or an unknown feature; -EBADMSG, -EILSEQ, -EIO: damaged.
 */
LOD_MUST_CHECK int lod_dataset_open(const char *location, struct lod_dataset **ret_dataset,
                                    char *why, size_t why_room);
/*
 * The same for a mount, which asks for all it wants: the storage reads nothing ahead, and prefixes,
 * which the mount keeps, go past the page cache of the store unless that is wished.
 */
struct lod_mounted {
    struct lod_slow slow; /* all 0: as fast as it is */
    bool page_cache;
};
LOD_MUST_CHECK int lod_dataset_open_mounted(const char *location, const struct lod_mounted *mounted,
                                            struct lod_dataset **ret_dataset, char *why,
                                            size_t why_room);
struct lod_dataset *lod_dataset_close(struct lod_dataset *dataset);

const struct lod_manifest *lod_dataset_manifest(const struct lod_dataset *dataset);
struct lod_index *lod_dataset_index(const struct lod_dataset *dataset);
const char *lod_dataset_location(const struct lod_dataset *dataset);

/* The item of a file node, with what is needed to plan and read it. */
struct lod_item {
    uint32_t number;
    uint8_t row[LOD_ROW_BYTES];
    struct lod_recd recd;
    const struct lod_codec *codec;
};
LOD_MUST_CHECK int lod_dataset_item(struct lod_dataset *dataset, uint32_t number,
                                    struct lod_item *ret_item);

/* Walks from the root; `path` as the user gives it ('/' repeated or at the ends are fine). */
LOD_MUST_CHECK int lod_dataset_walk(struct lod_dataset *dataset, const char *path,
                                    struct lod_node *ret_node);

/* The path of a node from the root, NUL-terminated; "" for the root. */
LOD_MUST_CHECK int lod_dataset_path(struct lod_dataset *dataset, const struct lod_node *node,
                                    char path[LOD_PATH_MAX + 1]);

/*
 * The item's record opened and kept so until its blob is unreferenced; many at a time are kept open
 * anyway. -EIO after a logged line.
 */
struct lod_pinned;
LOD_MUST_CHECK int lod_dataset_pin(struct lod_dataset *dataset, const struct lod_item *item,
                                   struct lod_pinned **ret_pinned);

/* The same; where the record has to be opened, by one load, see lod_record_open_staged. */
struct lod_stage;
LOD_MUST_CHECK int lod_dataset_pin_staged(struct lod_dataset *dataset, const struct lod_item *item,
                                          struct lod_stage *stage, uint64_t bytes,
                                          struct lod_pinned **ret_pinned);

/*
 * Bytes of groups 1 .. `groups` of all records. UINT64_MAX: there are too many records to add up,
 * or the index cannot be read.
 */
uint64_t lod_dataset_groups_bytes(struct lod_dataset *dataset, unsigned groups);

/* How fast its index has been read. */
const struct lod_pace *lod_dataset_index_pace(const struct lod_dataset *dataset);

/* How often a record was opened, or could not be. */
uint64_t lod_dataset_record_opens(struct lod_dataset *dataset);

/* Logs one line that names the frame, read at `offset`, and returns -EIO; -ENOMEM, -EINTR as is. */
LOD_MUST_CHECK int lod_dataset_frame_failed(struct lod_dataset *dataset,
                                            const struct lod_item *item, unsigned group,
                                            uint64_t frame, uint64_t offset, int error);

/*
 * Frame `frame` of the item's segment in `group`, read from the store and checked: one reference in
 * *ret_blob. Not kept: the reader's cache does that. -EIO after a logged line.
 */
LOD_MUST_CHECK int lod_dataset_frame(struct lod_dataset *dataset, const struct lod_item *item,
                                     unsigned group, uint64_t frame, struct lod_blob **ret_blob);

/*
 * What `item` is made of cannot be used, though every frame of it was sound: logs one line that
 * names store, record, item and path, and returns -EIO; -ENOMEM, -EINTR and -EIO come back as is.
 */
LOD_MUST_CHECK int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item,
                                           int error);

#endif
