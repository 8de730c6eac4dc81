/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open store as one tree of nodes: names, items, sizes, checked frames. It is immutable after
 * open, so any thread may use it. It knows neither views nor FUSE nor single codecs. Damage of
 * stored bytes is logged here, with record, item, group and offset. -ENOENT and errors of
 * lod_error_is_temporary are not logged, except -EMFILE and -ENFILE.
 */
#ifndef LOD_DATASET_H
#define LOD_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/why.h"
#include "memory/cache.h"
#include "codec.h"
#include "compiler.h"
#include "plan.h"
#include "index/index.h"
#include "index/manifest.h"
#include "backend/slow.h"
#include "tier/tier.h"

#define LOD_RECORD_CACHE_BYTES (16u << 20)

struct lod_dataset;

/* How a store is opened; all zero is the usual way. */
struct lod_open_options {
    const struct lod_store_settings *settings; /* may be NULL */
    struct lod_slow slow;                      /* all 0: at full speed */
    struct lod_tier_settings tier;             /* all 0: none; `log_line` is not used */
    bool index_copy; /* a thread copies the whole index of a remote store */
    bool exactly;    /* no readahead by the kernel: the caller reads whole prefixes */
    bool shared;     /* with `exactly`: loads go through the page cache (lod_store_read_exactly) */
};

/*
 * Opens a committed store. On error `why` gets one sentence for the user. Returns -ENOENT if there
 * is no store (exit code 10), -ENOTSUP for another version or an unknown feature, and -EBADMSG,
 * -EILSEQ or -EIO for a damaged store.
 */
LOD_MUST_CHECK int lod_dataset_open(const char *location, const struct lod_open_options *options,
                                    struct lod_dataset **ret_dataset, struct lod_why *why);

struct lod_dataset *lod_dataset_close(struct lod_dataset *dataset);

const struct lod_manifest *lod_dataset_manifest(const struct lod_dataset *dataset);
struct lod_index *lod_dataset_index(const struct lod_dataset *dataset);
const char *lod_dataset_location(const struct lod_dataset *dataset);
struct lod_store *lod_dataset_store(const struct lod_dataset *dataset);

/* The item of a file node, with all that is needed to plan and read it. */
struct lod_item {
    uint32_t number;
    uint8_t row[LOD_ROW_BYTES];
    struct lod_record_desc recd;
    const struct lod_codec *codec;
};
LOD_MUST_CHECK int lod_dataset_item(struct lod_dataset *dataset, uint32_t number,
                                    struct lod_item *ret_item);

/* Reads the row of a record. -EIO: the row is damaged, which is logged when an item is read. */
LOD_MUST_CHECK int lod_dataset_record_desc(struct lod_dataset *dataset, uint32_t record,
                                           struct lod_record_desc *ret_recd);

/* Finds the node of a path from the root. Repeated '/', and '/' at the ends, are accepted. */
LOD_MUST_CHECK int lod_dataset_walk(struct lod_dataset *dataset, const char *path,
                                    struct lod_node *ret_node);

/* Logs that a row of the index for this node is damaged, and returns -EIO; see damage_log.h. */
LOD_MUST_CHECK int lod_dataset_node_failed(struct lod_dataset *dataset, uint32_t number, int error);

/* The same for a row of SUMS. */
LOD_MUST_CHECK int lod_dataset_sums_failed(struct lod_dataset *dataset, uint32_t number, int error);

/* Checks that the root folder can be read; without it nothing can be served. `why` as for
 * lod_dataset_open. */
LOD_MUST_CHECK int lod_dataset_check_root(struct lod_dataset *dataset, struct lod_why *why);

/* Writes the path of a node from the root, NUL-terminated; "" for the root. */
LOD_MUST_CHECK int lod_dataset_path(struct lod_dataset *dataset, const struct lod_node *node,
                                    char path[LOD_PATH_MAX + 1]);

/*
 * Returns the item's open record; the caller drops the reference with lod_record_close. Many
 * records stay open in a cache. Returns -EIO after a logged line.
 */
struct lod_record;
LOD_MUST_CHECK int lod_dataset_record(struct lod_dataset *dataset, const struct lod_item *item,
                                      struct lod_record **ret_record);

