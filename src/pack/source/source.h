/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all files of a source, sorted by path once the walk has ended, and safe opening of
 * its files. It takes 96 bytes a file beside its path, and some 25 more while the journal is
 * written or compared. The other memory of pack that grows with the source is the rows of items, 64
 * bytes each.
 *
 * A source may lie inside of a container, such as a tar (place.h). It has a path of its own, and is
 * read from the container.
 *
 * One file may become several items and nodes. The further ones are added to the list (`added`) as
 * sources with their own paths, made from the bytes of the file `owner`. So the later stages
 * (order, records, journal, index) deal with files and folders only.
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
#include "pack/source/place.h"

enum lod_source_role {
    LOD_SOURCE_FOLDER,
    LOD_SOURCE_SYMLINK,
    LOD_SOURCE_FILE,      /* an item of its own */
    LOD_SOURCE_EQUAL,     /* has the bytes of another file, and shares the item of `owner` */
    LOD_SOURCE_HARD_LINK, /* another name of a file, and shares the item of `owner` */
    LOD_SOURCE_LEFT_OUT,  /* not packed, for the reason `why` */
};

/* Why a picture is in no file of recordio/. */
enum lod_recordio_lack { LOD_RECORDIO_HAS, LOD_RECORDIO_WORDS, LOD_RECORDIO_LARGE };

/* There can be millions of sources, so fields that are never used together share memory. */
struct lod_source {
    const char *path; /* relative to the source, "" for the source itself */
    union {
        const char *target; /* SYMLINK; hard link of a container, while its file is looked for */
        const char
            *no_levels; /* FILE that --levels names: why it has no lower fidelities, or NULL */
    };
    const char *why; /* LEFT_OUT; FILE: why it is stored whole. A static text or NULL */
    const struct lod_encoder *encoder;    /* of files, once probed */
    const struct lod_subitems *parts;     /* FILE: its parts, see subitems.h; else NULL */
    const struct lod_member_place *place; /* its place in a container; NULL: a file of its own */
    uint64_t bytes;                       /* of files; 0 for an added one */
    uint64_t ino;
    int64_t mtime; /* seconds * 2^30 + nanoseconds */
    uint32_t dev;  /* Linux has device numbers of 32 bits */
    union {
        uint32_t sketch; /* until equal files are found: hash of a part of the contents, if the
                          * size is not unique; see probe.h */
        uint32_t item;   /* FILE: number of its item, once written */
    };
    uint32_t part; /* index into `parts`; 0: the file itself */
    uint32_t
        owner; /* EQUAL, HARD_LINK, added FILE: index in the list; walking: the parent folder */
    uint32_t names;       /* FILE: number of files that share the item, itself included */
    uint16_t mode;        /* 0777 */
    uint8_t role;         /* enum lod_source_role */
    uint8_t recordio : 2; /* FILE: enum lod_recordio_lack */
    bool folder : 1;      /* a folder, also if it is LEFT_OUT, with all that is in it */
    bool shared : 1;      /* the inode of the file may have more names in the source */
    bool special : 1; /* LEFT_OUT on purpose: a socket, fifo or device, or by a pattern of names */
    bool split : 1;   /* FOLDER: its pictures are a split, as --splits says */
    bool added : 1;   /* made by pack, not a file or folder of the source: VIRTUAL in the store */
};
_Static_assert(sizeof(struct lod_source) <= 96, "the memory of a pack is a multiple of it");

struct lod_strings; /* blocks of paths and targets */

/* All zero is an empty list. */
struct lod_source_list {
    LOD_LIST(struct lod_source);
    struct lod_strings *strings;
};

/* Appends a copy of `source`, of its path and target. Returns -ENOMEM,
 * or -E2BIG beyond 2^32 - 2. */
LOD_MUST_CHECK int lod_source_list_add(struct lod_source_list *list,
                                       const struct lod_source *source);
/* Sorts by the bytes of the path, which changes the indexes. */
void lod_source_list_sort(struct lod_source_list *list);
/*
 * Sorts a list again after new sources were added at its end. Updates `owner` of EQUAL, HARD_LINK
 * and added files. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_source_list_resort(struct lod_source_list *list);
/*
 * Returns the source at `path` in a sorted list, or NULL. Members of a container that are left out
 * may have the same path; they stand after it.
 */
struct lod_source *lod_source_list_find(const struct lod_source_list *list, const char *path);
/* Leaves out the folders of a sorted list that have nothing to pack below them, except the root.
 * Returns -ENOMEM. */
LOD_MUST_CHECK int lod_source_list_drop_folders(struct lod_source_list *list);
/* Copies bytes that live as long as the list, aligned for any type. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_source_list_keep(struct lod_source_list *list, const void *data,
                                        size_t bytes, const void **ret_copy);
void lod_source_list_finish(struct lod_source_list *list);

/*
 * Returns the FILE whose item an EQUAL file or HARD_LINK shares; for other sources, the source
 * itself.
 */
const struct lod_source *lod_source_owner(const struct lod_source_list *list,
                                          const struct lod_source *source);

/* Copies mode, size, times and identity from `st`. An inode of 0: it is not known, since another
 * machine has found the source; its size and time decide whether it is the same file. */
void lod_source_set_stat(struct lod_source *source, const struct stat *st);

/*
 * Opens `path` below `root_fd`. Without `follow` it returns -ELOOP if any component of the path is
 * a symbolic link, even one made since the walk.
 */
LOD_MUST_CHECK int lod_source_open_path(int root_fd, const char *path, int flags, bool follow,
                                        int *ret_fd);

/*
 * Opens the file. Returns -ESTALE if it has changed since the walk, or was replaced by another one.
 */
LOD_MUST_CHECK int lod_source_open(int root_fd, const struct lod_source *source, bool follow,
                                   int *ret_fd);

/* Returns -ESTALE if the file is gone, or its attributes differ from the source's. Does not read
 * its bytes. */
LOD_MUST_CHECK int lod_source_unchanged(int root_fd, const struct lod_source *source, bool follow);

/* Reads all of [offset, offset + bytes) of the source. Returns -ESTALE if the file has become
 * shorter. */
LOD_MUST_CHECK int lod_source_pread(int fd, const struct lod_source *source, void *into,
                                    size_t bytes, uint64_t offset);

/* Call it after the last read: returns -ESTALE if the file has changed since the walk. */
LOD_MUST_CHECK int lod_source_check(int fd, const struct lod_source *source);

/* The same for a source whose bytes go into the store: -EBADMSG if its container has another
 * checksum for them. */
LOD_MUST_CHECK int lod_source_check_sum(int fd, const struct lod_source *source);

/* Reads the whole file into `into`, replacing its contents. Checks the file before and after, and
 * the sum. */
LOD_MUST_CHECK int lod_source_read(int root_fd, const struct lod_source *source, bool follow,
                                   struct lod_buf *into);

/* Returns the target of a symbolic link, or NULL for others. */
static inline const char *lod_source_target(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_SYMLINK ? source->target : NULL;
}

static inline bool lod_source_is_file(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE || source->role == LOD_SOURCE_EQUAL ||
           source->role == LOD_SOURCE_HARD_LINK;
}

#endif
