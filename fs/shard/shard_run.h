/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading framed files by runs. The samples of a file are neighbours in their record, so the frames
 * of several samples are fetched with few requests, for this read and the next ones. It only saves
 * time: the request's own reads find the frames in memory, and check them.
 */
#ifndef LOD_SHARD_RUN_H
#define LOD_SHARD_RUN_H

#include <stdatomic.h>
#include <stdint.h>

#include "memory/blob.h"
#include "read/reader.h"
#include "views/shards.h"

/* The files that were read lately. A race causes one run more or less. All zero at first. */
#define LOD_STREAMS 16u
struct lod_shard_stream {
    atomic_uint_fast64_t file;  /* a hash of its name; 0: none */
    atomic_uint_fast64_t end;   /* of its latest request */
    atomic_uint_fast64_t asked; /* number of that request */
};
struct lod_shard_streams {
    atomic_uint_fast64_t requests;
    struct lod_shard_stream at[LOD_STREAMS]; /* the place of a file is its hash modulo this */
};

/* Records a request for [offset, offset + bytes). Returns how many bytes after it to read ahead. */
uint64_t lod_shard_streams_note(struct lod_shard_streams *streams, const struct lod_shard *shard,
                                uint64_t offset, uint64_t bytes);

/* The samples of a directory that one request goes through. */
struct lod_shard_run {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    enum lod_fidelity fidelity;
    const struct lod_blob *directory;
    uint64_t last; /* number of the last sample to fetch */
    uint64_t end;  /* a run was made for all samples before this number; 0 at first */
};

/* Begins the runs of a request that wants the samples of the directory up to its byte `to`, which
 * is not 0 and may be past the end. */
struct lod_shard_run lod_shard_run_begin(struct lod_dataset *dataset, struct lod_reader *reader,
                                         enum lod_fidelity fidelity,
                                         const struct lod_blob *directory, uint64_t to);

/* Fetches the frames of sample `number`, which is going to be read, and of those after it. */
void lod_shard_run(struct lod_shard_run *run, uint64_t number,
                   const struct lod_framed_sample *sample);

#endif
