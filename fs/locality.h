/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers ask for of late, by record: whether they go through records one after the other, and
 * how much memory would hold all they go through. Remembers the last LOD_WINDOW reads; lossy under
 * races and for records that share a place, which only costs a decision.
 */
#ifndef LOD_LOCALITY_H
#define LOD_LOCALITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LOD_WINDOW        1024u
#define LOD_NEAR_WINDOW   64u
#define LOD_LOCAL_RECORDS 1024u

struct lod_local_record {
    atomic_uint_fast64_t record; /* number + 1; 0: none */
    atomic_uint_fast64_t seen;   /* number of the read that last asked for it */
    atomic_uint_fast64_t bytes;  /* of the prefix asked for, the longest since it was first seen */
    atomic_uint_fast32_t item;   /* asked for last */
    atomic_uint_fast32_t asked;  /* items since then, the same one after the other counted once */
};

/* All zero: nothing read yet. */
struct lod_locality {
    atomic_uint_fast64_t reads;
    struct lod_local_record records[LOD_LOCAL_RECORDS];
};

/* A read of `item` in `record`, whose prefix for that is `bytes` long. Returns its number. */
uint64_t lod_locality_read(struct lod_locality *locality, uint32_t record, uint32_t item,
                           uint64_t bytes);

struct lod_local {
    unsigned records, near;     /* asked for in the window, and in the last LOD_NEAR_WINDOW reads */
    bool in_turn;               /* the near ones each for many reads */
    uint64_t bytes;             /* of the prefixes a cache would have to hold for this to go on */
    unsigned asked, asked_mean; /* items: of this record, and of the others each */
};
void lod_locality_sum(const struct lod_locality *locality, uint32_t record,
                      struct lod_local *ret_local);

#endif
