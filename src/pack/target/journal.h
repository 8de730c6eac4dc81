/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a pack: all decisions that were made before the first record. From it a later run
 * knows whether the records that it finds belong to the same pack. It is durable before the first
 * record and removed by the commit, so a complete store has none.
 */
#ifndef LOD_JOURNAL_H
#define LOD_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "pack/source/source.h"
#include "backend/format.h"

#define LOD_JOURNAL_TMP LOD_JOURNAL_NAME ".tmp"

/* A longer file is not a journal: 2^32 names with 4 bytes of path each take this many bytes. */
#define LOD_JOURNAL_BYTES_MAX   ((uint64_t)1 << 36)
#define LOD_JOURNAL_OPTIONS_MAX 4096u

/* The decisions that determine the bytes of all records; borrowed. */
struct lod_journal_plan {
    const char *options; /* one a line, as on the command line; see lod_journal_compare_options */
    uint64_t choice;     /* hash of the choice of scan scripts */
    bool unmeasured;     /* in a dry run `choice` is not known */
    const struct lod_source_list *list; /* sorted and probed */
};

/* A journal that was read; all zero: there is none. */
struct lod_journal {
    struct lod_buf file;
};

/* Writes the journal by a temporary file, fsync, rename, and fsync of the folder. Returns -E2BIG,
 * -ENOMEM, -ENOSPC and the like. */
LOD_MUST_CHECK int lod_journal_write(int dir_fd, const struct lod_journal_plan *plan);

/* Returns -ENOENT if there is no journal, -EBADMSG if it is damaged, -ENOMEM, or an error of the
 * file. */
LOD_MUST_CHECK int lod_journal_read(int dir_fd, struct lod_journal *ret_journal);

/* Reads the hash of the journal's contents from its head, without reading the contents. Returns as
 * lod_journal_read. */
LOD_MUST_CHECK int lod_journal_peek(int dir_fd, uint64_t *ret_hash);
void lod_journal_finish(struct lod_journal *journal);

/*
 * Returns 0 if the options are the same. Returns -EEXIST if not; `why` is then "it was begun with
 * A, not B" for the first line that differs. Returns -EBADMSG if the journal is malformed.
 */
LOD_MUST_CHECK int lod_journal_compare_options(const struct lod_journal *journal,
                                               const char *options, char *why, size_t room);

/*
 * The same, but compares with `then`, the options that another file has. Returns -EBADMSG if they
 * are too long.
 */
LOD_MUST_CHECK int lod_journal_compare_text(struct lod_span then, const char *options, char *why,
                                            size_t room);

/*
 * Compares the rest of the plan. Returns 0 if it is the same. Returns -EEXIST if not; `why` is then
 * "the source has changed: ..." with the first path that is new, gone or changed. Returns -EBADMSG
 * if the journal is malformed.
 */
LOD_MUST_CHECK int lod_journal_compare_source(const struct lod_journal *journal,
                                              const struct lod_journal_plan *plan, char *why,
                                              size_t room);

#endif
