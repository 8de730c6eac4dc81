/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of verify share; nobody else includes it. */
#ifndef LOD_CHECK_H
#define LOD_CHECK_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "budget.h"
#include "list.h"
#include "store/index.h"
#include "store/manifest.h"
#include "store/store.h"
#include "store/tree_list.h"
#include "verify/verify.h"

/* Steps of bounded size: blocks of the index, rows of nodes, bytes of a record. */
#define LOD_STEP_BLOCKS 256u
#define LOD_STEP_NODES  8128u
#define LOD_STEP_BYTES  (64ull << 20)

/* A slice of a record: the frames that begin in LOD_STEP_BYTES bytes of its file. */
struct lod_slice {
    uint32_t record; /* of the index, or of `names` where no row of the index is to be had */
    uint32_t slice : 31;
    uint32_t by_name : 1;
};

struct lod_verify {
    struct lod_store *store;
    struct lod_manifest manifest; /* pack is NULL: it cannot be read */
    struct lod_index *index;      /* NULL: it cannot be used */
    struct lod_object *index_file;
    char why[160];  /* why not */
    bool gaps_zero; /* no section but those we know: the blocks between them are 0 */
    uint64_t block_steps, node_steps;
    LOD_LIST(struct lod_slice) slices;
    struct lod_buf names;  /* no index: record files, sizeof(lod_recd.path) each */
    struct lod_buf known;  /* index: hashes of the paths of its records, u64 each */
    struct lod_buf ids;    /* record ids in record order */
    struct lod_buf lost;   /* u32 first, u32 end of items whose record's row cannot be read */
    bool records_unknown;  /* there are such rows: files that no row names may be theirs */
    uint64_t bytes, files; /* of all steps */
    struct lod_findings findings;
    struct lod_budget work; /* of makers */
    bool hashes_only;       /* no maker is run */

    /* Sums of the steps, for the conclusion. */
    atomic_uint_fast64_t nodes[LOD_TREE_HARD_LINK + 1]; /* by kind; EQUAL: all aliases */
    atomic_uint_fast64_t listed[LOD_TREE_HARD_LINK + 1];
    atomic_uint_fast64_t source_bytes;
    atomic_uint_fast64_t trees;  /* tree records whose list was read to its end */
    atomic_bool rows_missing;    /* a row of the index could not be read: its sums are short */
    atomic_bool records_missing; /* a record could not be opened */
    pthread_mutex_t lock;
    cJSON *pack, *scans; /* of the tree record; guarded by lock */
};

/* Fills in what the steps are, bytes and files; the manifest and the index are open. -ENOMEM. */
LOD_MUST_CHECK int lod_steps_lay(struct lod_verify *verify);

/* Steps; 0 or -ENOMEM. */
LOD_MUST_CHECK int lod_check_blocks(struct lod_verify *verify, uint64_t step, uint64_t *ret_bytes);
LOD_MUST_CHECK int lod_check_nodes(struct lod_verify *verify, uint64_t step);
/* The tables whose schema.json is a node of the same step. */
LOD_MUST_CHECK int lod_check_schemas(struct lod_verify *verify, uint64_t step);
LOD_MUST_CHECK int lod_check_slice(struct lod_verify *verify, const struct lod_slice *slice,
                                   uint64_t *ret_bytes, uint64_t *ret_files);

struct lod_record;
/* The list of a tree record against the nodes. */
LOD_MUST_CHECK int lod_check_tree(struct lod_verify *verify, struct lod_record *record);

/*
 * The names of the record files (record_names.h) into v->names; none if they cannot be listed.
 * Then: the one of a number (NULL: past the last); is there a readable tree record among them, so
 * that pack came to its end; a note for each that the index knows not.
 */
LOD_MUST_CHECK int lod_names_list(struct lod_verify *verify);
const char *lod_names_at(const struct lod_verify *verify, uint32_t number);
bool lod_names_have_tree(struct lod_verify *verify);
bool lod_names_known(struct lod_verify *verify, const char *name); /* after lod_names_sort_known */
void lod_names_sort_known(struct lod_verify *verify);
LOD_MUST_CHECK int lod_names_note_strays(struct lod_verify *verify);

/* Files that are made of what damaged items should have lent them. */
LOD_MUST_CHECK int lod_check_borrowers(struct lod_verify *verify);

/* The same for items that are made of those behind them; `list` of lod_costly_list. */
struct lod_costly;
LOD_MUST_CHECK int lod_check_ahead(struct lod_verify *verify, const struct lod_costly *list,
                                   size_t count);

/* The conclusion. */
LOD_MUST_CHECK int lod_check_whole(struct lod_verify *verify);

/* A finding in the row of the index that holds `number`; offset, bytes and file are filled in. */
LOD_MUST_CHECK int lod_check_row_found(struct lod_verify *verify, unsigned section, uint32_t number,
                                       struct lod_finding finding);

/* A file cannot be reached: `finding` with the path of the item's own node, if it can be read. */
LOD_MUST_CHECK int lod_check_item_found(struct lod_verify *verify, uint32_t item,
                                        struct lod_finding finding);

/* The path of a node; NULL: it cannot be read. */
const char *lod_check_path(struct lod_verify *verify, uint32_t node, char path[LOD_PATH_MAX + 1]);

/* Errors of the index that the scan of its blocks reports, once for all rows of a block. */
static inline bool lod_check_is_block_error(int error)
{
    return error == -EBADMSG || error == -EIO;
}

#endif
