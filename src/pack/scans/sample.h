/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photographs of a source on which scan scripts are measured before any file is encoded. The
 * choice depends only on the set of paths and their contents: not on threads, on the order of a
 * directory listing, or on the record order. Opens no files.
 *
 * Use:
 * 1. Sort the source's regular files (each content once, no links) by lod_sample_key of the path
 *    relative to the source, then by path.
 * 2. In this order, read each file for whose size lod_sample_wants returns true, and offer it.
 * 3. Stop when lod_sample_full returns true.
 *
 * A photograph is kept for one or both of two purposes. From the *drawn* ones the MSSIM of the
 * whole store is estimated: the first ones in the order, as many as the time allows. On those for
 * *choosing* all scripts are compared: the first of each quantisation class.
 */
#ifndef LOD_SAMPLE_H
#define LOD_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"

#define LOD_SAMPLE_FILES_MAX      512                  /* read from the source */
#define LOD_SAMPLE_FILE_BYTES_MAX ((uint64_t)16 << 20) /* a larger file is skipped */
#define LOD_SAMPLE_BYTES_MAX      ((uint64_t)64 << 20) /* kept in memory */

/* Limits for choosing: of each class, and of all classes together. */
#define LOD_SAMPLE_CLASS_MAX  12
#define LOD_SAMPLE_CHOICE_MAX 32

/* With fewer photographs the mean of all classes together is the better estimate for a class. */
#define LOD_SAMPLE_CLASS_MIN 3

/* Limits of the time for measuring, which sample.c estimates without a clock. */
struct lod_sample_limits {
    uint64_t jpeg_bytes; /* of the source; the time of packing is estimated from them */
    unsigned scripts;    /* that are compared */
    unsigned fidelities; /* of each */
};

struct lod_sample;

/* Returns the key by which files are sorted before they are offered. Names of JPEGs come first. */
uint64_t lod_sample_key(const char *path);

LOD_MUST_CHECK int lod_sample_create(const struct lod_sample_limits *limits,
                                     struct lod_sample **ret_sample);

/* Frees the photographs kept too. Accepts NULL, returns NULL. */
struct lod_sample *lod_sample_destroy(struct lod_sample *sample);

/* Returns whether a file of this size should be read. */
bool lod_sample_wants(const struct lod_sample *sample, uint64_t file_bytes);

/* Returns whether no further file will be kept or examined. */
bool lod_sample_full(const struct lod_sample *sample);

/*
 * Offers a file's contents. If the file is kept, takes ownership and leaves `file` empty; else it
 * stays the caller's. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_sample_offer(struct lod_sample *sample, struct lod_buf *file);

#endif
