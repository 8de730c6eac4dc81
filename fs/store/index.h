/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a store: rows by number, names, lookup by binary search (FORMAT.md, Index). Every
 * number read is checked before it is used; nothing is parsed ahead. Immutable, any thread.
 */
#ifndef LOD_INDEX_H
#define LOD_INDEX_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "hash.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/store.h"

struct lod_node {
    uint32_t number;
    uint32_t parent;
    uint32_t ref;   /* folder: first child; file: item */
    uint32_t count; /* folder: children; symlink: bytes of the target */
    uint16_t mode;  /* S_IFMT and 0777 */
    uint8_t flags;  /* LOD_NODE_* */
    uint8_t name_bytes;
    uint64_t name_at; /* heap position: block * 4096 + offset */
    int64_t mtime;    /* seconds * 2^30 + nanoseconds */
};

struct lod_recd {
    uint32_t number;
    uint32_t first_item, items;
    uint8_t codec, frame_shift;
    uint16_t groups;
    uint32_t metadata_bytes;
    uint64_t file_bytes;
    struct lod_id id;
    uint64_t metadata_hash, header_hash;
    uint64_t group_bytes[LOD_GROUPS_MAX]; /* raw and tree: computed for group 1 */
    uint32_t cut;
    char path[64]; /* below records/, NUL-terminated: "NNNNNN.x" or "P/NNNNNN.x" */
};

/* Bytes of groups 1 .. `last`. */
static inline uint64_t lod_recd_prefix_bytes(const struct lod_recd *recd, unsigned last)
{
    uint64_t bytes = 0;

    for (unsigned g = 0; g < last && g < LOD_GROUPS_MAX; g++) {
        bytes += recd->group_bytes[g];
    }
    return bytes;
}

struct lod_index;

/*
 * Opens the index the manifest names and checks its superblock. -EBADMSG, -EILSEQ, -ENOTSUP (an
 * unknown incompatible bit), -EIO (size differs); *ret_why is a sentence for the user in `why`.
 */
LOD_MUST_CHECK int lod_index_open(struct lod_store *store, const struct lod_manifest *manifest,
                                  size_t cache_bytes, struct lod_index **ret_index, char *why,
                                  size_t why_room);
struct lod_index *lod_index_close(struct lod_index *index);

uint32_t lod_index_nodes(const struct lod_index *index);
uint32_t lod_index_items(const struct lod_index *index);
uint32_t lod_index_records(const struct lod_index *index);
uint64_t lod_index_source_bytes(const struct lod_index *index);

/* How fast it has been read. */
struct lod_pace;
const struct lod_pace *lod_index_pace(const struct lod_index *index);

/* Where a section (LOD_SECTION_*, not SUPER) lies, in blocks of the file; for verify. */
struct lod_section {
    uint64_t first, blocks;
};
struct lod_section lod_index_section(const struct lod_index *index, unsigned id);

/* Rows. -ENOENT: no such number. -EBADMSG, -EILSEQ: a damaged or malformed row. */
LOD_MUST_CHECK int lod_index_node(struct lod_index *index, uint32_t number,
                                  struct lod_node *ret_node);
LOD_MUST_CHECK int lod_index_item(struct lod_index *index, uint32_t number,
                                  uint8_t ret_row[LOD_ROW_BYTES]);
LOD_MUST_CHECK int lod_index_record(struct lod_index *index, uint32_t number,
                                    struct lod_recd *ret_recd);
/* The record that holds item `item`. */
LOD_MUST_CHECK int lod_index_record_of(struct lod_index *index, uint32_t item,
                                       struct lod_recd *ret_recd);

/* The node's name, or a symlink's target; NUL-terminated. */
LOD_MUST_CHECK int lod_index_name(struct lod_index *index, const struct lod_node *node,
                                  char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_index_target(struct lod_index *index, const struct lod_node *node,
                                    char target[LOD_TARGET_MAX + 1]);

/* The child of `folder` with this name. -ENOENT: there is none. -ENOTDIR. */
LOD_MUST_CHECK int lod_index_lookup(struct lod_index *index, const struct lod_node *folder,
                                    const char *name, size_t name_bytes, struct lod_node *ret_node);

/*
 * The path of a node from the root, NUL-terminated; "" for the root. -EILSEQ: it passes a limit;
 * else as lod_index_node and lod_index_name.
 */
LOD_MUST_CHECK int lod_index_path(struct lod_index *index, const struct lod_node *node,
                                  char path[LOD_PATH_MAX + 1]);

/*
 * Walks from the root; '/' repeated or at the ends are fine. On errors *ret_node is the last node
 * reached.
 */
LOD_MUST_CHECK int lod_index_walk(struct lod_index *index, const char *path,
                                  struct lod_node *ret_node);

#endif
