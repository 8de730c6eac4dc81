/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a store: rows by number, names, lookup by binary search (FORMAT.md, Index). Every
 * number is checked before it is used; nothing is parsed in advance. It is immutable. Any thread.
 */
#ifndef LOD_INDEX_H
#define LOD_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/why.h"
#include "codec.h"
#include "compiler.h"
#include "hash.h"
#include "backend/format.h"
#include "index/manifest.h"
#include "backend/store.h"
#include "sample/sample_rows.h"

#define LOD_INDEX_CACHE_BYTES (16u << 20)

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

struct lod_record_desc {
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
    bool apart;    /* l3 whose images may have levels: FORMAT.md, Order and cuts */
    char path[64]; /* below records/, NUL-terminated: "NNNNNN.x" or "P/NNNNNN.x" */
};

/* Returns the bytes of groups first .. last; `first` is 1 at least. */
static inline uint64_t lod_record_desc_bytes(const struct lod_record_desc *recd, unsigned first,
                                             unsigned last)
{
    uint64_t bytes = 0;

    for (unsigned g = first; g <= last && g <= LOD_GROUPS_MAX; g++) {
        bytes += recd->group_bytes[g - 1];
    }
    return bytes;
}

/* Returns whether the record's lossless images have levels: FORMAT.md, Levels. */
static inline bool lod_record_has_levels(const struct lod_record_desc *recd)
{
    return recd->codec == LOD_CODEC_L3 && lod_record_desc_bytes(recd, 1, LOD_LEVEL_GROUPS) != 0;
}

/* Returns a number below LOD_RECORD_KINDS: records of equal numbers are of one kind. */
static inline unsigned lod_record_kind(const struct lod_record_desc *recd)
{
    return 2u * recd->codec + (recd->apart || lod_record_has_levels(recd));
}

/* Returns the bytes of groups 1 .. `last`. */
static inline uint64_t lod_record_desc_prefix_bytes(const struct lod_record_desc *recd,
                                                    unsigned last)
{
    return lod_record_desc_bytes(recd, 1, last);
}

/* Returns where group `last` ends in the record's file. 0: where header and metadata end. */
static inline uint64_t lod_record_desc_end(const struct lod_record_desc *recd, unsigned last)
{
    return (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes +
           lod_record_desc_prefix_bytes(recd, last);
}

struct lod_index;

/*
 * Opens the manifest's index and checks its superblock. Returns -EBADMSG, -EILSEQ, -ENOTSUP (an
 * unknown incompatible feature), or -EIO (the size differs); `why` gets a sentence for the user.
 */
LOD_MUST_CHECK int lod_index_open(struct lod_store *store, const struct lod_manifest *manifest,
                                  size_t cache_bytes, struct lod_index **ret_index,
                                  struct lod_why *why);
/* Copies the index in the background, also for the local copy of its store: see index_copy.h. Call
 * it before any other thread uses the index. */
void lod_index_copy_whole(struct lod_index *index, const struct lod_store *store);
struct lod_index *lod_index_close(struct lod_index *index);

uint32_t lod_index_nodes(const struct lod_index *index);
uint32_t lod_index_items(const struct lod_index *index);
uint32_t lod_index_records(const struct lod_index *index);
uint32_t lod_index_sums_rows(const struct lod_index *index);
uint64_t lod_index_source_bytes(const struct lod_index *index);

/* The keys of names (sample/part.h), and the order of items by them. */
struct lod_index_keys {
    uint64_t seed;
    bool ascend; /* keys of leads never decrease over the records of a split and kind */
};
struct lod_index_keys lod_index_keys(const struct lod_index *index);

/* Returns a block that could not be used; see lod_blocks_failure_take. */
struct lod_block_failure;
bool lod_index_failure_take(struct lod_index *index, struct lod_block_failure *ret_failure);

/* Returns the measured speed of reading the index. */
struct lod_io_estimate;
const struct lod_io_estimate *lod_index_io_estimate(const struct lod_index *index);

/* The place of a section (LOD_SECTION_*, not SUPER), in blocks of the file; for verify. */
struct lod_section {
    uint64_t first, blocks;
};
struct lod_section lod_index_section(const struct lod_index *index, unsigned id);

/* Read rows. -ENOENT: no such number; -EBADMSG, -EILSEQ: a damaged or malformed row. */
LOD_MUST_CHECK int lod_index_node(struct lod_index *index, uint32_t number,
                                  struct lod_node *ret_node);
LOD_MUST_CHECK int lod_index_item(struct lod_index *index, uint32_t number,
                                  uint8_t ret_row[LOD_ROW_BYTES]);
LOD_MUST_CHECK int lod_index_record(struct lod_index *index, uint32_t number,
                                    struct lod_record_desc *ret_recd);
/* Return the SAMP row of an item, and a row of SUMS. */
LOD_MUST_CHECK int lod_index_sample(struct lod_index *index, uint32_t item,
                                    struct lod_sample_row *ret_row);
LOD_MUST_CHECK int lod_index_sums(struct lod_index *index, uint32_t number,
                                  struct lod_sums_row *ret_row);
/* Finds the record that holds item `item`. */
LOD_MUST_CHECK int lod_index_record_of(struct lod_index *index, uint32_t item,
                                       struct lod_record_desc *ret_recd);

/* Reads the node's name, or a link's target, NUL-terminated. */
LOD_MUST_CHECK int lod_index_name(struct lod_index *index, const struct lod_node *node,
                                  char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_index_target(struct lod_index *index, const struct lod_node *node,
                                    char target[LOD_TARGET_MAX + 1]);

/* Finds the child of `folder` with this name. Returns -ENOENT if there is none, -ENOTDIR if
 * `folder` is not a folder. */
LOD_MUST_CHECK int lod_index_lookup(struct lod_index *index, const struct lod_node *folder,
                                    const char *name, size_t name_bytes, struct lod_node *ret_node);

/*
 * Writes the path of a node from the root, NUL-terminated; "" for the root. Returns -EILSEQ if it
 * exceeds a limit, and errors of lod_index_node and lod_index_name.
 */
LOD_MUST_CHECK int lod_index_path(struct lod_index *index, const struct lod_node *node,
                                  char path[LOD_PATH_MAX + 1]);
/* The same for the number of a node. */
LOD_MUST_CHECK int lod_index_node_path(struct lod_index *index, uint32_t number,
                                       char path[LOD_PATH_MAX + 1]);

/*
 * Finds the node of a path from the root. Repeated '/', and '/' at the ends, are accepted. On
 * errors *ret_node is the last node reached.
 */
LOD_MUST_CHECK int lod_index_walk(struct lod_index *index, const char *path,
                                  struct lod_node *ret_node);

#endif