/*
 * Reads the metadata of a record, which holds the paths of its items; the caller finishes it. -EIO
 * after a logged line.
 */
struct lod_metadata;
LOD_MUST_CHECK int lod_dataset_metadata(struct lod_dataset *dataset,
                                        const struct lod_record_desc *recd,
                                        struct lod_metadata *ret_metadata);

/* As lod_dataset_record. A record that is not open is opened by one load; see
 * lod_record_open_loaded. */
struct lod_io_buffer;
LOD_MUST_CHECK int lod_dataset_record_loaded(struct lod_dataset *dataset,
                                             const struct lod_item *item,
                                             struct lod_io_buffer *buffer, uint64_t bytes,
                                             struct lod_record **ret_record);

/* Returns whether the item's record is open or being opened. */
bool lod_dataset_has_record(struct lod_dataset *dataset, const struct lod_item *item);

/*
 * Returns in *ret_is whether the page cache holds groups first .. last of a record of a shared
 * store, and its header. Asks the kernel without reading. Returns -ENOTSUP if the kernel cannot
 * tell.
 */
LOD_MUST_CHECK int lod_dataset_groups_in_memory(struct lod_dataset *dataset,
                                                const struct lod_record_desc *recd, unsigned first,
                                                unsigned last, bool *ret_is);

uint32_t lod_dataset_records(const struct lod_dataset *dataset);
uint32_t lod_dataset_items(const struct lod_dataset *dataset);

/*
 * Writes the bytes of groups 1 .. k of all records to ret_totals[k]. UINT64_MAX: the store has too
 * many records, or the index cannot be read.
 */
void lod_dataset_group_totals(struct lod_dataset *dataset, uint64_t ret_totals[LOD_GROUPS_MAX + 1]);

/* Returns whether loads leave their bytes in the page cache, for all processes
 * (lod_store_is_shared). */
bool lod_dataset_is_shared(const struct lod_dataset *dataset);

/* Returns whether the store has a local copy, and its room for a record with this header_hash, or 0
 * (lod_store_copies). */
bool lod_dataset_copies(const struct lod_dataset *dataset, uint64_t key, uint64_t *ret_room);

/* Returns whether the local copy has the header, the metadata and these groups of a record. `last`
 * 0 asks for no group: then it says whether the record can be opened without a request to the
 * store. */
bool lod_dataset_groups_copied(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                               unsigned first, unsigned last);

/* Returns how many bytes of the local copy the records in jobs' lists may take. Other processes may
 * use a part of these bytes. 0: there is no local copy. */
uint64_t lod_dataset_lists_bytes(const struct lod_dataset *dataset);

/* Tells the store which records will be read soon, in this order, by header_hash
 * (lod_store_listed). */
void lod_dataset_listed(struct lod_dataset *dataset, const struct lod_listed *records,
                        size_t count);

/* Returns how many loads are in flight at first (lod_store_loads). */
unsigned lod_dataset_loads(const struct lod_dataset *dataset);

/* Returns how many ranges of one read are requested in parallel (lod_store_ranges). */
unsigned lod_dataset_ranges(const struct lod_dataset *dataset);

/* Returns the measured speed of reading the index. */
const struct lod_io_estimate *lod_dataset_index_io_estimate(const struct lod_dataset *dataset);

/* Returns how often a record was opened, including failures. */
uint64_t lod_dataset_record_opens(struct lod_dataset *dataset);

/* Logs one line that names the frame, read at `offset`, and returns -EIO. Errors of
 * lod_error_is_temporary are returned as they are. */
LOD_MUST_CHECK int lod_dataset_frame_failed(struct lod_dataset *dataset,
                                            const struct lod_item *item, unsigned group,
                                            uint64_t frame, uint64_t offset, int error);

/*
 * Logs that an item cannot be used although all its frames are sound. The line names store, record,
 * item and path. Returns -EIO. -EIO and errors of lod_error_is_temporary are returned as they are.
 */
LOD_MUST_CHECK int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item,
                                           int error);

/* Writes the path of the item's file for a log line, or a text in brackets. */
void lod_dataset_item_path(struct lod_dataset *dataset, const struct lod_item *item,
                           char path[LOD_PATH_MAX + 1]);

#endif
