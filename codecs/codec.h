/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE decoder table: how the items of a record become files again. One const struct a codec, one
 * line in codec.c. A codec knows the 64 bytes of its ITEM row (FORMAT.md, ITEM) and bytes handed to
 * it; no files, no names, no store. Everything here is pure and thread-safe.
 */
#ifndef LOD_CODEC_H
#define LOD_CODEC_H

#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "plan.h"

#define LOD_ROW_BYTES  64
#define LOD_GROUPS_MAX 12

/* Bits of byte 0 of every ITEM row. */
#define LOD_ITEM_WHOLE       0x01u /* not transcoded: group 12 is the file, at every fidelity */
#define LOD_ITEM_NO_ORIGINAL 0x02u /* the store cannot give the source's exact bytes back */
#define LOD_ITEM_NO_DECODED  0x04u
#define LOD_ITEM_HAS_MAGIC   0x08u
#define LOD_ITEM_SHARD       0x10u
#define LOD_ITEM_KEPT        0x20u /* groups as usual, and group 12 is the source file */
#define LOD_ITEM_ORIENT      0x40u /* the head carries a 36-byte orientation EXIF */
#define LOD_ITEM_FLAGS       0x7fu /* all that are defined */

/* Values of the fidelity field of an inode number; q1 .. q10 are 1 .. 10. */
enum lod_fidelity {
    LOD_Q1 = 1,
    LOD_Q10 = 10,
    LOD_FULL = 11,
    LOD_ORIGINAL = 12,
    LOD_AUTO = 15, /* the link to one of q1 .. full: no fidelity of its own, it has no name here */
};

/* What an item's bytes are shown as; values of the format field of an inode number. */
enum lod_format {
    LOD_FORMAT_TREE = 0,    /* the source's own kind of file */
    LOD_FORMAT_DECODED = 1, /* pixels: .ppm, .pgm, .npy */
    LOD_FORMAT_TAR = 2,
    LOD_FORMAT_RECORDIO = 3,
    LOD_FORMAT_TFRECORD = 4,
    LOD_FORMAT_NATIVE = 5, /* the compressed item, for readers with a decoder of their own */
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
 * What a codec has to be given before it can make bytes: a file of the item itself (stored and
 * constant pieces only), the whole segment of an earlier slot of the same record, or that of one of
 * the items that come next in number, in this record or a later one of the codec.
 */
#define LOD_INPUTS_MAX      4
#define LOD_INPUT_OTHER_MAX ((uint64_t)64 << 20) /* bytes of another item's segment */
#define LOD_SLOT_OWN        UINT32_MAX
#define LOD_SLOT_AHEAD      (UINT32_MAX - 1)
struct lod_input {
    uint32_t slot;        /* OWN: `plan`; AHEAD: `ahead`, `group`; else an earlier slot: `group` */
    uint32_t ahead;       /* 1: the next item, .. */
    unsigned group;       /* 1 .. 12 */
    struct lod_plan plan; /* of the item itself: no MADE pieces */
    struct lod_span data; /* the bytes, once they are there */
    uint8_t row[LOD_ROW_BYTES]; /* AHEAD: of that item, once its bytes are there */
};

struct lod_inputs {
    unsigned count;
    struct lod_input input[LOD_INPUTS_MAX];
};

/*
 * Making what is not stored: the bytes of MADE pieces. They are made and cached in units of
 * unit_bytes; the last one may be shorter. A codec whose plans have no MADE piece has no maker. It
 * may make several forms of an item (its source file, its pixels at q3, ..), numbered as it likes
 * below LOD_FORMS_MAX; fidelities that look the same should share one, which is then made once. The
 * form comes out of the plan, so it is one that `plan` gave this row; the MADE pieces of one form
 * in a plan are together the whole of it.
 */
#define LOD_FORMS_MAX   128u
#define LOD_PROOF_WORDS 2

/* One unit to be made, of whatever item; `inputs` are all there. */
struct lod_unit {
    const uint8_t *row;
    unsigned form;
    uint64_t unit;
    const struct lod_inputs *inputs;
    uint8_t *into;
    size_t bytes;
    int error; /* after make_many: as `make` returns */
};

struct lod_gpu; /* gpu.h */

struct lod_maker {
    uint16_t groups; /* of the item that anything is made of: bit g - 1 for group g; 0: of all */

    uint64_t (*unit_bytes)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    /* Memory that inputs, work and result take together at most. */
    uint64_t (*cost)(const uint8_t row[LOD_ROW_BYTES], unsigned form);

    /*
     * Appends what is still missing for a unit; called again with the data of all so far, until it
     * appends nothing. -EILSEQ: what it was given is malformed.
     */
    int (*need)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs);

