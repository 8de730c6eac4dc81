/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mount of the sound store shows: names, attributes, and the bytes of every file at every
 * fidelity; and the comparison of another store with it, by the calls that a mount makes.
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
    uint64_t bytes[SHOWN_END];  /* of the file as it is shown */
    uint8_t *data[SHOWN_END];   /* NULL: not there */
    uint16_t groups[SHOWN_END]; /* bit g: stored bytes of group g are in it */
    uint16_t made;              /* bit k: some of `shown` k is made, of groups we do not know */
    uint32_t ahead;             /* it is made of so many of the next items too */
};

struct truth {
    struct truth_node *nodes; /* by number */
    uint32_t count;
};

/* Reads the store being served; ends the program if anything of it is refused. */
void truth_read(struct truth *ret_truth);
void truth_free(struct truth *truth);

#define REFUSED_MAX 64

struct compared {
    const char *wrong; /* NULL: whatever was shown is right */
    uint64_t right, refused;
    uint32_t item;           /* asked about */
    uint16_t item_refused;   /* bit k: `shown` k of a file of the item asked about */
    uint16_t others_refused; /* of any other item that is not made of it */
    bool open;
    uint32_t refused_items[REFUSED_MAX]; /* exercised: of which something was refused, the first */
    unsigned refused_count;
};

/*
 * Opens and reads all of the store being served. Anything may be refused; nothing may differ.
 * `item`: the one whose refusals are told apart.
 */
struct compared truth_compare(const struct truth *truth, uint32_t item);

/*
 * One frame of `group` of `item` is damaged: were just those files and fidelities refused that are
 * made of the group? What original/ makes of group 12 may need other items'. NULL, or what is
 * wrong.
 */
const char *truth_needs(const struct truth *truth, uint32_t item, unsigned group,
                        const struct compared *compared);

/*
 * Opens and reads all of the store being served, whatever it shows, with bounds on how much; what
 * comes out must be legal: names, targets, numbers. `right`: reads that gave bytes; `refused`: what
 * is there and cannot be shown.
 */
struct compared truth_exercise(const struct truth *truth);

#endif
