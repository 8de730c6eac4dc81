/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the names below records/ in record order, for verify and repair. */
#ifndef LOD_RECORD_NAMES_H
#define LOD_RECORD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "backend/store.h"

/*
 * Appends "NAME", and "P/NAME" for the files of subfolders, to `names`. Names too long for a record
 * are left out. Returns -ENOENT, -ENOTSUP, -ENOMEM, or the error of listing the folder.
 */
LOD_MUST_CHECK int lod_record_names_list(struct lod_store *store, struct lod_buf *names);

/* Returns the name of a number; NULL past the last. */
const char *lod_record_names_at(const struct lod_buf *names, uint32_t number);

/* Returns whether it can be a record's name: a name and the suffix of a codec. */
bool lod_record_name_valid(const char *name);

#endif
