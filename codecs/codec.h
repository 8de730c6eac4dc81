/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a decoder: how the items of a record become files again. One const struct for
 * each codec, one line in the dispatch table of codec.c. A codec sees the 64 bytes of its ITEM row
 * (FORMAT.md, ITEM) and bytes that the caller passes; it knows no files, no names and no store. All
 * functions are pure and thread-safe.
 */
#ifndef LOD_CODEC_H
#define LOD_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "plan.h"

#define LOD_ROW_BYTES  64
#define LOD_GROUPS_MAX 12

/* Bits of byte 0 of every ITEM row. A codec refuses those that it does not know. */
#define LOD_ITEM_WHOLE       0x01u /* not transcoded: every fidelity shows the file, in group 12 */
#define LOD_ITEM_NO_ORIGINAL 0x02u /* the store cannot return the source's exact bytes */
#define LOD_ITEM_NO_DECODED  0x04u
#define LOD_ITEM_HAS_MAGIC   0x08u /* files of recordio/ have more bytes: see FORMAT.md */
#define LOD_ITEM_SHARD       0x10u
#define LOD_ITEM_KEPT        0x20u /* group 12 holds the source file, beside the others */
#define LOD_ITEM_ORIENT      0x40u /* the head has a 36-byte EXIF segment: orientation */
#define LOD_ITEM_HAS_LABEL   0x80u /* its path entry has a label */

/* Values of the fidelity field of an inode number; q1 .. q10 are 1 .. 10. */
enum lod_fidelity {
    LOD_Q1 = 1,
    LOD_Q10 = 10,
    LOD_FULL = 11,
    LOD_ORIGINAL = 12,
    LOD_AUTO = 15, /* the symbolic link `auto`; no fidelity, so it has no name here */
};

/* The kinds of file that an item is shown as; values of the format field of an inode number. */
enum lod_format {
    LOD_FORMAT_TREE = 0,    /* the source's own kind of file */
    LOD_FORMAT_DECODED = 1, /* its pixels: .ppm, .pgm, .npy */
    LOD_FORMAT_TAR = 2,
    LOD_FORMAT_RECORDIO = 3,
    LOD_FORMAT_TFRECORD = 4,
    LOD_FORMAT_NATIVE = 5, /* the item as stored, for programs that decode it themselves */
    LOD_FORMATS = 6,
};

/* Codec ids of RECD. */
enum lod_codec_id {
    LOD_CODEC_TREE = 0,
    LOD_CODEC_PCR = 1,
    LOD_CODEC_L3 = 2,
    LOD_CODEC_TOC = 3,
    LOD_CODEC_RAW = 4,
    LOD_CODECS = 5,
};

/*
 * An input that a codec needs before it can make bytes. It is one of three kinds:
 *
 * - OWN: a file of the item itself, of stored and constant pieces only.
 * - A segment of an earlier slot of the same record, whole.
 * - AHEAD: a segment of one of the next items by number, in this record or a later one of the
 *   codec.
 */
#define LOD_INPUTS_MAX      4
#define LOD_INPUT_OTHER_MAX ((uint64_t)64 << 20) /* limit of another item's segment */
#define LOD_SLOT_OWN        UINT32_MAX
#define LOD_SLOT_AHEAD      (UINT32_MAX - 1)
struct lod_input {
    uint32_t slot;              /* LOD_SLOT_OWN, LOD_SLOT_AHEAD, or an earlier slot of the record */
    uint32_t ahead;             /* AHEAD: 1 is the next item */
    unsigned group;             /* of an earlier slot, or AHEAD: 1 .. 12 */
    struct lod_plan plan;       /* OWN: a file of the item, without MADE pieces */
    struct lod_span data;       /* filled in by the caller: the bytes that it has read */
    uint8_t row[LOD_ROW_BYTES]; /* AHEAD: the row of that item, set together with `data` */
};

struct lod_inputs {
    unsigned count;
    struct lod_input input[LOD_INPUTS_MAX];
};

/* Begins with no inputs. Of each it clears what `need` may leave unset: a struct of 6 KB takes
 * longer to clear than a small unit to make. */
static inline void lod_inputs_begin(struct lod_inputs *inputs)
{
    inputs->count = 0;
    for (unsigned i = 0; i < LOD_INPUTS_MAX; i++) {
        inputs->input[i].data = (struct lod_span){.at = NULL};
        lod_plan_begin(&inputs->input[i].plan);
    }
}

