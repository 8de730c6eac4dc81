/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of items, the records they fill, and the cuts. They depend only on paths, sizes and
 * codecs, and are decided before any file is encoded. So any number of threads writes the same
 * store.
 */
#ifndef LOD_ORDER_H
#define LOD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "pack/source/source.h"

#define LOD_RECORD_SIZE_MIN ((uint64_t)64 << 10)
#define LOD_RECORD_SIZE_MAX ((uint64_t)512 << 20)

struct lod_order_options {
    bool by_path; /* --order=path; else shuffled */
    uint64_t seed;
    uint64_t
        record_bytes; /* --record-size, in bytes of source; 0: depends on the size of the source */
};

struct lod_order_record {
    const struct lod_codec *codec;
    uint32_t first, count; /* of lod_order.files */
    uint32_t cut;
    uint64_t source_bytes; /* lod_subitems_weight of its files */
};

struct lod_order {
    uint32_t *files; /* indexes in the source list, in storage order */
    size_t files_count;
    struct lod_order_record *records;
    size_t records_count;
    uint32_t cuts;         /* key intervals */
    uint64_t record_bytes; /* the record size that was used */
};

/* Returns the default record size for a source: 16 to 64 MiB. */
uint64_t lod_order_record_bytes(uint64_t source_bytes);

/* Orders the FILEs of a sorted list. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_order_make(const struct lod_source_list *list,
                                  const struct lod_order_options *options,
                                  struct lod_order *ret_order);
void lod_order_finish(struct lod_order *order);

struct lod_order_sum {
    uint64_t files, bytes;
};

/* Returns the files of the records [first, first + count), and their weight. */
static inline struct lod_order_sum lod_order_sum(const struct lod_order *order, size_t first,
                                                 size_t count)
{
    struct lod_order_sum sum = {0};

    for (size_t r = first; r < first + count; r++) {
        sum.files += order->records[r].count;
        sum.bytes += order->records[r].source_bytes;
    }
    return sum;
}

/* Returns whether a record is of a codec for pictures. */
bool lod_order_has_pictures(const struct lod_order *order);

/* Returns whether the files of a record are pictures: of such a codec, or, in a source without any
 * (`any` is false), big raw files. */
bool lod_order_record_has_pictures(const struct lod_order_record *record, bool any);

#endif
