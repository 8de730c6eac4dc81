/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a container, writing: how a source file becomes samples and the bytes around
 * them. One const struct for each, one line in the dispatch table of container_write.c. Functions
 * refuse a file that the container cannot return: -ENOTSUP and a reason in *ret_why, static text.
 * Pure and thread-safe. container.h is the reverse.
 */
#ifndef LOD_CONTAINER_WRITE_H
#define LOD_CONTAINER_WRITE_H

#include "bytes.h"
#include "l3/container/container.h"

/* A source file after parsing. Spans are borrowed from it. */
struct lod_l3_parsed {
    struct lod_png_header header;
    struct lod_span before, after; /* group 9: the bytes before and after the pixels */
    bool transparent;              /* the file has a colour that is transparent, or alpha */
    uint64_t row_bytes;            /* of a row in a raster file */
    struct lod_l3_row own;         /* only the container's own fields are set */
};

struct lod_l3_container_write {
    const struct lod_l3_container *container;

    /* Returns whether a file with this head has the format. `head` has LOD_PROBE_BYTES, or all of a
     * shorter file. */
    bool (*probe)(struct lod_span head);

    /* Parses the file's header: sets `header` of *parsed and other fields that follow from it. */
    int (*head)(struct lod_span file, struct lod_l3_parsed *parsed, const char **ret_why);

    /* Sets all other fields of *parsed and writes the samples, rows without gaps. Returns -ENOMEM
     * too. */
    int (*samples)(struct lod_span file, struct lod_l3_parsed *parsed, uint8_t *samples,
                   const char **ret_why);

    /* Returns how much memory the function `samples` allocates while it runs, in bytes. Its result
     * is not counted. */
    uint64_t (*cost)(const struct lod_png_header *header);

    /*
     * Receives the bytes of each band in order, as `container` made them; with the last band it
     * completes the row. Returns false if they differ from the file.
     */
    bool (*prove)(struct lod_span file, struct lod_l3_row *r, uint32_t band, struct lod_span made);
};

/* Returns the container whose probe accepts the head, or NULL. */
const struct lod_l3_container_write *lod_l3_container_probe(struct lod_span head);

/* Defined one in each container's file. */
extern const struct lod_l3_container_write lod_l3_container_png_write;
extern const struct lod_l3_container_write lod_l3_container_pnm_write;
extern const struct lod_l3_container_write lod_l3_container_bmp_write;

#endif
