/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a container, reading: the file format that an l3 item is shown as. One const
 * struct for each, one line in the dispatch table of container.c; its number is in the ITEM row. A
 * container knows the layout of a file around and inside bands of samples. It knows nothing of
 * patches. Pure and thread-safe. container_write.h is the reverse.
 */
#ifndef LOD_CONTAINER_H
#define LOD_CONTAINER_H

#include "bytes.h"
#include "l3/container/l3_row.h"

/* Values of the field in the ITEM row. */
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
    const char *ending; /* of such a file's name */

    /* True: the file equals the source byte for byte. False: the item has NO_ORIGINAL or KEPT. */
    bool exact;

    /*
     * Reads the container's own fields of a row whose other fields are in *r and valid, and
     * computes the layout `out`. Returns false if they are malformed.
     */
    bool (*take)(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                 uint8_t side_log2, struct lod_l3_row *r);

    /* Writes the container's own fields to a row. */
    void (*put)(const struct lod_l3_row *r, uint8_t row[LOD_ROW_BYTES]);

    /*
     * Appends the pieces of the file to an empty plan. `form` is FORM_FILE, or that of a level,
     * which makes all bands and sums (l3_make.h).
     */
    int (*plan)(const struct lod_l3_row *r, unsigned form, struct lod_plan *plan);

    /*
     * Writes the bytes of a band. `samples` are as in l3_image.h, rows `stride` bytes apart; they
     * may be overwritten.
     */
    void (*band)(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                 uint8_t *into);

    /* Writes the `sums_bytes` bytes of checksums that follow all bands; the bands are in `into`. It
     * may change the last sample. NULL: there are none. */
    void (*sum)(const struct lod_l3_row *r, uint8_t *into);
    uint8_t sums_bytes;

    /*
     * Checks the bands of the file as lod_maker.prove does. NULL: the row has no checksum of them.
     */
    int (*prove)(const struct lod_l3_row *r, uint32_t band, struct lod_span made,
                 uint64_t state[LOD_PROOF_WORDS]);

    /* Returns the channels of a pixel under decoded/. Not called for palettes. */
    uint8_t (*channels)(const struct lod_l3_row *r);

    /* Returns whether decoded/ shows the samples unchanged. Not called for palettes. */
    bool (*plain)(const struct lod_l3_row *r);

    /* Converts one row of samples to the pixels of decoded/, if not plain. */
    void (*pixels)(const struct lod_l3_row *r, const uint8_t *samples, uint8_t *into);

    /*
     * colours_bytes returns how many of group 9's first bytes contain the palette; colours reads
     * it. Missing entries are black. Returns -EILSEQ. NULL: the container has no palettes.
     */
    uint64_t (*colours_bytes)(const struct lod_l3_row *r);
    int (*colours)(struct lod_span group, lod_l3_colours colours);
};

/* Returns the container of this number, or NULL. */
const struct lod_l3_container *lod_l3_container_find(unsigned id);

/* Defined one in each container's file. */
extern const struct lod_l3_container lod_l3_container_png;
extern const struct lod_l3_container lod_l3_container_pnm;
extern const struct lod_l3_container lod_l3_container_bmp;

#endif
