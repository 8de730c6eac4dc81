/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE table of containers, writing: how a source file becomes samples and the bytes around them.
 * One const struct a container, one line in container_write.c. What cannot be carried over is
 * refused: -ENOTSUP with *ret_why, a static text. Pure and thread-safe. container.h is the reverse.
 */
#ifndef LOD_CONTAINER_WRITE_H
#define LOD_CONTAINER_WRITE_H

#include "bytes.h"
#include "compiler.h"
#include "l3/container.h"

/* A source taken apart; spans are borrowed from it. */
struct lod_l3_taken {
    struct lod_png_header header;
    struct lod_span before, after; /* group 8, in two runs */
    struct lod_l3_row own;         /* the fields of a row that are the container's */
};

struct lod_l3_container_write {
    const struct lod_l3_container *container;

    /* Is this the head of such a file? LOD_PROBE_BYTES of it, or less of a smaller one. */
    bool (*probe)(struct lod_span head);

    /* The image, from the file's header alone: `header` of *taken, and what else it tells. */
    int (*head)(struct lod_span file, struct lod_l3_taken *taken, const char **ret_why);

    /* All else of *taken, and the samples, rows without gaps. -ENOMEM. */
    int (*samples)(struct lod_span file, struct lod_l3_taken *taken, uint8_t *samples,
                   const char **ret_why);

    /* Memory that `samples` takes beside the samples. */
    uint64_t (*cost)(const struct lod_png_header *header);

    /*
     * Is handed the bytes of every band in order, as `container` has made them; the last time the
     * row becomes whole. False: they are not what the file has.
     */
    bool (*prove)(struct lod_span file, struct lod_l3_row *r, uint32_t band, struct lod_span made);
};

/* The container whose probe takes a head; NULL: none. */
const struct lod_l3_container_write *lod_l3_container_probe(struct lod_span head);

/* One extern a container; see container_write.c for the table. */
extern const struct lod_l3_container_write lod_l3_container_png_write;
extern const struct lod_l3_container_write lod_l3_container_pnm_write;
extern const struct lod_l3_container_write lod_l3_container_bmp_write;

#endif
