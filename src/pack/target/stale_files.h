/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that pack writes into the folder of an incomplete store. They are recognised by name:
 * index, manifest.tmp, the journal, the plan, pack.parts, records/NNNNNN.SUFFIX, and folders of
 * parts with such records. No other file is ever removed.
 */
#ifndef LOD_STALE_FILES_H
#define LOD_STALE_FILES_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/plan/order.h"
#include "backend/format.h"

#define LOD_PLAN_NAME   "pack.plan"
#define LOD_PLAN_TMP    LOD_PLAN_NAME ".tmp"
#define LOD_PARTS_NAME  "pack.parts" /* the N of the part that began last, for messages */
#define LOD_PART_FOLDER "pack.part-" /* then K-N. and a number: where a part makes its records */

/*
 * Returns 0; or -ENOTEMPTY with the first name in the folder (or the folder of records) that pack
 * does not write; or an error of listing it.
 */
LOD_MUST_CHECK int lod_stale_files_find(int fd, bool in_records, char foreign[LOD_NAME_MAX + 1]);

/* Removes all these files; records_fd may be -1. Ignores errors, which later steps will meet. */
void lod_stale_files_remove(int dir_fd, int records_fd);

/* Removes the folders of parts whose names begin with `beginning`. Ignores errors. */
void lod_stale_files_remove_parts(int dir_fd, const char *beginning);

/* Removes all but the journal, the plan, and the records that `order` names. */
void lod_stale_files_prune(int dir_fd, int records_fd, const struct lod_order *order);

/* Writes the name of the file of record `number`, counted from 1, such as "000017.pcr". */
#define LOD_RECORD_NAME_ROOM 32
void lod_stale_files_name(const struct lod_order *order, uint32_t number,
                          char name[LOD_RECORD_NAME_ROOM]);

#endif