/*
 * Makes the bytes of MADE pieces, which are computed instead of stored. A codec whose plans have no
 * MADE piece has no maker.
 *
 * A codec may make several forms of an item, such as its source file or its pixels at q3. It
 * numbers them itself, below LOD_FORMS_MAX. Fidelities with equal bytes should share a form, which
 * is then made once. The caller passes only forms that `plan` returned for this row. The MADE
 * pieces of one form in a plan add up to all of its bytes.
 *
 * A form is made and cached in units of unit_bytes; the last unit may be shorter.
 */
#define LOD_FORMS_MAX   128u
#define LOD_PROOF_WORDS 2

/* One unit to be made, of any item. All its `inputs` are present. */
struct lod_unit {
    const uint8_t *row;
    unsigned form;
    uint64_t unit;
    const struct lod_inputs *inputs;
    uint8_t *into;
    size_t bytes;
    int error; /* after make_many: the result, as `make` returns it */
};

/*
 * A series: forms with consecutive numbers, each of one unit, and each made from the inputs of the
 * one before and further inputs. They are cheaper to make together.
 */
struct lod_series {
    unsigned first;
    /*
     * Called after each form, when its bytes are in `into`; an error ends the series. It must not
     * read the store.
     */
    int (*step)(void *ctx, unsigned form);
    void *ctx;
};

struct lod_gpu; /* gpu.h */

struct lod_maker {
    /* Returns the groups that a form is made of: bit g - 1 for group g. NULL: all. */
    uint16_t (*groups)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    uint64_t (*unit_bytes)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    /* Returns the most memory that inputs, working memory and result of one unit take together. */
    uint64_t (*cost)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    /*
     * Appends the inputs that are still missing for a unit. The caller reads them and calls again,
     * until nothing is appended. Returns -EILSEQ if an input is malformed.
     */
    int (*need)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs);

    /* Writes the unit, exactly `bytes` bytes. Returns -EILSEQ, -E2BIG or -ENOMEM; `into` is then
     * undefined. */
    int (*make)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes);

    /* Returns the last form of the series that begins with this form, which may be this one. NULL:
     * this codec has no series. */
    unsigned (*series_end)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    /* Makes the forms series->first .. last->form in turn in last->into, from the inputs of the
     * last one. Returns an error of `make` or of `step`. */
    int (*make_series)(const struct lod_unit *last, const struct lod_series *series);

    /*
     * For verify, which makes the units of a form in order: checks that `made` agrees with the
     * checksums of the whole form in the row. `state` is 0 before the first unit. Returns -EILSEQ
     * if not. NULL: rows of this codec hold no such checksum.
     */
    int (*prove)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                 struct lod_span made, uint64_t state[LOD_PROOF_WORDS]);

    /* Returns how many of the items that follow are inputs of this one; a table is made of the
     * shards after it. NULL: always 0. */
    uint32_t (*ahead)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * Makes many units in one job of a device; each unit gets its own error. Returns -ENOMEM or
     * -E2BIG if they are too many at once, and then makes none. NULL: this codec does not use
     * devices.
     */
    int (*make_many)(struct lod_gpu *gpu, struct lod_unit *units, unsigned count);
};

#define LOD_SHARD_HEAD_BYTES 128u
#define LOD_DTYPE_TEXT       4 /* including the NUL */

/* The description of a shard's rows. */
struct lod_shard_facts {
    uint64_t first; /* number of its first row in the whole table */
    uint32_t number, rows, columns, batch_rows;
    char dtype[LOD_DTYPE_TEXT]; /* NumPy's name of the type: "<f8", "|u1" */
};

struct lod_codec {
    const char *name; /* also the suffix of its record files */
    uint8_t id;
    uint8_t groups; /* groups of its records, 1 .. LOD_GROUPS_MAX */

    /*
     * The rank of its items among pictures: in a sample of several pictures the one with the
     * smallest rank is the lead. 0: its items are not pictures.
     */
    uint8_t picture_rank;

    /* Returns the ending for the item's file, such as ".jpg"; NULL: it does not follow from the
     * contents. */
    const char *(*file_ending)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * Returns width and height of the picture in *ret arguments, or false if the row does not have
     * them. NULL: no row of this codec has them.
     */
    bool (*sides)(const uint8_t row[LOD_ROW_BYTES], uint32_t *ret_width, uint32_t *ret_height);

    /* Returns log2 of the frame size for a record whose groups have `bytes` bytes in total. */
    uint8_t (*frame_shift)(uint64_t bytes);

