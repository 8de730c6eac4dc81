/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going on with a pack that did not end: may this run take over what lies in its target? The
 * journal says so; see journal.h.
 */
#ifndef LOD_RESUME_H
#define LOD_RESUME_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "compiler.h"
#include "pack/journal.h"
#include "pack/order.h"
#include "pack/target.h"
#include "pack/trouble.h"
#include "pcr/script.h"

/* All zero to begin. */
struct lod_resume {
    char options[LOD_JOURNAL_OPTIONS_MAX + 1];
    struct lod_journal journal;
    bool found; /* a journal: records may be kept */
    bool ours;  /* the journal in the target is this run's: the same command would go on */
};

/* The options that decide bytes. */
struct lod_resume_chosen {
    const struct lod_order_options *order;
    const char *scans_name;
    const struct lod_script *script; /* that of --scans=FILE, else NULL */
    const char *l3_name;
    const char *more; /* lines of other options */
    bool follow, keep;
};

/* As a user gives them, a line each. */
void lod_resume_options(const struct lod_resume_chosen *chosen,
                        char text[LOD_JOURNAL_OPTIONS_MAX + 1]);

/*
 * Of a target that was opened a moment ago: -EEXIST if it holds the beginning of a pack with other
 * options. Without a journal, or with a damaged one, what an earlier pack left is removed.
 */
LOD_MUST_CHECK int lod_resume_open(struct lod_resume *resume, struct lod_target *target,
                                   struct lod_trouble *trouble);

/*
 * All is decided, nothing written: -EEXIST if the source is not that of the journal; without one,
 * it is written now. After success the target keeps what is in it, whatever happens.
 */
LOD_MUST_CHECK int lod_resume_begin(struct lod_resume *resume, struct lod_target *target,
                                    const struct lod_source_list *list,
                                    const struct lod_order *order, const cJSON *scans,
                                    struct lod_trouble *trouble);
void lod_resume_finish(struct lod_resume *resume);

/* The sentence of both: `why` is one of journal.h's. -EEXIST. */
#define LOD_RESUME_WHY_TEXT (4 * LOD_PATH_MAX + 1 + 256)
LOD_MUST_CHECK int lod_resume_refuse(const char *path, const char *why,
                                     struct lod_trouble *trouble);

#endif
