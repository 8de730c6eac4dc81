/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The photographs of a source on which scan scripts are measured before anything is encoded. Which
 * ones is a function of the set of paths and their contents alone: not of threads, of the order of
 * a directory listing, or of the record order. Opens no files.
 *
 * Use: sort the source's regular files (each content once, no links) by lod_sample_key of the path
 * relative to the source, then by path; in this order, while lod_sample_wants says so for its size,
 * read the file whole and offer it; stop when lod_sample_full.
 */
#ifndef LOD_SAMPLE_H
#define LOD_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"

#define LOD_SAMPLE_FILES_MAX      512                  /* read from the source */
#define LOD_SAMPLE_FILE_BYTES_MAX ((uint64_t)16 << 20) /* a larger file is passed over */
#define LOD_SAMPLE_BYTES_MAX      ((uint64_t)64 << 20) /* kept in memory */

/*
 * Measuring costs as much as packing a photograph some 20 times. So 12 of a class are kept, at
 * which the mean of MSSIM is known to some .003, 32 in all, and of a class no further one once it
 * has 24 megapixels.
 */
#define LOD_SAMPLE_CLASS_MAX  12
#define LOD_SAMPLE_PHOTOS_MAX 32
#define LOD_SAMPLE_PIXELS_MAX 24000000

struct lod_sample;

/* A key in whose order files are offered. Names that look like a JPEG's come first. */
uint64_t lod_sample_key(const char *path);

LOD_MUST_CHECK int lod_sample_create(struct lod_sample **ret_sample);

/* Frees the photographs kept too. Accepts NULL, returns NULL. */
struct lod_sample *lod_sample_destroy(struct lod_sample *sample);

/* Is a file of this size worth reading? */
bool lod_sample_wants(const struct lod_sample *sample, uint64_t file_bytes);

/* Nothing further will be kept or looked at. */
bool lod_sample_full(const struct lod_sample *sample);

/*
 * Offers a file's contents. One that is kept is taken over and `file` left empty; any other stays
 * the caller's. -ENOMEM.
 */
LOD_MUST_CHECK int lod_sample_offer(struct lod_sample *sample, struct lod_buf *file);

#endif
