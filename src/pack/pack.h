/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lodfs pack` without its command line: from a source folder to a committed store, and what there
 * is to say about it. Prints nothing but the progress line.
 */
#ifndef LOD_PACK_H
#define LOD_PACK_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/order.h"
#include "pack/source.h"
#include "pack/tables.h"
#include "pack/trouble.h"
#include "pcr/script.h"
#include "progress.h"
#include "stop.h"
#include "tally.h"

struct lod_pack_options {
    const char *source, *store;
    unsigned threads;
    struct lod_order_options order;
    const struct lod_script *scans; /* NULL: auto */
    const char *scans_name;         /* "auto", a built-in name, "file" */
    const char *l3_name;            /* "small", "packed", "paper" */
    uint8_t l3_mode;                /* enum lod_l3_mode */
    bool keep;                      /* --original=all */
    struct lod_tables_options tables;
    bool follow, skip_unreadable, dry_run;
    struct lod_progress *progress;
    struct lod_stop *stop;
};

struct lod_pack_result {
    struct lod_source_list list; /* sorted by path: roles and reasons */
    struct lod_tables tables;    /* what sources of the list borrow */
    struct lod_tally tally;      /* of a dry run: sources only, nothing stored */
    uint64_t folders, symlinks, equal, hard_links, whole;
    uint64_t tables_stored, tables_beside, shards; /* kept as shards alone; text and the like */
    uint64_t left_out;                             /* of any kind */
    uint64_t unreadable;    /* of those, files and folders that should have been packed */
    uint64_t records, cuts; /* the tree record included */
    uint64_t kept;          /* records that an earlier run had written */
    uint64_t store_bytes;
    cJSON *scans;   /* the manifest's table, may be NULL */
    bool resumable; /* after an error: the same command would go on with what is there */
};

/*
 * 0, or an error with its sentence in trouble->text ("" : the errno says it all). -EINTR: stopped
 * by a signal; -EWOULDBLOCK: another pack holds the store. ret_result is for lod_pack_finish.
 */
LOD_MUST_CHECK int lod_pack(const struct lod_pack_options *options, struct lod_trouble *trouble,
                            struct lod_pack_result *ret_result);
void lod_pack_finish(struct lod_pack_result *result);

#endif
