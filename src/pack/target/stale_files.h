/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that pack writes into the folder of an incomplete store. They are recognised by name:
 * index, manifest.tmp, the journal, records/NNNNNN.SUFFIX. No other file is ever removed.
 */
#ifndef LOD_STALE_FILES_H
#define LOD_STALE_FILES_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/plan/order.h"
#include "backend/format.h"

/*
 * Returns 0; or -ENOTEMPTY with the first name in the folder (or the folder of records) that pack
 * does not write; or an error of listing it.
 */
LOD_MUST_CHECK int lod_stale_files_look(int fd, bool in_records, char foreign[LOD_NAME_MAX + 1]);

/* Removes all these files; records_fd may be -1. Ignores errors, which later steps will meet. */
void lod_stale_files_remove(int dir_fd, int records_fd);

/* Removes all but the journal and the records that `order` names. */
void lod_stale_files_prune(int dir_fd, int records_fd, const struct lod_order *order);

/* Writes the name of the file of record `number`, counted from 1, such as "000017.pcr". */
#define LOD_RECORD_NAME_ROOM 32
void lod_stale_files_name(const struct lod_order *order, uint32_t number,
                          char name[LOD_RECORD_NAME_ROOM]);

#endif
