/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.plan: everything that pack decides before the first record, so that other processes can
 * write records, and one can make a store of them, without the source being walked, examined or
 * measured again. `pack --plan` writes it beside the journal; the commit removes it. While it is
 * there, a record that has its name is complete. It is private to pack, so it is not in FORMAT.md.
 *
 * The file is untrusted: it has a hash, and each number in it is checked before it is used.
 * Functions return -EBADMSG for a malformed plan.
 */
#ifndef LOD_PLAN_FILE_H
#define LOD_PLAN_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/plan/order.h"
#include "pack/scans/scans.h"
#include "pack/source/source.h"
#include "pack/tables/tables.h"
#include "pack/target/framed_file.h"

/* A longer file is no plan: 2^32 names with 40 bytes each, and their paths. */
#define LOD_PLAN_BYTES_MAX ((uint64_t)1 << 38)

extern const struct lod_framed_file_kind lod_pack_plan_kind;

/* Facts for the summary of the commit; a plan only stores them. */
struct lod_pack_plan_facts {
    uint64_t other_labels, tables_stored, tables_beside, shards;
};

/* The contents of a plan that is written; borrowed. */
struct lod_pack_plan_decisions {
    const char *options; /* one a line; see lod_pack_lines */
    uint64_t journal;    /* lod_journal_peek of the journal beside the plan */
    const struct lod_source_list *list, *containers;
    const struct lod_order *order;
    const struct lod_scans *scans;
    const int32_t *labels; /* by index of the list; NULL: folders are labels */
    struct lod_pack_plan_facts facts;
};

/* Writes the plan, whole or not at all. Returns -ENOMEM, -E2BIG, -ENOSPC and the like. */
LOD_MUST_CHECK int lod_pack_plan_write(int dir_fd, const struct lod_pack_plan_decisions *decisions,
                                       uint64_t *ret_bytes);

/* A file that is a table, or that --tables names; see struct lod_table_found. */
struct lod_pack_plan_table {
    uint32_t file; /* index in the list of the whole source */
    uint32_t parts;
    uint8_t kind;
    bool wanted;
};

/* A plan that was read. All zero: none. */
struct lod_pack_plan {
    struct lod_buf file;
    struct lod_span options;
    uint64_t journal;
    struct lod_pack_plan_facts facts;
    struct lod_order order; /* its files are indexes of the whole list */
    LOD_LIST(struct lod_pack_plan_table) tables;
    struct lod_source_list containers;
    uint32_t sources; /* in the whole list */
    bool labelled;
    struct lod_cursor scans, names; /* the parts of the file that are not read yet */
};

/* Reads the plan but for its scripts and sources. -ENOENT: there is none. */
LOD_MUST_CHECK int lod_pack_plan_read(int dir_fd, struct lod_pack_plan *ret_plan);

/* Reads the contents of a plan that are in memory already, as lod_pack_plan_read does. They are
 * moved to the plan, also after an error. */
LOD_MUST_CHECK int lod_pack_plan_take(struct lod_buf *file, struct lod_pack_plan *ret_plan);
void lod_pack_plan_finish(struct lod_pack_plan *plan);

/* Reads the choice of scripts and the measurements; `fixed` is the script of --scans, or NULL. */
LOD_MUST_CHECK int lod_pack_plan_take_scans(const struct lod_pack_plan *plan,
                                            const struct lod_script *fixed,
                                            struct lod_scans *ret_scans);

/* Sources of a plan. */
struct lod_pack_plan_sources {
    struct lod_source_list list;
    int32_t *labels; /* one for each source of the list; NULL: labels follow from folders */
    /* The index of each source in the whole list, ascending; NULL: this is the whole list. */
    uint32_t *whole;
};

/*
 * Reads the sources that the records [first, first + count) of the order need, with all files that
 * are tables; all sources if that is the whole order. The numbers in plan->order.files of these
 * records become indexes of this list. Sources have no inodes, since another machine may have found
 * them. Files of several items have no parts yet; see plan_tables.h. Sources of containers borrow
 * those of the plan.
 */
LOD_MUST_CHECK int lod_pack_plan_take_sources(struct lod_pack_plan *plan, uint32_t first,
                                              uint32_t count,
                                              struct lod_pack_plan_sources *ret_sources);

/*
 * Returns the index in this list of the source with index `whole` in the whole list; UINT32_MAX if
 * it is not in this list.
 */
uint32_t lod_pack_plan_place(const struct lod_pack_plan_sources *sources, uint32_t whole);
void lod_pack_plan_sources_finish(struct lod_pack_plan_sources *sources);

#endif
