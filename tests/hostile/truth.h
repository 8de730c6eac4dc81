/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mount of the sound store shows: names, attributes, and the bytes of every file at every
 * fidelity; and the comparison of another store with it, by the calls that a mount makes.
 */
#ifndef LOD_TRUTH_H
#define LOD_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "dataset.h"

struct truth_node {
    struct lod_node row;
    char name[LOD_NAME_MAX + 1];
    char *target, *path;
    uint64_t bytes[LOD_ORIGINAL + 1];  /* of the file at each fidelity */
    uint8_t *data[LOD_ORIGINAL + 1];   /* NULL: not there */
    uint16_t groups[LOD_ORIGINAL + 1]; /* bit g: stored bytes of group g are in it */
    uint16_t made; /* fidelities of which some is made, of groups we do not know */
};

struct truth {
    struct truth_node *nodes; /* by number */
    uint32_t count;
};

/* Reads the store being served; ends the program if anything of it is refused. */
void truth_read(struct truth *ret_truth);
void truth_free(struct truth *truth);

struct compared {
    const char *wrong; /* NULL: whatever was shown is right */
    uint64_t right, refused;
    uint32_t item;           /* asked about */
    uint16_t item_refused;   /* bit k: fidelity k of a file of the item asked about */
    uint16_t others_refused; /* of any other item */
    bool open;
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
 * comes out must be legal: names, targets, numbers. `right`: reads that gave bytes.
 */
struct compared truth_exercise(const struct truth *truth);

#endif
