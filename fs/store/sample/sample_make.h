/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composes a sample from its files, as the framings need it: framed names, and sizes at a fidelity.
 * It knows no store.
 */
#ifndef LOD_SAMPLE_MAKE_H
#define LOD_SAMPLE_MAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "framing/framing.h"
#include "sample/magic_list.h"
#include "sample/sample_name.h"
#include "sample/sample_tree.h"

#define LOD_DIRECTORY_WORDS_MAX                                                                    \
    (1u << 18) /* limit of magic words in all samples that one record has of one split */

/* About 370 KiB: too large for a stack. */
struct lod_sample_maker {
    struct lod_framed_sample sample;
    enum lod_sample_form form;
    uint32_t lead_item;
    size_t split_bytes;
    const struct lod_codec *codec[LOD_FRAMED_FILES_MAX];
    uint8_t row[LOD_FRAMED_FILES_MAX][LOD_ROW_BYTES];
    struct lod_magic magics[2 * LOD_MAGICS_MAX]; /* of the lead and of its labels */
    uint32_t magics_first[LOD_FRAMED_FILES_MAX + 1];
    uint32_t words[2 * LOD_MAGICS_MAX]; /* at the fidelity that was set */
    size_t text_bytes;
    char text[LOD_FRAMED_FILES_MAX * 2 * LOD_FRAMED_NAME_MAX]; /* paths and names */
};

/* A file to be added, with its path in the tree. */
struct lod_sample_part {
    const char *path; /* not NUL-terminated */
    size_t path_bytes;
    uint32_t item;
    bool lead; /* other files may share its item: hard links, or files with equal bytes */
    uint16_t mode;
    int64_t mtime;
    const struct lod_codec *codec;
    const uint8_t *row;
    struct lod_magics magics;
};

/* `split_bytes`: the bytes of a path before the name of the class. */
void lod_sample_begin(struct lod_sample_maker *maker, enum lod_sample_form form, uint32_t lead_item,
                      int32_t label, size_t split_bytes);

/* Adds a file, in order of names. Returns -E2BIG if there is no room, which a sound index never
 * causes. */
LOD_MUST_CHECK int lod_sample_add(struct lod_sample_maker *maker,
                                  const struct lod_sample_part *part);

/* Adds those of the nodes first .. end - 1 that are members of the group led by the file `lead`. */
LOD_MUST_CHECK int lod_sample_add_members(struct lod_sample_maker *maker,
                                          const struct lod_sample_tree *tree, const char *lead,
                                          size_t lead_bytes, uint32_t first, uint32_t end);

/* Sets the sizes of all files to those at `fidelity`. Returns -EILSEQ for a malformed row. */
LOD_MUST_CHECK int lod_sample_set_fidelity(struct lod_sample_maker *maker,
                                           enum lod_fidelity fidelity);

/*
 * Returns in *ret_takes whether the framing takes the sample at every fidelity. *words counts the
 * magic words of samples that were taken, of which a directory has a limit. Sets another fidelity.
 * -EILSEQ as above.
 */
LOD_MUST_CHECK int lod_sample_takes(struct lod_sample_maker *maker,
                                    const struct lod_framing *framing, uint32_t *words,
                                    bool *ret_takes);

/* Returns whether the item's file is small enough for all framings, at every fidelity. */
bool lod_sample_fits(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES]);

#endif
