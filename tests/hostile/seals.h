/* SPDX-License-Identifier: Apache-2.0 */
/* Where the structures and hashes of a sound store lie, and all hashes of a changed one made right.
 */
#ifndef LOD_SEALS_H
#define LOD_SEALS_H

#include "chance.h"
#include "mem_store.h"

struct frame_at {
    uint64_t hash_at, offset; /* in the record's file */
    uint32_t slot, bytes;
    uint16_t group;
    uint64_t frame;
};

struct record_at {
    char name[80]; /* in the store */
    uint64_t row;  /* RECD, in the index */
    uint32_t first_item, items, metadata_bytes;
    struct frame_at *frames;
    size_t frames_count;
};

struct seals {
    uint64_t section[5], blocks[5]; /* first byte and length in blocks, by id */
    uint32_t rows[5];
    struct record_at *records;
    uint32_t records_count;
};

/* Of the sound store, which is not kept. */
struct seals *seals_read(struct mem_store *sound);
void seals_free(struct seals *seals);

/* All frames of all records, numbered through. */
struct seals_frame {
    const char *file;
    uint64_t offset;
    uint32_t bytes, item;
    unsigned group;
};
uint64_t seals_frames(const struct seals *seals);
struct seals_frame seals_frame(const struct seals *seals, uint64_t number);

/*
 * All hashes made right, from the innermost: frames, metadata, headers, RECD, blocks, manifest, in
 * which a number is changed now and then. `chance` NULL: none is.
 */
void seals_close(const struct seals *seals, struct chance *chance, struct mem_store *store);

/* A number that somebody may not have thought of. */
uint64_t seals_extreme(struct chance *chance, uint64_t was);

#endif
