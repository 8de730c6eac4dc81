/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which item lies where: the order of items, the records they fill, the cuts. Decided from paths,
 * sizes and codecs alone, before anything is encoded, so that any number of threads writes the
 * same store.
 */
#ifndef LOD_ORDER_H
#define LOD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "pack/source.h"

#define LOD_RECORD_SIZE_MIN ((uint64_t)64 << 10)
#define LOD_RECORD_SIZE_MAX ((uint64_t)512 << 20)

struct lod_order_options {
    bool by_path; /* --order=path; else shuffled */
    uint64_t seed;
    uint64_t record_bytes; /* --record-size, of source; 0: by the size of the source */
};

struct lod_order_record {
    const struct lod_codec *codec;
    uint32_t first, count; /* of lod_order.files */
    uint32_t cut;
    uint64_t source_bytes; /* lod_parts_weight of its files */
};

struct lod_order {
    uint32_t *files; /* indexes in the source list, in storage order */
    size_t files_count;
    struct lod_order_record *records;
    size_t records_count;
    uint32_t cuts;         /* key intervals */
    uint64_t record_bytes; /* that were gone by */
};

/* The record size for so many bytes of source: 16 to 64 MiB. */
uint64_t lod_order_record_bytes(uint64_t source_bytes);

/* Orders the FILEs of a sorted list. -ENOMEM. */
LOD_MUST_CHECK int lod_order_make(const struct lod_source_list *list,
                                  const struct lod_order_options *options,
                                  struct lod_order *ret_order);
void lod_order_finish(struct lod_order *order);

#endif
