/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of the sound store as a mount shows them: names, attributes, and the bytes of every
 * file at every fidelity. Compares another store with it, by the calls that a mount makes.
 */
#ifndef LOD_TRUTH_H
#define LOD_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "served.h"

struct truth_node {
    struct lod_node row;
    char name[LOD_NAME_MAX + 1];
    char *target, *path;
    uint64_t bytes[SHOWN_END];  /* sizes of the forms */
    uint8_t *data[SHOWN_END];   /* NULL: there is no such form */
    uint16_t groups[SHOWN_END]; /* bit g: the form has stored bytes of group g */
    uint16_t made;              /* bit k: a part of form k is computed, from unknown groups */
    uint32_t ahead;             /* the file also needs this many of the next items */
};

struct truth {
    struct truth_node *nodes; /* by number */
    uint32_t count;
};

/* Reads the store being served; exits if any part of it is refused. */
void truth_read(struct truth *ret_truth);
void truth_free(struct truth *truth);

#define REFUSED_MAX 64

struct compared {
    const char *wrong; /* a description of the first error, or NULL */
    uint64_t right, refused;
    uint32_t item;           /* the item whose refusals are counted apart */
    uint16_t item_refused;   /* bit k: form k of a file of that item is refused */
    uint16_t others_refused; /* the same for items that do not need that item */
    bool open;
    uint32_t refused_items[REFUSED_MAX]; /* of truth_exercise: the first refused items */
    unsigned refused_count;
};

/*
 * Opens and reads all of the store being served. Anything may be refused; nothing may differ.
 * Refusals of `item` are counted apart.
 */
struct compared truth_compare(const struct truth *truth, uint32_t item);

/*
 * Checks `compared` after damage to a frame of `group` of `item`: exactly the files and fidelities
 * that need the group are refused. Originals made from group 12 may also need that of other items.
 * Returns NULL, or a description of the error.
 */
const char *truth_needs(const struct truth *truth, uint32_t item, unsigned group,
                        const struct compared *compared);

/*
 * Opens and reads the store being served, up to a limit. Bytes may differ, but names, targets and
 * numbers must be legal. In the result, `right` counts successful reads, and `refused` the nodes
 * and files that cannot be read.
 */
struct compared truth_exercise(const struct truth *truth);

#endif
