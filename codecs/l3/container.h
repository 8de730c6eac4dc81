/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE table of containers, reading: which file the samples of an l3 item become. One const struct a
 * container, one line in container.c; its number is in the ITEM row. What a container knows is how
 * its files are laid out around and inside bands of samples; patches are none of its business.
 * Pure and thread-safe. container_write.h is the reverse.
 */
#ifndef LOD_CONTAINER_H
#define LOD_CONTAINER_H

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_row.h"

/* Numbers of the ITEM row. */
enum lod_l3_container_id {
    LOD_L3_CONTAINER_PNG = 0,
    LOD_L3_CONTAINER_PNM = 1,
    LOD_L3_CONTAINER_BMP = 2,
    LOD_L3_CONTAINERS = 3,
};

#define LOD_L3_COLOURS      256u
#define LOD_L3_COLOUR_BYTES 4u /* red, green, blue, alpha */
typedef uint8_t lod_l3_colours[LOD_L3_COLOURS * LOD_L3_COLOUR_BYTES];

struct lod_l3_container {
    uint8_t id;

    /* Its files are the sources byte for byte; else an item has NO_ORIGINAL or KEPT. */
    bool exact;

    /*
     * Takes the fields that are the container's own, and lays the file out: `out` of a row whose
     * image is valid and which has all else. False: malformed.
     */
    bool (*take)(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r);

    /* Writes these fields into a row. */
    void (*put)(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES]);

    /* Appends the pieces of the file to an empty plan: forms of l3_make.h. */
    int (*plan)(const struct lod_l3_row *r, struct lod_plan *plan);

    /*
     * Writes the bytes of a band. `samples` as in l3_image.h, rows `stride` bytes apart; they may
     * be changed.
     */
    void (*band)(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                 uint8_t *into);

    /*
     * As lod_maker.prove, of the bands of the file. NULL: rows say nothing of them.
     */
    int (*prove)(const struct lod_l3_row *r, uint32_t band, struct lod_span made,
                 uint64_t state[LOD_PROOF_WORDS]);

    /* Channels of a pixel under decoded/, where there is no palette. */
    uint8_t (*channels)(const struct lod_l3_row *r);

    /* Are samples what decoded/ has, as they are? Asked where there is no palette. */
    bool (*plain)(const struct lod_l3_row *r);

    /* One row of samples as decoded/ has it, where they are not. */
    void (*pixels)(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into);

    /*
     * How many of group 8's first bytes it takes to find the palette, and what it is: entries that
     * are not there are black. -EILSEQ. NULL: it has none.
     */
    uint64_t (*colours_bytes)(const struct lod_l3_row *r);
    int (*colours)(struct lod_span group, lod_l3_colours colours);
};

/* NULL: there is none of this number. */
const struct lod_l3_container *lod_l3_container_find(unsigned id);

/* One extern a container; see container.c for the table. */
extern const struct lod_l3_container lod_l3_container_png;
extern const struct lod_l3_container lod_l3_container_pnm;
extern const struct lod_l3_container lod_l3_container_bmp;

#endif
