/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE encoder table: how a source file becomes an item. One const struct an encoder, one line in
 * encoder.c, tried in the table's order; the last one takes everything. Only pack includes this.
 * Pure and thread-safe: the same source and options give the same bytes everywhere.
 */
#ifndef LOD_ENCODER_H
#define LOD_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "bytes.h"
#include "codec.h"
#include "compiler.h"

/* Bytes of a source that probe wants to see; fewer only at the end of the file. */
#define LOD_PROBE_BYTES 64

struct lod_scan_choice; /* codecs/pcr/script.h */
struct lod_data_table;  /* codecs/toc/table.h */

/* What was decided for the whole store before the first item is encoded. Borrowed. */
struct lod_encode_options {
    const struct lod_scan_choice *scans; /* pcr: scan scripts by quantisation class */
    bool original;   /* make what original/ needs, and prove it; else an item may have none */
    bool keep;       /* l3: the source file beside its patches, since nothing rebuilds it */
    uint8_t l3_mode; /* enum lod_l3_mode: codecs/l3/l3_stream_write.h */
};

/* One encoded item. init: all zero; finish frees the groups. */
struct lod_encoded {
    uint8_t row[LOD_ROW_BYTES]; /* own node 0: pack fills it in */
    struct lod_buf group[LOD_GROUPS_MAX];
    struct lod_buf header; /* what other items of the record may have too; see join */
    const char *whole;     /* why it was stored WHOLE, a static text; NULL: it was not */
};

void lod_encoded_finish(struct lod_encoded *item);

struct lod_encoder {
    const struct lod_codec *codec;
    uint64_t source_bytes_max; /* a larger source goes to a later line of the table */

    /* Is this the head of a source for this encoder? By content, never by name. */
    bool (*probe)(struct lod_span head);

    /*
     * Encodes one source held in memory. What cannot be transcoded without loss is stored WHOLE
     * and is no error. -ENOMEM. NULL: the source is copied as it is into group 1 by pack, and
     * `row` makes its row from the length alone.
     */
    int (*encode)(struct lod_span source, const struct lod_encode_options *options,
                  struct lod_encoded *ret_item);
    void (*row)(uint64_t source_bytes, uint8_t ret_row[LOD_ROW_BYTES]);

    /*
     * Encodes one item of a file that becomes several: part 0 is the file's own. `bytes` are those
     * that the part is made of. -EILSEQ: they are not what `table` says. -ENOMEM. NULL: no file
     * becomes several items of this kind.
     */
    int (*encode_part)(const struct lod_data_table *table, uint32_t part, struct lod_span bytes,
                       struct lod_encoded *ret_item);

    /*
     * Puts the item's header into its groups, or, with `slot` other than LOD_SLOT_OWN, a reference
     * to that earlier slot of its record, which has the same one. Called for each item with a
     * header. -ENOMEM. NULL: no item has one.
     */
    int (*join)(struct lod_encoded *item, uint32_t slot);

    /*
     * Why encode stored this source WHOLE, a static text, where reading it tells; in half of
     * encode's memory. NULL: that takes encoding. NULL itself: it always does.
     */
    const char *(*why_whole)(struct lod_span source);

    /*
     * The memory that encode takes for this source, the source itself left out; found without
     * decoding it. NULL: as much as the source.
     */
    uint64_t (*memory_bytes)(struct lod_span source);
};

/* The first encoder of the table whose probe and size limit take the source. Never NULL. */
const struct lod_encoder *lod_encoder_probe(struct lod_span head, uint64_t source_bytes);

extern const struct lod_encoder lod_encoder_pcr;
extern const struct lod_encoder lod_encoder_l3;
extern const struct lod_encoder lod_encoder_raw;
extern const struct lod_encoder lod_encoder_toc;

#endif
