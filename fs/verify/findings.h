/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What verify found, as data: one entry a damage or a file it costs. Bounded: past LOD_FINDINGS_MAX
 * entries are only counted. Any thread may add.
 */
#ifndef LOD_FINDINGS_H
#define LOD_FINDINGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "list.h"

#define LOD_FINDINGS_MAX 100000u

/* A set of fidelities: bit k is the one of number k (LOD_Q1 .. LOD_ORIGINAL). */
#define LOD_FIDELITIES_ALL 0x1ffeu

#define LOD_NO_ITEM UINT32_MAX

struct lod_finding {
    char file[80];       /* of the store: "records/000003.pcr", "index" */
    const char *what;    /* a static text */
    const char *path;    /* of the source's file it costs; NULL: none, or not known */
    uint64_t offset;     /* in `file` */
    uint64_t bytes;      /* from there; 0: all that follows */
    uint64_t frame;      /* of the segment */
    uint32_t item;       /* whose bytes it costs; LOD_NO_ITEM: none in particular */
    uint32_t slot;       /* of the record */
    uint16_t group;      /* 1 .. 12; 0: no segment */
    uint16_t fidelities; /* of `path`, or of what lies there: those that are refused or differ */
    bool note;           /* worth a line, but no damage */
};

/* All zero but for the lock. */
struct lod_findings {
    pthread_mutex_t lock;
    LOD_LIST(struct lod_finding); /* paths are owned; guarded by lock, like all below */
    uint64_t damages, notes;      /* those not kept included */
};

void lod_findings_init(struct lod_findings *findings);
void lod_findings_finish(struct lod_findings *findings);

/* Keeps a copy. -ENOMEM. */
LOD_MUST_CHECK int lod_findings_add(struct lod_findings *findings,
                                    const struct lod_finding *finding);

/* By file, offset, item, path: the order does not depend on who found what first. */
void lod_findings_sort(struct lod_findings *findings);

/* Which fidelities of an item read [offset, offset + bytes) of its segment in `group`. */
uint16_t lod_findings_fidelities(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                 unsigned group, uint64_t offset, uint64_t bytes);

/* Which fidelities of an item read anything of its record. An empty file's do not. */
uint16_t lod_findings_stored(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES]);

/* The same when the record is not to be had; of a malformed row nothing is. */
uint16_t lod_findings_costs(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES]);

/* A finding that costs an item something, by its place in the list. */
struct lod_costly {
    uint32_t item, finding;
};

/* All of those, by item, for free(). -ENOMEM. No other thread may add meanwhile. */
LOD_MUST_CHECK int lod_costly_list(const struct lod_findings *findings,
                                   struct lod_costly **ret_list, size_t *ret_count);

/* The first one of `item` or a later one; `count`: there is none. */
size_t lod_costly_first(const struct lod_costly *list, size_t count, uint32_t item);

#endif
