/* SPDX-License-Identifier: Apache-2.0 */
/* How a request to a store ended, in the few kinds that are counted apart. */
#ifndef LOD_OUTCOME_H
#define LOD_OUTCOME_H

enum lod_outcome {
    LOD_OUTCOME_OK,
    LOD_OUTCOME_IO,      /* the disk, or a file that has become shorter */
    LOD_OUTCOME_STALE,   /* a network file system has lost the file */
    LOD_OUTCOME_TIMEOUT, /* nobody answered */
    LOD_OUTCOME_OTHER,
    LOD_OUTCOMES,
};

/* `error`: 0 or a negative errno. */
enum lod_outcome lod_outcome_of(int error);

/* "ok", "eio", "estale", "etimedout", "other". */
const char *lod_outcome_name(enum lod_outcome outcome);

#endif
