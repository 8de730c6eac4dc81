/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lodfs pack` without its command line: makes a committed store from a source folder, and collects
 * the facts for the summary. Prints only the progress line.
 */
#ifndef LOD_PACK_H
#define LOD_PACK_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/container/containers.h"
#include "pack/parts/pack_part.h"
#include "pack/plan/order.h"
#include "pack/plan/splits.h"
#include "pack/source/filter.h"
#include "pack/source/source.h"
#include "pack/tables/tables.h"
#include "pack/source/first_error.h"
#include "pcr/jpeg/script.h"
#include "terminal/progress.h"
#include "terminal/cancel.h"
#include "totals/store_totals.h"

#define LOD_PACK_TOP 5 /* default of --top */

struct lod_pack_options {
    const char *source, *store;
    const struct lod_container *from; /* kind of containers that the source has; NULL: a folder */
    const char *key;                  /* --key, or NULL */
    const char *labels;               /* --labels, or NULL */
    struct lod_split_names splits;
    unsigned threads;
    struct lod_order_options order;
    const struct lod_script *scans; /* NULL: auto or light */
    const char *scans_name;         /* "auto", "light", a built-in name, "file" */
    uint8_t top;                    /* value of --top with --full=source; 0: --full=scans */
    const char *l3_name;            /* "small", "packed", "paper" */
    uint8_t l3_mode;                /* enum lod_l3_mode */
    bool keep;                      /* --original=all */
    bool raw_plain;                 /* --raw=plain */
    struct lod_option_list levels;  /* --levels: patterns as those of tables */
    struct lod_tables_options tables;
    struct lod_filter filter;
    bool follow, skip_unreadable, dry_run;
    bool plan;                 /* only decide, for parts */
    struct lod_pack_part part; /* which part of a plan to write; all 0: pack everything */
    struct lod_progress *progress;
    struct lod_cancel *stop;
};

struct lod_pack_result {
    struct lod_source_list containers; /* of --from; sources of the list borrow them */
    struct lod_source_list list;       /* sorted by path, with roles and reasons */
    struct lod_tables tables;          /* owns data that sources of the list borrow */
    struct lod_store_totals totals;    /* after a dry run without stored bytes */
    uint64_t folders, symlinks, equal, hard_links, whole;
    uint64_t tables_stored, tables_beside,
        shards; /* tables stored as shards only, and tables stored beside their shards */
    /* files left out for any reason, except those inside folders that are left out: */
    uint64_t left_out;
    uint64_t left_out_folders;
    uint64_t other_labels;      /* files whose item has the label of another name */
    uint64_t levels, no_levels; /* images of --levels that have lower fidelities, and others */
    uint64_t not_in_recordio;   /* pictures that no record of RecordIO can hold */
    uint64_t unreadable;        /* left-out files and folders that could not be read */
    uint64_t records, cuts;     /* the tree record included */
    uint64_t kept;              /* records of an earlier run that were kept */
    uint64_t plan_bytes;        /* of the plan, with `plan` */
    uint64_t store_bytes;       /* or of the records of a part */
    cJSON *scans;               /* the manifest's table, may be NULL */
    bool resumable;             /* after an error: the same command would continue */
};

/*
 * Returns 0, or an error with its message in the first error's text; if that is empty, the errno is
 * the message. Returns -EINTR after a signal, -EWOULDBLOCK if another pack holds the store,
 * -ENODATA if parts are missing.
 * ret_result belongs to lod_pack_finish.
 */
LOD_MUST_CHECK int lod_pack(const struct lod_pack_options *options,
                            struct lod_first_error *first_error,
                            struct lod_pack_result *ret_result);
void lod_pack_finish(struct lod_pack_result *result);

#endif
