/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.json: the commit point of a store (FORMAT.md, Manifest). */
#ifndef LOD_MANIFEST_H
#define LOD_MANIFEST_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"
#include "store/store.h"

#define LOD_MANIFEST_FORMAT     "lodfs"
#define LOD_MANIFEST_NUMBER_MAX ((uint64_t)1 << 53) /* beyond it doubles skip integers */

struct lod_manifest {
    struct lod_id store_id;
    uint64_t index_bytes;
    uint64_t index_hash; /* XXH3-64 of the superblock's 4096 bytes, seed 0 */
    uint64_t records, items, source_bytes;
    cJSON *pack;  /* the options that change bytes; owned */
    cJSON *scans; /* script and measured table a quantisation class; owned, may be NULL */
};

void lod_manifest_finish(struct lod_manifest *manifest);

/*
 * -ENOENT: there is none, so no committed store. -ENOTSUP: another format or version.
 * -EILSEQ: malformed. *ret_why gets a sentence for the user, a static text.
 */
LOD_MUST_CHECK int lod_manifest_read(struct lod_store *store, struct lod_manifest *ret_manifest,
                                     const char **ret_why);

/*
 * All of a commit but its last step: fsyncs the folder of the records, writes manifest.tmp in
 * folder `dir_fd`, fsync. -E2BIG: a number over 2^53, or a text over FORMAT.md's limits.
 */
LOD_MUST_CHECK int lod_manifest_stage(int dir_fd, const struct lod_manifest *manifest);

/* Commits what was staged: renames it to manifest.json, fsyncs the folder. */
LOD_MUST_CHECK int lod_manifest_commit(int dir_fd);

/* Both. */
LOD_MUST_CHECK int lod_manifest_write(int dir_fd, const struct lod_manifest *manifest);

/* The bytes lod_manifest_write would write, NUL-terminated, for free(). -ENOMEM, -E2BIG. */
LOD_MUST_CHECK int lod_manifest_text(const struct lod_manifest *manifest, char **ret_text);

/* Is the text within FORMAT.md's limits of bytes and values? */
bool lod_manifest_fits(const char *text, size_t bytes);

/*
 * One JSON value of a store, within FORMAT.md's limits of bytes and values; nothing but white space
 * may follow it. -EILSEQ: malformed, too long or of too many values.
 */
LOD_MUST_CHECK int lod_manifest_parse_json(const char *text, size_t bytes, cJSON **ret_json);

#endif
