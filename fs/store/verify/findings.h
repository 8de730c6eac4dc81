/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of verify, as data: one entry for a damage or for a file that it affects. After
 * LOD_FINDINGS_MAX entries findings are only counted. Any thread may add.
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
    char file[80];    /* file of the store: "records/000003.pcr", "index" */
    const char *what; /* a static text */
    const char *path; /* path of the affected file; NULL: none or unknown */
    uint64_t offset;  /* in `file` */
    uint64_t bytes;   /* from there; 0: to the end */
    uint64_t frame;   /* in the segment */
    uint32_t item;    /* the affected item; LOD_NO_ITEM: none in particular */
    uint32_t slot;    /* in the record */
    uint16_t group;   /* 1 .. 12; 0: no segment */
    /* Fidelities of `path`, or of the damaged bytes, that are refused or differ. */
    uint16_t fidelities;
    bool note; /* printed, but not damage */
};

/* Begins as all zero, except for the lock. */
struct lod_findings {
    pthread_mutex_t lock;
    LOD_LIST(struct lod_finding); /* paths are owned; guarded by lock, like all below */
    uint64_t damages, notes;      /* includes those that are only counted */
};

void lod_findings_init(struct lod_findings *findings);
void lod_findings_finish(struct lod_findings *findings);

/* Keeps a copy. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_findings_add(struct lod_findings *findings,
                                    const struct lod_finding *finding);

/* Forgets the findings for which `is` returns true. No other thread may add meanwhile. */
void lod_findings_drop(struct lod_findings *findings,
                       bool (*is)(void *ctx, const struct lod_finding *finding), void *ctx);

/* Sorts by file, offset, item, path, so that the order does not depend on threads. */
void lod_findings_sort(struct lod_findings *findings);

/* Returns which fidelities of an item read [offset, offset + bytes) of its segment in `group`. */
uint16_t lod_findings_fidelities(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                 unsigned group, uint64_t offset, uint64_t bytes);

/* Returns which fidelities of an item read any byte of its record; none for an empty file. */
uint16_t lod_findings_stored(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES]);

/* The same for a record that cannot be opened; for a malformed row all fidelities. */
uint16_t lod_findings_costs(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES]);

/* A finding that affects an item, by its index in the list. */
struct lod_costly {
    uint32_t item, finding;
};

/* Lists all of those, sorted by item, for free(). Returns -ENOMEM. No other thread may add
 * meanwhile. */
LOD_MUST_CHECK int lod_costly_list(const struct lod_findings *findings,
                                   struct lod_costly **ret_list, size_t *ret_count);

/* Returns the first one of `item` or a later item; `count` if there is none. */
size_t lod_costly_first(const struct lod_costly *list, size_t count, uint32_t item);

#endif
