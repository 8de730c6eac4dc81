/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a file of lod_scans_write into the groups of its script. */
#ifndef LOD_SCANS_SPLIT_H
#define LOD_SCANS_SPLIT_H

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/script.h"

/*
 * Appends each scan of the file, with its tables before it, to the buffer of its group; `groups`
 * has LOD_SCRIPT_GROUPS of them. Tables and frame header before the first scan go with that. SOI
 * and EOI are left out. `script` is the one that the file was written with. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_scans_split(struct lod_span file, const struct lod_script *script,
                                   struct lod_buf *groups);

#endif
