/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of samples (FORMAT.md, Samples). Loaders of tar files use a file's path up to the first dot
 * of its name as the key of a sample, and the rest as the kind of the file.
 */
#ifndef LOD_SAMPLE_NAME_H
#define LOD_SAMPLE_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "backend/format.h"
#include "codec.h"

/* The forms of names in a framed file; values of SAMP rows. */
enum lod_sample_form {
    LOD_SAMPLE_NONE = 0,   /* this item leads no sample */
    LOD_SAMPLE_PLAIN = 1,  /* as in the tree: the key is the name up to its first dot */
    LOD_SAMPLE_DOTTED = 2, /* the key is the name up to its last dot; other dots become _ */
    LOD_SAMPLE_NUMBERED =
        3 /* the same with -ITEM after the key, which would not be unique otherwise */
};
#define LOD_SAMPLE_FORMS 4

/* A framed name can be longer than the path by "-4294967295" and an ending. */
#define LOD_FRAMED_NAME_MAX (LOD_PATH_MAX + 32u)

/* Return the bytes of a name before its first dot, and before its last; all bytes of a name without
 * a dot. */
size_t lod_stem_first(const char *name, size_t bytes);
size_t lod_stem_last(const char *name, size_t bytes);

/*
 * Writes the path of a file in a framed file, and returns its bytes. *ret_stem: the bytes before
 * the ending. `item` is the lead's. `kind` is the ending for a name without one.
 */
size_t lod_framed_name(enum lod_sample_form form, const char *path, size_t bytes, uint32_t item,
                       const char *kind, char into[LOD_FRAMED_NAME_MAX], size_t *ret_stem);

#endif
