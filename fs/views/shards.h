/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a framing below MOUNT/FRAMING/FIDELITY: names, numbers and exact sizes, all from
 * rows of SUMS. It opens no record; fs/shard reads them.
 *
 * A file has a stretch of the samples of its split, in storage order:
 *
 * - those of one record, as SPLIT-NNNNNN.tar, numbered from 0 without gaps;
 * - all of them, as SPLIT.rec;
 * - in a part of the store, those that the split has in the part, as SPLIT.tar or SPLIT.rec. Only
 *   fs/shard knows their borders and bytes, since the borders are inside of records.
 */
#ifndef LOD_SHARDS_H
#define LOD_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "framing/framing.h"
#include "sample/part.h"

/* Bytes and leads are counted from the first sample of the split. */
struct lod_shard {
    const struct lod_framing *framing;
    enum lod_fidelity fidelity;
    enum lod_framed_kind kind;
    uint32_t split;               /* node of the split's folder */
    uint32_t first_row, end_row;  /* the rows of SUMS with its samples, without end_row */
    uint32_t first_lead, leads;   /* samples */
    uint32_t path_room;           /* bytes of the longest path of a lead of the split */
    uint32_t class_bytes;         /* of the list of its classes */
    bool all;                     /* the framing takes all samples of the split */
    uint64_t start, sample_bytes; /* where its samples begin, and their bytes */
    uint64_t bytes;               /* of the file; in a part: see lod_shard_bytes */
    struct lod_store_part part;   /* with a count, the fields above are those of the whole split */
};

/* Names a framed file by a row of SUMS: its only row, or, if it has a whole split, the closing row
 * of that split. */
struct lod_shard_file {
    uint32_t row;
    enum lod_framed_kind kind;
    struct lod_store_part part; /* count 0: of the whole store */
};

/* The samples that one record has of a split; positions as in struct lod_shard. */
struct lod_shard_part {
    const struct lod_framing *framing;
    enum lod_fidelity fidelity;
    uint32_t row;    /* of SUMS */
    uint32_t record; /* that has the samples */
    uint32_t split;
    uint32_t first_lead, leads;
    uint64_t start, bytes;
    bool all; /* the framing takes all of these samples */
};

/* -ENOENT: no such file. -EIO: the index is damaged, which was logged. */
LOD_MUST_CHECK int lod_shard_find(struct lod_dataset *dataset, const struct lod_framing *framing,
                                  enum lod_fidelity fidelity, struct lod_shard_file file,
                                  struct lod_shard *ret_shard);

/* Finds the part with byte or lead `at` of the split; `at` is inside the shard. Binary search. -EIO
 * as above. */
enum lod_shard_by { LOD_SHARD_BYTE, LOD_SHARD_LEAD };
LOD_MUST_CHECK int lod_shard_part_at(struct lod_dataset *dataset, const struct lod_shard *shard,
                                     enum lod_shard_by by, uint64_t at,
                                     struct lod_shard_part *ret_part);

/* Returns the rows [*ret_first, *ret_closing) of a split, and its closing row. -ENOENT: none. */
LOD_MUST_CHECK int lod_shard_rows_of(struct lod_dataset *dataset, uint32_t split,
                                     uint32_t *ret_first, uint32_t *ret_closing);

/* Reads a row of SUMS. Failures are logged: -EIO. */
LOD_MUST_CHECK int lod_shard_sums(struct lod_dataset *dataset, uint32_t row,
                                  struct lod_sums_row *ret_sums);

/* The name of a file, and the file of a name. Errors as above. */
LOD_MUST_CHECK int lod_shard_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                                  struct lod_shard_file file, char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_shard_lookup(struct lod_dataset *dataset, const struct lod_framing *framing,
                                    struct lod_store_part part, const char *name,
                                    struct lod_shard_file *ret_file);

/* Returns whether a file has all samples that its split has in the part. */
static inline bool lod_shard_is_whole(const struct lod_framing *framing, struct lod_shard_file file)
{
    return framing->whole || file.part.count || file.kind == LOD_FRAMED_CLASSES;
}

/* Returns the count of positions in a listing. Some of them are no file. */
uint64_t lod_shard_positions(struct lod_dataset *dataset, const struct lod_framing *framing);

/* Returns the file of a position. Positions of a split are in order of names. */
struct lod_shard_file lod_shard_at(const struct lod_framing *framing, uint64_t position);

#endif
