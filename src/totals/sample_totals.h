/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of a store as its framed files have them: splits, classes, and the files that no
 * framed file has, with the reason. `lodfs info` prints them. It reads only the index.
 */
#ifndef LOD_SAMPLE_TOTALS_H
#define LOD_SAMPLE_TOTALS_H

#include <stdint.h>
#include <stdio.h>

#include "compiler.h"
#include "framing/framing.h"
#include "index/index.h"
#include "json.h"
#include "list.h"

/* Reasons for which a file is in no framed file. */
enum lod_left_out {
    LOD_LEFT_ALONE, /* it belongs to no picture */
    LOD_LEFT_EQUAL, /* a further name of a file, or of equal bytes */
    LOD_LEFT_LARGE, /* a picture of about 2 GiB or more */
    LOD_LEFT_SPLIT, /* a picture outside of the folders of --splits */
    LOD_LEFT_OUTS,
};

struct lod_split_total {
    char name[LOD_NAME_MAX + 1];
    uint64_t samples, classes; /* no classes if labels do not follow from folders */
};

struct lod_left_file {
    uint32_t node;
    enum lod_left_out why;
};

/* All zero is empty. */
struct lod_sample_totals {
    LOD_LIST(struct lod_split_total) splits;
    uint64_t samples, members, unlabelled;
    uint64_t own_labels; /* samples with labels of pack --labels */
    uint64_t left_out[LOD_LEFT_OUTS];
    uint64_t refused[LOD_FRAMINGS];       /* samples that the framing leaves out */
    LOD_LIST(struct lod_left_file) files; /* files that are left out, if they are wanted */
};

/*
 * With `files`, also lists each file that is left out. Returns -ENOMEM, or an error of reading the
 * index. The caller calls finish, also after an error.
 */
LOD_MUST_CHECK int lod_sample_totals_find(struct lod_index *index, bool files,
                                          struct lod_sample_totals *totals);
void lod_sample_totals_finish(struct lod_sample_totals *totals);

/* Print the totals and the files that were listed: as a table, or as the member `samples` of a JSON
 * document. */
LOD_MUST_CHECK int lod_sample_totals_print(const struct lod_sample_totals *totals,
                                           struct lod_index *index, FILE *out);
LOD_MUST_CHECK int lod_sample_totals_json(const struct lod_sample_totals *totals,
                                          struct lod_index *index, struct lod_json *json);

#endif
