/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the files of verify share; included only by them. */
#ifndef LOD_CHECK_H
#define LOD_CHECK_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/why.h"
#include "buf.h"
#include "memory/memory_semaphore.h"
#include "list.h"
#include "index/index.h"
#include "index/manifest.h"
#include "backend/store.h"
#include "record/tree_list.h"
#include "verify/verify.h"

/* Steps of bounded size: blocks of the index, rows of nodes, bytes of a record. */
#define LOD_STEP_BLOCKS 256u
#define LOD_STEP_NODES  8128u
#define LOD_STEP_BYTES  (64ull << 20)

/* A slice of a record: the frames that begin in LOD_STEP_BYTES bytes of its file. */
struct lod_slice {
    uint32_t record; /* number in the index; with by_name, in `names` */
    uint32_t slice : 31;
    uint32_t by_name : 1;
};

struct lod_verify {
    struct lod_store *store;
    struct lod_manifest manifest; /* pack is NULL if it cannot be read */
    struct lod_index *index;      /* NULL if it cannot be used */
    struct lod_object *index_file;
    struct lod_why why; /* why the index, or the manifest, cannot be used */
    bool gaps_zero;     /* all sections are known, so the blocks between them must be 0 */
    uint64_t block_steps, node_steps;
    LOD_LIST(struct lod_slice) slices;
    struct lod_buf names; /* without an index: record files, sizeof(lod_record_desc.path) each */
    struct lod_buf known; /* with an index: hashes of the paths of its records, u64 each */
    struct lod_buf ids;   /* record ids in record order */
    struct lod_buf lost;  /* items in records with unreadable rows: u32 first, u32 end */
    bool
        records_unknown; /* `lost` is not empty, so a file without a row may have had one of them */
    uint64_t bytes, files; /* of all steps */
    struct lod_findings findings;
    struct lod_memory_semaphore work; /* reserved by makers */
    bool hashes_only;                 /* makers are not run */
    uint32_t part, parts;             /* both 0: the whole store */
    /* Records of the index: the part has [own_first, own_end); its tables need those up to
     * beyond_end. */
    uint32_t own_first, own_end, beyond_end;

    /* Sums of the steps, used by lod_verify_conclude. */
    atomic_uint_fast64_t nodes[LOD_TREE_HARD_LINK + 1]; /* for each kind; EQUAL: all aliases */
    atomic_uint_fast64_t listed[LOD_TREE_HARD_LINK + 1];
    atomic_uint_fast64_t trees; /* tree records whose list was read completely */
    /* A row of the index could not be read, so the sums are too small. */
    atomic_bool rows_missing;
    pthread_mutex_t lock;
    cJSON *pack, *scans; /* of the tree record; guarded by lock */
};

/* Returns how many files of the source a record holds: the list of a tree record is none. */
static inline uint32_t lod_check_files(const struct lod_record_desc *recd)
{
    return recd->codec == LOD_CODEC_TREE ? 0 : recd->items;
}

/*
 * Computes the steps and the sums of bytes and files. Manifest and index are open. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_steps_compute(struct lod_verify *verify);

/*
 * Returns whether a slice belongs to another part and is checked only for the tables of this one.
 */
bool lod_verify_is_beyond(const struct lod_verify *verify, const struct lod_slice *slice);
/* Drops findings about such records themselves. */
void lod_verify_drop_others(struct lod_verify *verify);

/* The steps. They return 0 or an error of lod_check_stops; lod_check_slice also -EACCES. */
LOD_MUST_CHECK int lod_check_blocks(struct lod_verify *verify, uint64_t step, uint64_t *ret_bytes);
LOD_MUST_CHECK int lod_check_nodes(struct lod_verify *verify, uint64_t step);
/* Checks the tables whose schema.json is among the nodes of this step. */
LOD_MUST_CHECK int lod_check_schemas(struct lod_verify *verify, uint64_t step);
LOD_MUST_CHECK int lod_check_slice(struct lod_verify *verify, const struct lod_slice *slice,
                                   uint64_t *ret_bytes, uint64_t *ret_files);

struct lod_record;
/* Compares the list of a tree record with the nodes. */
LOD_MUST_CHECK int lod_check_tree(struct lod_verify *verify, struct lod_record *record);

/*
 * The names of the record files (record_names.h).
 *
 * - lod_names_list: reads them into v->names; none if the folder cannot be listed.
 * - lod_names_at: the name of a number; NULL past the last.
 * - lod_names_have_tree: whether one is a readable tree record, which pack writes last.
 * - lod_names_note_strays: adds a note for each file that is not in the index.
 */
LOD_MUST_CHECK int lod_names_list(struct lod_verify *verify);
const char *lod_names_at(const struct lod_verify *verify, uint32_t number);
bool lod_names_have_tree(struct lod_verify *verify);
bool lod_names_known(struct lod_verify *verify, const char *name); /* after lod_names_sort_known */
void lod_names_sort_known(struct lod_verify *verify);
LOD_MUST_CHECK int lod_names_note_strays(struct lod_verify *verify);

/* Compares rows of samples and sums with those that follow from names and sizes. */
LOD_MUST_CHECK int lod_check_samples(struct lod_verify *verify);

/* Adds findings for files that are made of a damaged item's bytes. */
LOD_MUST_CHECK int lod_check_borrowers(struct lod_verify *verify);

/* Adds findings for items that are made of later items; `list` is that of lod_costly_list. */
struct lod_costly;
/* Reads the row of an item of a codec with `ahead`, and how many later items it is made of;
 * *ret_ahead is 0 for none, or if it cannot be read. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_check_items_ahead(struct lod_verify *verify, const struct lod_codec *codec,
                                         uint32_t item, uint8_t row[LOD_ROW_BYTES],
                                         uint32_t *ret_ahead);
LOD_MUST_CHECK int lod_check_ahead(struct lod_verify *verify, const struct lod_costly *list,
                                   size_t count);

/* Makes the checks that concern the whole store, after all steps. */
LOD_MUST_CHECK int lod_check_whole(struct lod_verify *verify);

/* Adds a finding about `file`, at no particular place in it. */
LOD_MUST_CHECK int lod_check_file_found(struct lod_verify *verify, const char *file,
                                        const char *what, uint16_t fidelities);

/* Adds a finding in the index row of `number`; fills in offset, bytes and file. */
LOD_MUST_CHECK int lod_check_row_found(struct lod_verify *verify, unsigned section, uint32_t number,
                                       struct lod_finding finding);

/* Adds `finding` for a file that cannot be reached, with the path of the item's own node if it can
 * be read. */
LOD_MUST_CHECK int lod_check_item_found(struct lod_verify *verify, uint32_t item,
                                        struct lod_finding finding);

/* Returns the path of a node; NULL if it cannot be read. */
const char *lod_check_path(struct lod_verify *verify, uint32_t node, char path[LOD_PATH_MAX + 1]);

/* Returns whether an error says nothing about the store: memory or open files ran out. It ends the
 * check and is never a finding. Steps, and all that return -ENOMEM, return each of these. */
static inline bool lod_check_stops(int error)
{
    return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* Returns whether the user may not open a file of a local store, which is no damage either. Servers
 * of S3 give this error for objects that are missing. */
static inline bool lod_check_is_closed(const struct lod_verify *verify, int error)
{
    return error == -EACCES && !lod_store_is_far(verify->store);
}

/* Returns whether an error belongs to a whole block of the index. lod_check_blocks reports it once
 * for all its rows. */
static inline bool lod_check_is_block_error(int error)
{
    return error == -EBADMSG || error == -EIO;
}

#endif
