/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Continues a pack that did not end. The journal decides whether this run may keep the records in
 * its target; see journal.h.
 */
#ifndef LOD_RESUME_H
#define LOD_RESUME_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "compiler.h"
#include "pack/target/journal.h"
#include "pack/plan/order.h"
#include "pack/target/target.h"
#include "pack/source/first_error.h"

/* Initialise with zeros. */
struct lod_resume {
    char options[LOD_JOURNAL_OPTIONS_MAX + 1];
    struct lod_journal journal;
    bool found; /* there is a journal, so records may be kept */
    bool ours;  /* the journal in the target is this run's, so the same command would continue */
};

/*
 * Examines a target that was just opened. Returns -EEXIST if it has the beginning of a pack with
 * other options. Without a journal, or with a damaged one, removes the remains of an earlier pack.
 */
LOD_MUST_CHECK int lod_resume_open(struct lod_resume *resume, struct lod_target *target,
                                   struct lod_first_error *first_error);

/*
 * Call it when all decisions are made and nothing is written. Returns -EEXIST if the source is not
 * that of the journal. Without a journal it writes one. After success the target keeps its files,
 * even after a later error.
 */
LOD_MUST_CHECK int lod_resume_begin(struct lod_resume *resume, struct lod_target *target,
                                    const struct lod_source_list *list,
                                    const struct lod_order *order, const cJSON *scans,
                                    struct lod_first_error *first_error);

/* Sets the message of both functions; `why` comes from journal.h. Returns -EEXIST. */
#define LOD_RESUME_WHY_TEXT (4 * LOD_PATH_MAX + 1 + 256)
LOD_MUST_CHECK int lod_resume_refuse(const char *path, const char *why,
                                     struct lod_first_error *first_error);

#endif
