/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between the first 4096 bytes of a record and struct lod_record_desc (FORMAT.md, Record).
 * It does not know the record's contents.
 */
#ifndef LOD_RECORD_HEADER_H
#define LOD_RECORD_HEADER_H

#include <stdint.h>

#include "compiler.h"
#include "index/index.h"
#include "backend/store.h"

/* Writes everything but path, number and first_item. Returns the hash at the end of the header. */
uint64_t lod_record_header_put(const struct lod_record_desc *recd,
                               uint8_t header[LOD_RECORD_HEADER]);

/*
 * Reads the header. It checks the hash, and the sizes against each other and the limits. Path,
 * number and first_item are 0. Returns -EBADMSG for a missing or damaged header, -EILSEQ for a
 * field outside its legal range, -ENOTSUP for another version or an unknown feature or codec.
 */
LOD_MUST_CHECK int lod_record_header_take(const uint8_t header[LOD_RECORD_HEADER],
                                          struct lod_record_desc *ret_recd);

/*
 * Reads the header of the record file `path` (below records/), for callers without a trusted index.
 * number and first_item are 0. lod_record_open accepts the result. Returns -EBADMSG for a missing
 * or damaged header or a wrong file size, or -EILSEQ, -ENOTSUP, -EIO, -ENOENT.
 */
LOD_MUST_CHECK int lod_record_header_read(struct lod_store *store, const char *path,
                                          struct lod_record_desc *ret_recd);

#endif
