/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source as pack knows it: one flat list of what was found, sorted by path once the walk has
 * ended, and safe opening of its files. About 136 bytes a file beside its path: the part of pack's
 * memory that grows with the source (10 million files: 1.4 GB), with some 25 more while the journal
 * is written or compared.
 *
 * One file may become several items and nodes: the further ones are sources of their own that pack
 * has added (`added`), with paths of their own, made of the bytes of the file `owner`. So what
 * comes after the list (order, records, journal, index) sees files and folders, and nothing else.
 */
#ifndef LOD_SOURCE_H
#define LOD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "compiler.h"
#include "encoder.h"
#include "list.h"

enum lod_source_role {
    LOD_SOURCE_FOLDER,
    LOD_SOURCE_SYMLINK,
    LOD_SOURCE_FILE,      /* an item of its own */
    LOD_SOURCE_EQUAL,     /* the bytes of another file: shares the item of `owner` */
    LOD_SOURCE_HARD_LINK, /* another name of one file: shares the item of `owner` */
    LOD_SOURCE_LEFT_OUT,  /* not packed, `why` says why */
};

struct lod_source {
    const char *path;   /* relative to the source, "" for the source itself */
    const char *target; /* SYMLINK */
    const char *why;    /* LEFT_OUT; FILE: why it is stored whole. A static text or NULL */
    const struct lod_encoder *encoder; /* files, once probed */
    const struct lod_parts *parts;     /* FILE: what it is part of, see parts.h; else NULL */
    uint64_t bytes;                    /* files; 0 for an added one that is made of another's */
    uint64_t dev, ino;
    int64_t mtime;   /* seconds * 2^30 + nanoseconds */
    uint64_t sketch; /* of the contents, where the size is not unique: see equal.h */
    uint32_t part;   /* which of `parts`; 0: the file itself */
    uint32_t
        owner;     /* EQUAL, HARD_LINK, added FILE: index in the list; walking: the parent folder */
    uint32_t item; /* FILE: number of its item, once written */
    uint32_t names; /* FILE: files that share the item, this one included */
    uint16_t mode;  /* 0777 */
    uint8_t role;   /* enum lod_source_role */
    bool shared;    /* files: the inode may have further names in the source */
    bool special;   /* LEFT_OUT: a socket, fifo or device, which no store holds */
    bool added;     /* no file or folder of the source: VIRTUAL in the store */
};

struct lod_strings; /* blocks of paths and targets */

/* All zero is an empty list. */
struct lod_source_list {
    LOD_LIST(struct lod_source);
    struct lod_strings *strings;
};

/* Appends a copy of `source`, its path and target copied too. -ENOMEM, -E2BIG past 2^32 - 2. */
LOD_MUST_CHECK int lod_source_list_add(struct lod_source_list *list,
                                       const struct lod_source *source);
/* Sorts by path, by bytes; indexes kept from before are void. */
void lod_source_list_sort(struct lod_source_list *list);
/*
 * Sorts a list that was sorted before and got new sources at its end; `owner` of EQUAL, HARD_LINK
 * and added files is kept right. -ENOMEM.
 */
LOD_MUST_CHECK int lod_source_list_resort(struct lod_source_list *list);
/* The source at `path` in a sorted list; NULL: none. */
struct lod_source *lod_source_list_find(const struct lod_source_list *list, const char *path);
void lod_source_list_finish(struct lod_source_list *list);

/* Follows EQUAL and HARD_LINK to the FILE whose item it is; another source is its own. */
const struct lod_source *lod_source_owner(const struct lod_source_list *list,
                                          const struct lod_source *source);

/* Takes mode, size, times and identity from `st`. */
void lod_source_set_stat(struct lod_source *source, const struct stat *st);

/*
 * Opens `path` below `root_fd`. Without `follow` no symbolic link is crossed anywhere in the path,
 * though one should have been put there since the walk: -ELOOP.
 */
LOD_MUST_CHECK int lod_source_open_path(int root_fd, const char *path, int flags, bool follow,
                                        int *ret_fd);

/*
 * Opens the file and makes sure it is the one the walk saw: -ESTALE if it is another or has
 * changed since.
 */
LOD_MUST_CHECK int lod_source_open(int root_fd, const struct lod_source *source, bool follow,
                                   int *ret_fd);

/* All of [offset, offset + bytes); -ESTALE if the file has become shorter. */
LOD_MUST_CHECK int lod_source_pread(int fd, void *into, size_t bytes, uint64_t offset);

/* After the last read: -ESTALE if the file has changed since the walk. */
LOD_MUST_CHECK int lod_source_check(int fd, const struct lod_source *source);

/* The whole file into `into` (replaced), checked before and after. */
LOD_MUST_CHECK int lod_source_read(int root_fd, const struct lod_source *source, bool follow,
                                   struct lod_buf *into);

static inline bool lod_source_is_file(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE || source->role == LOD_SOURCE_EQUAL ||
           source->role == LOD_SOURCE_HARD_LINK;
}

#endif
