/* SPDX-License-Identifier: Apache-2.0 */
/* The places of the structures and hashes of a sound store;
 * recomputes all hashes of a changed one. */
#ifndef LOD_SEALS_H
#define LOD_SEALS_H

#include "chance.h"
#include "backend/format.h"
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
    uint64_t section[LOD_SECTION_LAST + 1],
        blocks[LOD_SECTION_LAST + 1]; /* first byte and length in blocks, by id */
    uint32_t rows[LOD_SECTION_LAST + 1];
    struct record_at *records;
    uint32_t records_count;
};

/* Reads the places from the sound store, to which no pointer is kept. */
struct seals *seals_read(struct mem_store *sound);
void seals_free(struct seals *seals);

/* A frame, by its number among all frames of all records. */
struct seals_frame {
    const char *file;
    uint64_t offset;
    uint32_t bytes, item;
    unsigned group;
};
uint64_t seals_frames(const struct seals *seals);
struct seals_frame seals_frame(const struct seals *seals, uint64_t number);

/*
 * Recomputes all hashes, from the innermost: frames, metadata, headers, RECD, blocks, manifest. A
 * store that was not attacked is unchanged. With `chance` some manifests get a wrong number;
 * returns whether this one did.
 */
bool seals_close(const struct seals *seals, struct chance *chance, struct mem_store *store);

/* Returns an extreme number, such as a limit of a type, or one near `was`. */
uint64_t seals_extreme(struct chance *chance, uint64_t was);

#endif
