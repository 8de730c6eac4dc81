/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of an encoder: how a source file becomes an item. One const struct for each
 * encoder, one line in the dispatch table of encoder.c. The first encoder that takes the file is
 * used; the last one takes every file. Only src/pack includes this. All functions are pure and
 * thread-safe: the same source and options give the same bytes on every machine.
 */
#ifndef LOD_ENCODER_H
#define LOD_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "codec.h"

/* Bytes of a source that probe receives; fewer only if the file is shorter. */
#define LOD_PROBE_BYTES 64

struct lod_scan_choice; /* codecs/pcr/jpeg/script.h */
struct lod_data_table;  /* codecs/toc/source/table.h */

/* Decisions for the whole store, made before the first item is encoded. Borrowed. */
struct lod_encode_options {
    const struct lod_scan_choice *scans; /* pcr: scan scripts by quantisation class */
    /* pcr: store the source file and scan groups 1 .. top; 0: store all groups, and rebuild data */
    uint8_t top;
    bool original;   /* make what original/ needs, and prove it; else an item may have none */
    bool keep;       /* l3: keep the source file beside its patches, for original/ */
    bool raw_plain;  /* raw: store all files as they are */
    uint8_t l3_mode; /* enum lod_l3_mode: codecs/l3/stream/l3_stream_write.h */
};

/* One encoded item. Initialise to all zero; lod_encoded_finish frees it. */
struct lod_encoded {
    uint8_t row[LOD_ROW_BYTES]; /* node 0; pack writes the real one */
    struct lod_buf group[LOD_GROUPS_MAX];
    struct lod_buf header; /* bytes that other items of the record may share; see join */
    const char *exact; /* why it has no lower fidelities though they were asked for; NULL: it has */
    const char *whole; /* why it was stored WHOLE, static text; NULL: it was not */
};

void lod_encoded_finish(struct lod_encoded *item);

struct lod_encoder {
    const struct lod_codec *codec;
    const struct lod_encoder *levels; /* of lossless images that may have lower fidelities; NULL */
    /* its items are kept in separate records, although another encoder has the same codec */
    bool apart;
    uint64_t source_bytes_max; /* larger sources go to a later encoder */

    /*
     * Returns whether this encoder accepts a source with this head. It decides by content, never by
     * name.
     */
    bool (*probe)(struct lod_span head);

    /*
     * Encodes one source held in memory. A source that cannot be transcoded without loss is stored
     * WHOLE, which is no error. Returns -ENOMEM. NULL: pack copies the source into group 1, and
     * `row` makes the item's row from the length.
     */
    int (*encode)(struct lod_span source, const struct lod_encode_options *options,
                  struct lod_encoded *ret_item);
    void (*row)(uint64_t source_bytes, uint8_t ret_row[LOD_ROW_BYTES]);

    /*
     * Encodes one item of a file that becomes several; part 0 is the item of the file itself.
     * `bytes` are the bytes that this item is made of. Returns -EILSEQ if they do not match
     * `table`, or -ENOMEM. NULL: this encoder makes one item of each file.
     */
    int (*encode_part)(const struct lod_data_table *table, uint32_t part, struct lod_span bytes,
                       struct lod_encoded *ret_item);

    /*
     * Writes the item's header into its groups. If `slot` is not LOD_SLOT_OWN, writes instead a
     * reference to that earlier slot of the record, which has an equal header. Called for each item
     * with a header. Returns -ENOMEM. NULL: no item has a header.
     */
    int (*join)(struct lod_encoded *item, uint32_t slot);

    /*
     * Returns why encode stored this source WHOLE, as static text, if parsing the source is enough
     * to find out; takes half of encode's memory. Returns NULL if only encoding finds out. A NULL
     * pointer means that encoding is always needed.
     */
    const char *(*why_whole)(struct lod_span source);

    /*
     * Returns the memory that encode takes for this source, without the source itself. Does not
     * decode. NULL: as much as the source.
     */
    uint64_t (*memory_bytes)(struct lod_span source);
};

/* Returns the class of an encoder: its items share records with those of the same class only.
 * Classes ascend with the ids of their codecs. */
#define LOD_ENCODER_CLASSES (2u * LOD_CODECS)
static inline unsigned lod_encoder_class(const struct lod_encoder *encoder)
{
    return 2u * encoder->codec->id + encoder->apart;
}

/* Returns the encoder of a class; NULL: there is none. */
const struct lod_encoder *lod_encoder_of_class(unsigned class);

/* Returns the first encoder whose probe and size limit accept the source. Never NULL. */
const struct lod_encoder *lod_encoder_probe(struct lod_span head, uint64_t source_bytes);

extern const struct lod_encoder lod_encoder_pcr;
extern const struct lod_encoder lod_encoder_l3;
extern const struct lod_encoder lod_encoder_l3_levels;
extern const struct lod_encoder lod_encoder_raw;
extern const struct lod_encoder lod_encoder_toc;

#endif
