/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.json, which makes a store valid (FORMAT.md, Manifest). */
#ifndef LOD_MANIFEST_H
#define LOD_MANIFEST_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/why.h"
#include "compiler.h"
#include "hash.h"
#include "backend/store.h"
#include "json_whole.h"

/* Behind the name of a store's file. The guess is for storage that gives no reason. */
#define LOD_UNFIT_GUESS ": it is not a regular file, or its storage fails"
#define LOD_UNFIT_FILE  " cannot be opened" LOD_UNFIT_GUESS

#define LOD_MANIFEST_FORMAT "lodfs"

/* Ends the message about a damaged index or manifest. `repair` refuses URLs. */
#define LOD_REPAIR_HOW                                                                             \
    "; lodfs repair makes it again from the records, for a URL in a copy of the store"
#define LOD_SEED_MAX (LOD_WHOLE_MAX - 1) /* of pack and of orders */

struct lod_manifest {
    struct lod_id store_id;
    uint64_t index_bytes;
    uint64_t index_hash; /* XXH3-64 of the superblock's 4096 bytes, seed 0 */
    uint64_t records, items, source_bytes;
    cJSON *pack;  /* the options that change bytes; owned */
    cJSON *scans; /* script and measured table of each quantisation class; owned, may be NULL */
};

void lod_manifest_finish(struct lod_manifest *manifest);

/*
 * Returns -ENOENT if there is no manifest, so no committed store, -ENOTSUP for another format or
 * version, -EILSEQ if it is malformed. *ret_why gets a sentence for the user, a static text.
 */
LOD_MUST_CHECK int lod_manifest_read(struct lod_store *store, struct lod_manifest *ret_manifest,
                                     const char **ret_why);

/*
 * Prepares a commit: calls fsync on the folder of the records, writes manifest.tmp in folder
 * `dir_fd`, fsync. Returns -E2BIG for a number over 2^53, or a text over FORMAT.md's limits.
 */
LOD_MUST_CHECK int lod_manifest_stage(int dir_fd, const struct lod_manifest *manifest);

/* Commits: renames manifest.tmp to manifest.json and calls fsync on the folder. */
LOD_MUST_CHECK int lod_manifest_commit(int dir_fd);

/* Prepares and commits. */
LOD_MUST_CHECK int lod_manifest_write(int dir_fd, const struct lod_manifest *manifest);

/* Writes a sentence for the user: `reason`, as set by lod_manifest_read or
 * lod_index_open, then why requests to the storage failed recently. A name that `reason` contains
 * is not repeated. */
void lod_manifest_explain(struct lod_store *store, const char *reason, struct lod_why *why);

/* Returns the text that lod_manifest_write writes, NUL-terminated, for free(). Returns -ENOMEM or
 * -E2BIG. */
LOD_MUST_CHECK int lod_manifest_text(const struct lod_manifest *manifest, char **ret_text);

/* Returns in *ret_is whether the file of the store is exactly this text; false if it cannot be
 * read. -ENOMEM. */
LOD_MUST_CHECK int lod_manifest_is(struct lod_store *store, const char *text, bool *ret_is);

/* Returns the seed of the keys of names, which `pack` has; 0 if it has none. */
uint64_t lod_manifest_seed(const cJSON *pack);

/* Returns whether the text is within FORMAT.md's limits of bytes and values. */
bool lod_manifest_fits(const char *text, size_t bytes);

/*
 * Parses one JSON value of a store, within FORMAT.md's limits of bytes and values. Only white space
 * may follow it. Returns -EILSEQ if it is malformed or exceeds a limit.
 */
LOD_MUST_CHECK int lod_manifest_parse_json(const char *text, size_t bytes, cJSON **ret_json);

#endif
