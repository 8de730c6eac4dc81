/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: files with many records or members, such as a tar, that pack reads as a folder. A row
 * of the dispatch table walks the headers of one kind of container and says where each member's
 * bytes lie. It reads no contents, and knows neither stores nor the list of sources.
 */
#ifndef LOD_CONTAINERS_H
#define LOD_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/container/container_input.h"
#include "pack/source/place.h"

#define LOD_CONTAINER_WHY_BYTES  160
#define LOD_CONTAINER_HEAD_BYTES 1024u /* first bytes of a file that are passed to `is` */

enum lod_member_kind {
    LOD_MEMBER_FILE,
    LOD_MEMBER_FOLDER,
    LOD_MEMBER_LINK,    /* another name of a file of the container */
    LOD_MEMBER_SYMLINK, /* a symbolic link */
    LOD_MEMBER_OTHER,   /* a kind of file that a store cannot have; `why` is the reason */
};

/* A member; everything is borrowed. */
struct lod_member {
    enum lod_member_kind kind;
    const char *path; /* as the container has it; not checked */
    size_t path_bytes;
    const char *target; /* LINK: the path of that file; SYMLINK: its text; not checked */
    size_t target_bytes;
    const char *why; /* OTHER; a static text */
    int64_t mtime;   /* seconds * 2^30 + nanoseconds */
    uint16_t mode;   /* 0777 */
    /* The bytes of a FILE; see place.h. */
    const uint8_t *head;
    unsigned head_bytes;
    const struct lod_run *runs;
    uint32_t runs_count;
    uint64_t sum_at, sum_bytes;
    uint32_t sum;
    bool summed;
    bool ended; /* its ending was added here, so its path can equal that of another member */
    /*
     * The class of a picture. For a file .cls: the class of the pictures with its stem. -1: none,
     * or it is stored in another way.
     */
    int32_t label;
};

/* How members are named. Each way is used only if the names of the way before are not unique. */
enum lod_member_names {
    LOD_NAMES_OF_RECORDS,  /* of what records say */
    LOD_NAMES_WITHOUT_IDS, /* numbers of records replace their ids */
    LOD_NAMES_BY_NUMBER,   /* numbers of records replace all names except those of folders */
};

/* One pass over a container. */
struct lod_container_walk {
    struct lod_container_input *input;
    const char *key; /* of the picture in an Example; NULL: the usual ones */
    enum lod_member_names names;
    int folder_fd;    /* of the container and the files beside it; -1: there is none */
    const char *path; /* of the container, below it */
    int64_t mtime;    /* of the container */

    uint64_t at;     /* byte of the next record */
    uint32_t record; /* its number */
    void *state;     /* the walker's own */

    /* Gets each member. Returns 0, or an error, which ends the walk. */
    int (*add)(void *ctx, const struct lod_member *member);
    void *ctx;

    uint64_t why_at; /* after -EILSEQ: the byte and the reason */
    char why[LOD_CONTAINER_WHY_BYTES];
};

/* A row of the dispatch table. Functions that may be NULL do nothing. */
struct lod_container {
    const char *name;              /* value of --from */
    const char *what;              /* in messages, such as "a tar" */
    const char *const *companions; /* endings of other files that may stand beside it */
    bool may_be_empty;             /* an empty file is such a container */
    bool has_ids;                  /* it heeds LOD_NAMES_WITHOUT_IDS */
    /*
     * ending of the files that this container adds beside pictures; with one, LOD_NAMES_BY_NUMBER
     * applies. NULL: none
     */
    const char *beside;
    bool has_key; /* it heeds `key` */
    size_t ahead; /* bytes of a header that are read at once */

    /* Returns whether a file begins like this container. */
    bool (*is)(const uint8_t *head, size_t bytes);
    int (*open)(struct lod_container_walk *walk);
    void (*close)(struct lod_container_walk *walk);

    /*
     * Adds the members of the record at `at`, and moves on to the next one. Returns -ENODATA at the
     * end, -EILSEQ for a malformed record, with `why`, and errors of reading.
     */
    int (*next)(struct lod_container_walk *walk);

    /* After -EILSEQ: moves to the next readable record. Returns -ENODATA if there is none. NULL:
     * the rest of the container cannot be read. */
    int (*resync)(struct lod_container_walk *walk);
};

/* The index-th row of the dispatch table; NULL past the last. */
const struct lod_container *lod_container_at(unsigned index);

/*
 * Returns the command that decompresses a file with these first bytes, such as "zcat"; NULL if it
 * is not compressed.
 */
const char *lod_container_unpacker(const uint8_t *head, size_t bytes);

/* Sets the reason for a malformed record. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_container_refuse(struct lod_container_walk *walk, uint64_t at,
                                        const char *format, ...) LOD_PRINTF(3, 4);

/* Reads a part of a header. Refuses the record, as cut, if the file ends before. */
LOD_MUST_CHECK int lod_container_take(struct lod_container_walk *walk, uint64_t offset,
                                      size_t bytes, const uint8_t **ret_at);

extern const struct lod_container lod_container_tar, lod_container_tfrecord, lod_container_recordio;

#endif
