/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a pack: what was decided before the first record, so that a later run knows
 * whether the records it finds are the beginning of its own. It is on disk before them and goes
 * with the commit; a store has none.
 */
#ifndef LOD_JOURNAL_H
#define LOD_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "pack/source.h"
#include "store/format.h"

#define LOD_JOURNAL_TMP LOD_JOURNAL_NAME ".tmp"

/* A file of more bytes is none of ours: 2^32 names take that many with 4 bytes of path each. */
#define LOD_JOURNAL_BYTES_MAX   ((uint64_t)1 << 36)
#define LOD_JOURNAL_OPTIONS_MAX 4096u

/* What decides the bytes of all records; borrowed. */
struct lod_journal_plan {
    const char *options; /* one a line, as a user gives them; see lod_journal_compare_options */
    uint64_t choice;     /* of scan scripts: a hash of what was measured */
    bool unmeasured;     /* of a dry run: choice says nothing */
    const struct lod_source_list *list; /* sorted and probed */
};

/* One that was read; all zero is none. */
struct lod_journal {
    struct lod_buf file;
};

/* Writes it in the folder: tmp, fsync, rename, fsync of the folder. -E2BIG, -ENOMEM, -ENOSPC, .. */
LOD_MUST_CHECK int lod_journal_write(int dir_fd, const struct lod_journal_plan *plan);

/* -ENOENT: there is none. -EBADMSG: no journal or a damaged one. -ENOMEM, or of the file. */
LOD_MUST_CHECK int lod_journal_read(int dir_fd, struct lod_journal *ret_journal);
void lod_journal_finish(struct lod_journal *journal);

/*
 * 0: the same options. -EEXIST: others, and `why` says "it was begun with A, not B" of the first
 * line that differs. -EBADMSG: malformed.
 */
LOD_MUST_CHECK int lod_journal_compare_options(const struct lod_journal *journal,
                                               const char *options, char *why, size_t room);

/*
 * 0: the same plan but for its options. -EEXIST: `why` says "the source has changed: ..." and names
 * the first path that is new, gone or changed. -EBADMSG: malformed.
 */
LOD_MUST_CHECK int lod_journal_compare_source(const struct lod_journal *journal,
                                              const struct lod_journal_plan *plan, char *why,
                                              size_t room);

#endif
