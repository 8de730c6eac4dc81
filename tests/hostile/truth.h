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
    uint64_t bytes[LOD_ORIGINAL + 1]; /* of the file at each fidelity */
    uint8_t *data[LOD_ORIGINAL + 1];  /* NULL: not there */
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
    bool open;
};

/* Opens and reads all of the store being served. Anything may be refused; nothing may differ. */
struct compared truth_compare(const struct truth *truth);

/*
 * Opens and reads all of the store being served, whatever it shows, with bounds on how much; what
 * comes out must be legal: names, targets, numbers. `right`: reads that gave bytes.
 */
struct compared truth_exercise(const struct truth *truth);

#endif
