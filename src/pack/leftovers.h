/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pack itself writes into the folder of a store before it is one, told apart from everything
 * else by name: index, manifest.tmp, the journal, records/NNNNNN.SUFFIX. Only that is ever removed.
 */
#ifndef LOD_LEFTOVERS_H
#define LOD_LEFTOVERS_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/order.h"
#include "store/format.h"

/*
 * 0, or -ENOTEMPTY with the first name in the folder (or the folder of records) that pack would
 * not have written; or why it cannot be listed.
 */
LOD_MUST_CHECK int lod_leftovers_look(int fd, bool in_records, char foreign[LOD_NAME_MAX + 1]);

/* Removes all of it; records_fd may be -1. Errors are left for what follows. */
void lod_leftovers_remove(int dir_fd, int records_fd);

/* Removes all but the journal and the records that `order` names. */
void lod_leftovers_prune(int dir_fd, int records_fd, const struct lod_order *order);

/* "000017.pcr": the file of record `number`, counted from 1. */
#define LOD_RECORD_NAME_ROOM 32
void lod_leftovers_name(const struct lod_order *order, uint32_t number,
                        char name[LOD_RECORD_NAME_ROOM]);

#endif
