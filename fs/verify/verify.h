/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is everything in a store as pack wrote it, and can a mount serve it? Reads every byte of every
 * file, compares what is said twice (index, records, tree list and manifest), and makes once what a
 * mount makes of stored bytes: source files, pixels, tables. Finds, never prints and never writes.
 * The work is numbered steps of bounded size, so that the caller may run them on its threads, show
 * how far they are, and stop between them.
 *
 * Memory: 8 bytes a step, 24 a record, and while steps run their index cache, the budget of a
 * mount's makers and, a step each, the metadata of two records and one frame.
 */
#ifndef LOD_VERIFY_H
#define LOD_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "verify/findings.h"

struct lod_verify;

/*
 * Opens the store and lays out the steps. A damaged manifest or index is a finding, not an error;
 * the records are then checked by themselves. -ENOENT: no store there; -ENOTSUP: a store of
 * another version; `why` gets a sentence. -ENOMEM.
 */
LOD_MUST_CHECK int lod_verify_create(const char *location, struct lod_verify **ret_verify,
                                     char *why, size_t why_room);
/* What making may take in all, if not a mount's default; before the first step. */
void lod_verify_limit_work(struct lod_verify *verify, uint64_t bytes_max);
/* Nothing is made: damage by storage is found, items that were written wrong are not. As above. */
void lod_verify_hashes_only(struct lod_verify *verify);
struct lod_verify *lod_verify_destroy(struct lod_verify *verify);

uint64_t lod_verify_steps(const struct lod_verify *verify);
/* What all steps will read, and how many files of the source they will check; for progress. */
uint64_t lod_verify_bytes(const struct lod_verify *verify);
uint64_t lod_verify_files(const struct lod_verify *verify);

/* Does step `number`. Each once, in any order, any thread. -ENOMEM; else damage is a finding. */
LOD_MUST_CHECK int lod_verify_step(struct lod_verify *verify, uint64_t number, uint64_t *ret_bytes,
                                   uint64_t *ret_files);

/*
 * After all steps: what only the whole can tell. The findings, sorted, live as long as `verify`.
 */
LOD_MUST_CHECK int lod_verify_conclude(struct lod_verify *verify,
                                       const struct lod_findings **ret_findings);

/* In the place of conclude where not all steps were done: what those that were have found. */
const struct lod_findings *lod_verify_so_far(struct lod_verify *verify);

/*
 * Manifest and index by themselves, without the records: is what a mount would trust intact? Opens
 * and closes all it needs. -EBADMSG: it is not, or does not fit the names of the records.
 */
LOD_MUST_CHECK int lod_verify_index(const char *location);

#endif