    /*
     * Returns the bytes of the item's segment in each group; 0 past `groups`. Returns -EILSEQ if
     * the row is malformed: reserved bytes set, undefined flags, or lengths that contradict the
     * flags.
     */
    int (*segments)(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX]);

    /* Returns the size of the source file that became this item, which is its size in original/. */
    uint64_t (*source_bytes)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * Returns the plan of the item's file at a fidelity. *ret_plan is written only on success.
     * Returns -ENOENT if there is no such file (original/ of an item with NO_ORIGINAL), -EILSEQ if
     * the row is malformed.
     */
    int (*plan)(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan);

    /*
     * Returns the file name ending of the item's pixels: ".ppm" (P6) or ".pgm" (P5), both of 8
     * bits, or ".npy" for an array H x W x C. Called only for rows without WHOLE and NO_DECODED.
     * NULL: no item of this codec has pixels.
     */
    const char *(*decoded_ending)(const uint8_t row[LOD_ROW_BYTES]);

    /* Ending that the name of the stored item gets after its own. NULL: not shown in native/. */
    const char *native_ending;

    const struct lod_maker *maker; /* NULL: plans have no MADE pieces */

    /*
     * For verify: checks that group 1 agrees with the row and can be read by programs that take it
     * as it is. Returns -EILSEQ, -EBADMSG, -ENOTSUP or -E2BIG if it is not, or -ENOMEM. check_cost
     * returns the memory this takes, including `stored`. Both NULL: any bytes are correct.
     */
    int (*check)(const uint8_t row[LOD_ROW_BYTES], struct lod_span stored);
    uint64_t (*check_cost)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * For verify, which compares tables with their schema.json: describes the shard. `head` is the
     * first LOD_SHARD_HEAD_BYTES of group 1. Returns -EILSEQ if this is no shard. NULL: this codec
     * has none.
     */
    int (*shard)(const uint8_t row[LOD_ROW_BYTES], struct lod_span head,
                 struct lod_shard_facts *ret_facts);
};

#define LOD_NATIVE_ENDING_BYTES 8 /* the longest native_ending of all codecs */

/* Returns the codec with this id, or NULL if this build has none (the store is newer). */
const struct lod_codec *lod_codec_find(unsigned id);

/* The functions of the struct, with arguments checked and results asserted for all codecs. */
LOD_MUST_CHECK int lod_codec_segments(const struct lod_codec *codec,
                                      const uint8_t row[LOD_ROW_BYTES],
                                      uint64_t ret_bytes[LOD_GROUPS_MAX]);
LOD_MUST_CHECK int lod_codec_plan(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                  enum lod_format format, enum lod_fidelity fidelity,
                                  struct lod_plan *ret_plan);

/*
 * Returns in *ret_bytes how many bytes a store is read for to show the item's file at a fidelity:
 * its stored pieces, and the groups that its made pieces are made of. `segments` is from
 * lod_codec_segments.
 */
LOD_MUST_CHECK int lod_codec_read_bytes(const struct lod_codec *codec,
                                        const uint8_t row[LOD_ROW_BYTES],
                                        const uint64_t segments[LOD_GROUPS_MAX],
                                        enum lod_fidelity fidelity, uint64_t *ret_bytes);

/* Returns the groups that a form of the maker is made of: bit g - 1 for group g. */
uint16_t lod_codec_made_groups(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                               unsigned form);

/* Returns the ending, or NULL: the row has no pixels and LOD_FORMAT_DECODED has no plan. */
const char *lod_codec_decoded_ending(const struct lod_codec *codec,
                                     const uint8_t row[LOD_ROW_BYTES]);

/* Returns the codec's ending for this row, or NULL: native/ shows the file as the tree does. */
const char *lod_codec_native_ending(const struct lod_codec *codec,
                                    const uint8_t row[LOD_ROW_BYTES]);

/* Bytes 0 and 4 .. 7 of a row are common to all codecs. */
static inline uint8_t lod_row_flags(const uint8_t row[LOD_ROW_BYTES])
{
    return row[0];
}

static inline uint32_t lod_row_own_node(const uint8_t row[LOD_ROW_BYTES])
{
    return lod_get_le32(row + 4);
}

/* Returns "q1" .. "q10", "full" or "original"; NULL for any other number. */
const char *lod_fidelity_name(enum lod_fidelity fidelity);

/* Returns the fidelity of that name, `bytes` bytes without NUL; 0 if there is none. */
enum lod_fidelity lod_fidelity_parse(const char *name, size_t bytes);

/* Defined one in each codec's file. */
extern const struct lod_codec lod_codec_tree;
extern const struct lod_codec lod_codec_pcr;
extern const struct lod_codec lod_codec_l3;
extern const struct lod_codec lod_codec_raw;
extern const struct lod_codec lod_codec_toc;

#endif
