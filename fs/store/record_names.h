/* SPDX-License-Identifier: Apache-2.0 */
/* The names below records/ as the store lists them, in record order: for verify and repair. */
#ifndef LOD_RECORD_NAMES_H
#define LOD_RECORD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "store/store.h"

/*
 * Appends "NAME" and, one folder deep, "P/NAME" to `names`. Names longer than a record's can be
 * are passed over. -ENOENT, -ENOTSUP, -ENOMEM, or why the folder cannot be listed.
 */
LOD_MUST_CHECK int lod_record_names_list(struct lod_store *store, struct lod_buf *names);

/* The name of a number; NULL: past the last. */
const char *lod_record_names_at(const struct lod_buf *names, uint32_t number);

/* Has it the form of a record's: a name and the suffix of a codec? */
bool lod_record_name_valid(const char *name);

#endif
