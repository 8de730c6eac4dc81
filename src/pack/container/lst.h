/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list that MXNet's im2rec writes beside a .rec: lines of a record's id, its labels and its
 * path, with tabs between them. It gives the records their names.
 */
#ifndef LOD_LST_H
#define LOD_LST_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "list.h"
#include "pack/container/containers.h"

#define LOD_LST_BYTES_MAX ((uint64_t)1 << 32)

struct lod_lst_line {
    uint64_t id;
    uint32_t at, bytes; /* of the path */
};

/* All zero is an empty list. */
struct lod_lst {
    LOD_LIST(struct lod_lst_line); /* by id; of several lines of an id the last one is used */
    const char *text;
};

/* Reads a list, which borrows the text. Returns -EILSEQ and the number of the malformed line, from
 * 1; -ENOMEM. */
LOD_MUST_CHECK int lod_lst_read(struct lod_span text, struct lod_lst *lst, uint64_t *ret_line);

/* Returns the path of the record `id`, NULL if there is none. */
const char *lod_lst_find(const struct lod_lst *lst, uint64_t id, size_t *ret_bytes);
void lod_lst_finish(struct lod_lst *lst);

/* Reads x.lst beside the container x.rec of the walk, into `text`, which the list borrows. Without
 * one the list stays empty. Refuses a malformed one. */
LOD_MUST_CHECK int lod_lst_beside(struct lod_container_walk *walk, struct lod_buf *text,
                                  struct lod_lst *lst);

#endif
