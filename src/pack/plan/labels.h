/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of pictures that a file gives, in place of the numbers of their folders. Its lines are a
 * path of the source, a tab and a number; or those of MXNet's im2rec: a number, a tab, a label, a
 * tab and a path.
 */
#ifndef LOD_LABELS_H
#define LOD_LABELS_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "pack/plan/order.h"
#include "pack/source/first_error.h"
#include "pack/source/source.h"

#define LOD_LABELS_BYTES_MAX ((uint64_t)1 << 32)

/* All zero: there is no file. */
struct lod_labels {
    const char *name; /* of the file, for messages */
    struct lod_buf text;
    /* by index of the source list; of pictures only. NULL: labels follow from folders */
    int32_t *at;
    uint64_t differs; /* files that share an item with a file that has another label */
};

/* Reads the file, which may be a pipe, into memory. Returns an error with its message. */
LOD_MUST_CHECK int lod_labels_read(struct lod_labels *labels, const char *name,
                                   struct lod_first_error *first_error);

/*
 * Finds the label of each picture; those that no line names get none. Drops the text. Refuses
 * malformed lines, and paths that are no pictures, or that are there twice.
 */
LOD_MUST_CHECK int lod_labels_find(struct lod_labels *labels, const struct lod_source_list *list,
                                   const struct lod_order *order,
                                   struct lod_first_error *first_error);
/* Takes the labels of the members of containers. A label of a file .cls is that of the pictures of
 * its stem. */
LOD_MUST_CHECK int lod_labels_of_members(struct lod_labels *labels,
                                         const struct lod_source_list *list,
                                         const struct lod_order *order);
void lod_labels_finish(struct lod_labels *labels);

#endif
