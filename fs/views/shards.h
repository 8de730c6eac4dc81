/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a framing below MOUNT/FRAMING/FIDELITY: names, numbers and exact sizes, from rows of
 * SUMS alone. A file holds the samples that one record has of one split, and is called
 * SPLIT-NNNNNN.tar, say, numbered from 0 without gaps. It opens no record; fs/shard reads them.
 */
#ifndef LOD_SHARDS_H
#define LOD_SHARDS_H

#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "framing/framing.h"

/* All but `fidelity` and `framing` follow from the row. */
struct lod_shard {
    const struct lod_framing *framing;
    enum lod_fidelity fidelity;
    uint32_t row;          /* of SUMS: its number */
    uint32_t record;       /* that has the samples */
    uint32_t split;        /* node of the split's folder */
    uint32_t leads;        /* samples */
    bool lines;            /* it is the second file, that of lines */
    uint64_t bytes;        /* of the file */
    uint64_t sample_bytes; /* of all samples */
};

/* A row of SUMS has a file, and in some framings a second one, of lines. */
struct lod_shard_file {
    uint32_t row;
    bool lines;
};

/* -ENOENT: no such file. -EIO: the index is damaged, which was logged. */
LOD_MUST_CHECK int lod_shard_find(struct lod_dataset *dataset, const struct lod_framing *framing,
                                  enum lod_fidelity fidelity, struct lod_shard_file file,
                                  struct lod_shard *ret_shard);

/* The name of a file, and the file of a name. Errors as above. */
LOD_MUST_CHECK int lod_shard_name(struct lod_dataset *dataset, const struct lod_framing *framing,
                                  struct lod_shard_file file, char name[LOD_NAME_MAX + 1]);
LOD_MUST_CHECK int lod_shard_lookup(struct lod_dataset *dataset, const struct lod_framing *framing,
                                    const char *name, struct lod_shard_file *ret_file);

/* Returns the count of positions in a listing. Some of them are no file. */
uint64_t lod_shard_positions(struct lod_dataset *dataset, const struct lod_framing *framing);

/* Returns the file of a position. Positions of a split are in order of names. */
struct lod_shard_file lod_shard_at(const struct lod_framing *framing, uint64_t position);

#endif
