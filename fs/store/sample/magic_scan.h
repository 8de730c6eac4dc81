/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds RecordIO's magic word in the files of an encoded item, at every fidelity (FORMAT.md, Magic
 * words). The item's groups are in memory. Pack scans each picture once.
 */
#ifndef LOD_MAGIC_SCAN_H
#define LOD_MAGIC_SCAN_H

#include "buf.h"
#include "codec.h"
#include "compiler.h"
#include "list.h"
#include "sample/magic_list.h"

/*
 * Appends the list to `list`, or nothing: the files have no such word, or one of them is too large.
 * Returns -ENOMEM, -EILSEQ for a malformed item, -ENOTSUP if it is made of another item's bytes.
 */
LOD_MUST_CHECK int lod_magic_scan(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                  const struct lod_span group[LOD_GROUPS_MAX],
                                  struct lod_buf *list);

/* Finds the words of a file that has the same bytes at every fidelity. The caller passes its bytes
 * in order, in pieces of any size. All zero is the start; lod_magic_words_finish frees it. */
struct lod_magic_words {
    LOD_LIST(uint32_t) found;
    uint64_t at;      /* bytes so far */
    uint8_t carry[4]; /* the bytes of an incomplete word at the end of the last piece */
};
LOD_MUST_CHECK int lod_magic_words_add(struct lod_magic_words *words, struct lod_span bytes);
LOD_MUST_CHECK int lod_magic_words_list(const struct lod_magic_words *words, struct lod_buf *list);
void lod_magic_words_finish(struct lod_magic_words *words);

/* Appends a list that names no words, of an item that has too many. */
LOD_MUST_CHECK int lod_magic_list_too_many(struct lod_buf *list);

#endif
