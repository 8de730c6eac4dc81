/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a mount reads from its store now. It is seen in MOUNT/.lodfs/stats: between two looks the
 * bytes of the store have grown, or loads are in flight. One thread at a time.
 */
#ifndef LOD_WARM_READERS_H
#define LOD_WARM_READERS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: there is no mount, so it has no readers. */
struct lod_warm_readers {
    const char *mount; /* borrowed; NULL: none */
    bool reading;      /* the result of the last look */
    uint64_t bytes;    /* of the store, at the last look */
    uint64_t next_ns;  /* when to look again */
};

/* Looks again if some time has passed, which can take as long as readers wait for the store. A
 * mount that is gone has no readers. */
bool lod_warm_readers_look(struct lod_warm_readers *readers, uint64_t now_ns);

#endif
