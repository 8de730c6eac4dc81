/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first 4096 bytes of a record: bytes <-> struct lod_recd (FORMAT.md, Record). Knows
 * nothing of what the record holds.
 */
#ifndef LOD_RECORD_HEADER_H
#define LOD_RECORD_HEADER_H

#include <stdint.h>

#include "compiler.h"
#include "store/index.h"
#include "store/store.h"

/* Everything but path, number and first_item. Returns the hash that closes it. */
uint64_t lod_record_header_put(const struct lod_recd *recd, uint8_t header[LOD_RECORD_HEADER]);

/*
 * The reverse; the header's hash is checked, and the sizes against each other and the limits.
 * Path, number and first_item are left 0. -EBADMSG: no header, or a damaged one; -EILSEQ: a field
 * outside its legal range; -ENOTSUP: another version, an unknown feature or codec.
 */
LOD_MUST_CHECK int lod_record_header_take(const uint8_t header[LOD_RECORD_HEADER],
                                          struct lod_recd *ret_recd);

/*
 * What the record file `path` (below records/) says of itself, as a row of the index would: number
 * and first_item are 0. lod_record_open takes the result. For those who have no index to trust.
 * -EBADMSG: no header, a damaged one, or a file of another size; -EILSEQ, -ENOTSUP, -EIO, -ENOENT.
 */
LOD_MUST_CHECK int lod_record_header_read(struct lod_store *store, const char *path,
                                          struct lod_recd *ret_recd);

#endif