    /* Writes exactly `bytes` bytes, the unit. -EILSEQ, -E2BIG, -ENOMEM; `into` is then undefined.
     */
    int (*make)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes);

    /*
     * For verify, which makes the units of a form in order: is `made` what the row says of the
     * whole? `state` is 0 before the first. -EILSEQ. NULL: rows say nothing of it.
     */
    int (*prove)(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                 struct lod_span made, uint64_t state[LOD_PROOF_WORDS]);

    /* How many of the next items this one is made of. NULL: none of any item of the codec. */
    uint32_t (*ahead)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * Makes many units in one job of a device; each has its own error. -ENOMEM, -E2BIG: too many at
     * once; then none was made. NULL: the codec has nothing for a device to do.
     */
    int (*make_many)(struct lod_gpu *gpu, struct lod_unit *units, unsigned count);
};

#define LOD_SHARD_HEAD_BYTES 128u
#define LOD_DTYPE_TEXT       4 /* a NUL included */

/* What a shard says of its rows. */
struct lod_shard_facts {
    uint64_t first; /* row of its table */
    uint32_t number, rows, columns, batch_rows;
    char dtype[LOD_DTYPE_TEXT]; /* as NumPy calls it: "<f8", "|u1" */
};

struct lod_codec {
    const char *name; /* also the suffix of its record files */
    uint8_t id;
    uint8_t groups; /* of its records, 1 .. LOD_GROUPS_MAX */

    /*
     * log2 of the bytes of a frame in a record whose groups hold `bytes` bytes in all.
     */
    uint8_t (*frame_shift)(uint64_t bytes);

    /*
     * Bytes of the item's segment in each group; 0 past `groups`. -EILSEQ: a malformed row
     * (reserved bytes, undefined flags, lengths that contradict the flags).
     */
    int (*segments)(const uint8_t row[LOD_ROW_BYTES], uint64_t ret_bytes[LOD_GROUPS_MAX]);

    /* Bytes of the source file this item was made from; original/ has this size. */
    uint64_t (*source_bytes)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * The file this row is at a fidelity. *ret_plan is written only on success. -ENOENT: there is
     * no such file (original/ of an item with NO_ORIGINAL); -EILSEQ: a malformed row.
     */
    int (*plan)(const uint8_t row[LOD_ROW_BYTES], enum lod_format format,
                enum lod_fidelity fidelity, struct lod_plan *ret_plan);

    /*
     * Ending of the name of the item's pixels: ".ppm" P6, ".pgm" P5, both of 8 bits, or ".npy", H x
     * W x C. Asked only of rows without WHOLE and NO_DECODED. NULL: nothing of this codec has any.
     */
    const char *(*decoded_ending)(const uint8_t row[LOD_ROW_BYTES]);

    /* Ending of the name of the item as it is stored, appended to its own. NULL: no such form. */
    const char *native_ending;

    const struct lod_maker *maker; /* NULL: all pieces are stored or constant */

    /*
     * For verify: is group 1 what the row says of it, and of use to those who read it as it is?
     * -EILSEQ, -EBADMSG, -ENOTSUP, -E2BIG: not; -ENOMEM. check_cost: memory that it takes, with
     * `stored`. NULL, both: any bytes are.
     */
    int (*check)(const uint8_t row[LOD_ROW_BYTES], struct lod_span stored);
    uint64_t (*check_cost)(const uint8_t row[LOD_ROW_BYTES]);

    /*
     * For verify, which compares tables with what is written of them: `head` is the first
     * LOD_SHARD_HEAD_BYTES of group 1. -EILSEQ: no shard. NULL: no item of the codec is.
     */
    int (*shard)(const uint8_t row[LOD_ROW_BYTES], struct lod_span head,
                 struct lod_shard_facts *ret_facts);
};

#define LOD_NATIVE_ENDING_BYTES 8 /* of all codecs', at most */

/* The codec with this id; NULL if this build knows none (a newer store). */
const struct lod_codec *lod_codec_find(unsigned id);

/* The vtable's calls with arguments checked and results asserted; back ends assume them. */
LOD_MUST_CHECK int lod_codec_segments(const struct lod_codec *codec,
                                      const uint8_t row[LOD_ROW_BYTES],
                                      uint64_t ret_bytes[LOD_GROUPS_MAX]);
LOD_MUST_CHECK int lod_codec_plan(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                                  enum lod_format format, enum lod_fidelity fidelity,
                                  struct lod_plan *ret_plan);

/* NULL: it has no decoded form, and LOD_FORMAT_DECODED no plan. */
const char *lod_codec_decoded_ending(const struct lod_codec *codec,
                                     const uint8_t row[LOD_ROW_BYTES]);

/* The codec's ending for this row; NULL: the file is shown as in the tree. */
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

/* "q1" .. "q10", "full", "original"; NULL for a number that is no fidelity. */
const char *lod_fidelity_name(enum lod_fidelity fidelity);

/* The reverse, of `bytes` bytes without NUL; 0 if it names none. */
enum lod_fidelity lod_fidelity_parse(const char *name, size_t bytes);

/* One extern a codec; see codec.c for the table. */
extern const struct lod_codec lod_codec_tree;
extern const struct lod_codec lod_codec_pcr;
extern const struct lod_codec lod_codec_l3;
extern const struct lod_codec lod_codec_raw;
extern const struct lod_codec lod_codec_toc;

#endif
