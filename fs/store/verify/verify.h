/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that a store is as pack wrote it, and that a mount can serve it.
 *
 * - It reads every byte of every file.
 * - It compares all that is stored twice: in index, records, tree list and manifest.
 * - It makes once all that a mount makes of stored bytes: source files, pixels, tables.
 *
 * It never prints and never writes. The work consists of numbered steps of bounded size. So the
 * caller can run them on its threads, show progress, and stop between them.
 *
 * Memory: 8 bytes for a step and 24 for a record. While steps run, also an index cache, the makers'
 * memory as in a mount, and for each running step the metadata of two records and one frame.
 */
#ifndef LOD_VERIFY_H
#define LOD_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "backend/why.h"
#include "compiler.h"
#include "backend/store_settings.h"
#include "verify/findings.h"

struct lod_verify;

/*
 * Opens the store and computes the steps. A damaged manifest or index is a finding, not an error;
 * the records are then checked by themselves. Returns -ENOENT if there is no store, -ENOTSUP for a
 * store of another version, -ENOMEM, -EMFILE, -ENFILE; `why` gets a sentence. `settings` may be
 * NULL.
 */
LOD_MUST_CHECK int lod_verify_create(const char *location,
                                     const struct lod_store_settings *settings,
                                     struct lod_verify **ret_verify, struct lod_why *why);
/* Sets the memory of all makers, if not a mount's default. Call it before the first step. */
void lod_verify_limit_work(struct lod_verify *verify, uint64_t bytes_max);
/* Runs no makers. Damage by storage is found, but not items that were written wrong. Call it before
 * the first step. */
void lod_verify_hashes_only(struct lod_verify *verify);
/*
 * Checks part `part` of `parts`, counted from 1, and no more. The findings of all parts together
 * are those of the whole store; part 1 has those of manifest, index and tree. Parts may be empty.
 * Call it before the first step. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_verify_take_part(struct lod_verify *verify, uint32_t part, uint32_t parts);
struct lod_verify *lod_verify_destroy(struct lod_verify *verify);

uint64_t lod_verify_steps(const struct lod_verify *verify);
/*
 * Return how many bytes all steps read, and how many files of the source they check; for progress.
 */
uint64_t lod_verify_bytes(const struct lod_verify *verify);
uint64_t lod_verify_files(const struct lod_verify *verify);

/* Runs step `number`. Each is run once, in any order, by any thread. Returns -ENOMEM, -EMFILE or
 * -ENFILE, which say nothing about the store; any damage is a finding. */
LOD_MUST_CHECK int lod_verify_step(struct lod_verify *verify, uint64_t number, uint64_t *ret_bytes,
                                   uint64_t *ret_files);

/*
 * Makes the checks that concern the whole store; call it after all steps. The findings are sorted
 * and live as long as `verify`.
 */
LOD_MUST_CHECK int lod_verify_conclude(struct lod_verify *verify,
                                       const struct lod_findings **ret_findings);

/* Returns the findings so far, if some steps were not run; used in place of lod_verify_conclude. */
const struct lod_findings *lod_verify_so_far(struct lod_verify *verify);

/*
 * Checks manifest and index without the records. Opens and closes all it needs. Returns -EBADMSG if
 * they are damaged, or do not fit the names of the records, or the error of a step.
 */
LOD_MUST_CHECK int lod_verify_index(const char *location);

#endif
