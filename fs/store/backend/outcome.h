/* SPDX-License-Identifier: Apache-2.0 */
/* The outcomes of a request to a store that are counted separately. */
#ifndef LOD_OUTCOME_H
#define LOD_OUTCOME_H

enum lod_outcome {
    LOD_OUTCOME_OK,
    LOD_OUTCOME_IO,      /* the disk failed, or the file is shorter than before */
    LOD_OUTCOME_STALE,   /* a network file system lost the file */
    LOD_OUTCOME_TIMEOUT, /* the storage did not answer */
    LOD_OUTCOME_ACCESS,  /* a server refuses the keys */
    LOD_OUTCOME_BUSY,    /* a server wants fewer requests */
    LOD_OUTCOME_OTHER,
    LOD_OUTCOMES,
};

/* `error`: 0 or a negative errno. */
enum lod_outcome lod_outcome_of(int error);

/* Returns "ok", "eio", "estale", "etimedout", "eacces", "ebusy" or "other". */
const char *lod_outcome_name(enum lod_outcome outcome);

#endif
