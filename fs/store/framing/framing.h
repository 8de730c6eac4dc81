/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Framings: how the samples of a record become one file for a loader, such as a tar. A sample is a
 * picture with the files and the label that belong to it. Sizes, offsets and bytes of such files
 * all come from one row of the dispatch table, so they cannot disagree.
 *
 * A framing sees names, sizes and times. It reads no file, knows no store, and is pure.
 */
#ifndef LOD_FRAMING_H
#define LOD_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backend/format.h"
#include "codec.h"

#define LOD_FRAMED_FILES_MAX 33u /* the lead and 32 members */
#define LOD_FRAMED_BYTES_MAX                                                                       \
    ((2ull << 30) - 65536) /* a file of this size or more is in no framing */
#define LOD_NO_LABEL (-1)

/* A file of a sample. */
struct lod_framed_file {
    const char *name; /* its path in the framed file; not terminated */
    size_t name_bytes;
    const char *path; /* in the tree */
    size_t path_bytes;
    uint32_t item;
    uint64_t bytes;        /* at the fidelity of the framed file */
    int64_t mtime;         /* seconds * 2^30 + nanoseconds */
    uint16_t mode;         /* 0777 */
    bool plain;            /* it has the same bytes at every fidelity */
    const uint32_t *words; /* offsets of RecordIO's magic word at this fidelity, divided by 4 */
    uint32_t words_count;
    uint32_t words_most; /* the largest count at any fidelity; UINT32_MAX: too many to be stored */
};

struct lod_framed_sample {
    struct lod_framed_file file[LOD_FRAMED_FILES_MAX]; /* by name */
    unsigned count;
    unsigned lead;          /* the picture among them */
    size_t stem_bytes;      /* of the lead's name, up to its last dot */
    uint64_t id;            /* samples of the split before it, that the framing takes */
    int32_t label;          /* LOD_NO_LABEL: none */
    const char *class_name; /* the folder of the label, in the lead's path; not terminated */
    size_t class_bytes;
    const char *kind;       /* of the lead, ".jpg" say, by its contents; NULL: not known */
    uint32_t width, height; /* of the lead; 0: not known */
};

/*
 * A part of a sample's bytes: `head_bytes` that the framing writes, bytes of a file, and
 * `tail_bytes` that the framing writes.
 */
#define LOD_STRETCHES_MAX 8194u /* two files, each with 4,096 words that are left out */
#define LOD_HEAD_BYTES    8192u
#define LOD_TAIL_BYTES    512u
struct lod_stretch {
    unsigned head_bytes, tail_bytes;         /* at most LOD_HEAD_BYTES, LOD_TAIL_BYTES */
    const struct lod_framed_file *file;      /* NULL: the head is all of it */
    uint64_t from, bytes;                    /* of the file; all of it if summed */
    const struct lod_framed_file *sum_first; /* summed: this file stands before the sum; or NULL */
    bool summed; /* the tail needs the CRC-32C of the head from `sum_from` on, and of the file */
    unsigned sum_from;
};

/* The files of a name: the samples, and files beside them that have a line for each sample. */
enum lod_framed_kind {
    LOD_FRAMED_DATA = 0,
    LOD_FRAMED_INDEX = 1,   /* where each sample lies in the first */
    LOD_FRAMED_LIST = 2,    /* their labels and paths */
    LOD_FRAMED_CLASSES = 3, /* the names of the classes of a split, one a line; in all framings */
    LOD_FRAMED_KINDS = 4,
};

/* The facts of a sample that a line of a list may state. */
struct lod_framed_line {
    uint64_t id;            /* samples of the split before it */
    uint64_t offset, bytes; /* in the file of samples */
    int32_t label;
    const char *path; /* of the lead, in the tree; not terminated */
    size_t path_bytes;
    uint32_t path_room; /* bytes of the longest path of the split */
};

/* All lines of a file have one length. */
#define LOD_LINE_BYTES (64u + LOD_PATH_MAX) /* the longest */
struct lod_framed_lines {
    const char *ending;
    unsigned bytes; /* of a line, at most 64; path_room more if it has the path */
    bool has_path;
    void (*write)(const struct lod_framed_line *line, char *into);
};

struct lod_framing {
    const char *folder; /* MOUNT/folder/FIDELITY */
    const char *ending; /* of its files */
    enum lod_format format;
    bool whole;   /* a framed file has all samples of a split; otherwise only those of one record */
    bool escapes; /* the magic word inside a file of a sample is replaced by other bytes */
    unsigned trailer_bytes; /* zeros behind the last sample of a file */

    /*
     * Returns whether the framing can represent the sample at this fidelity. A sample for which it
     * returns false at any fidelity is left out of all files. NULL: every sample is taken.
     */
    bool (*takes)(const struct lod_framed_sample *sample);
    const char *refuses; /* for users: the samples that are left out; NULL if `takes` is */

    /* Returns how many stretches the sample has: at most LOD_STRETCHES_MAX. */
    unsigned (*stretches)(const struct lod_framed_sample *sample);

    /* Returns a stretch. Writes its head_bytes into `head`, which may be NULL. */
    void (*stretch)(const struct lod_framed_sample *sample, unsigned number,
                    struct lod_stretch *ret, uint8_t *head);

    /* Writes the tail of a stretch; `stretch` has returned its size. */
    void (*tail)(const struct lod_framed_sample *sample, unsigned number, uint32_t crc,
                 uint8_t *into);

    const struct lod_framed_lines *lines[LOD_FRAMED_KINDS]; /* NULL: there is no such file */
};

/* The index-th row of the dispatch table; NULL past the last, which is LOD_FRAMINGS. */
#define LOD_FRAMINGS 3u
const struct lod_framing *lod_framing_at(unsigned index);

/* The row of a format and its index; NULL: the format has no framing. */
const struct lod_framing *lod_framing_of(enum lod_format format, unsigned *ret_index);

/* Returns the bytes of a stretch, and of all stretches of a sample. */
static inline uint64_t lod_stretch_bytes(const struct lod_stretch *stretch)
{
    return stretch->head_bytes + stretch->bytes + stretch->tail_bytes;
}
uint64_t lod_framing_bytes(const struct lod_framing *framing,
                           const struct lod_framed_sample *sample);

/* Returns the member of the sample with this ending behind the lead's stem, if it is a raw file;
 * else NULL. */
static inline const struct lod_framed_file *
lod_framed_member(const struct lod_framed_sample *sample, const char *ending)
{
    const size_t bytes = strlen(ending);

    for (unsigned i = 0; i < sample->count; i++) {
        const struct lod_framed_file *file = &sample->file[i];
        if (i != sample->lead && file->plain && file->name_bytes == sample->stem_bytes + bytes &&
            memcmp(file->name + sample->stem_bytes, ending, bytes) == 0) {
            return file;
        }
    }
    return NULL;
}

/* Returns the ending of files of a kind; NULL: the framing has none. */
const char *lod_framed_ending(const struct lod_framing *framing, enum lod_framed_kind kind);

/* Returns the bytes of each line. */
static inline uint64_t lod_line_bytes(const struct lod_framed_lines *lines, uint32_t path_room)
{
    return lines->bytes + (lines->has_path ? path_room : 0);
}

extern const struct lod_framing lod_framing_tar, lod_framing_recordio, lod_framing_tfrecord;

#endif
