/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of files with paths, sizes and codecs, and the order that pack gives them. Nothing is
 * written.
 */
#ifndef LOD_ORDER_FIXTURE_H
#define LOD_ORDER_FIXTURE_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "pack/plan/order.h"
#include "record/record_write.h"

#define KIB ((uint64_t)1 << 10)

static struct lod_source_list list;
static struct lod_order order;
static struct lod_order_options options;

static inline void begin(void)
{
    options = (struct lod_order_options){.record_bytes = 64 * KIB};
}

static inline void end(void)
{
    lod_order_finish(&order);
    lod_source_list_finish(&list);
}

static inline void add(const char *path, uint64_t bytes, const struct lod_encoder *encoder)
{
    struct lod_source source = {
        .path = path, .bytes = bytes, .encoder = encoder, .role = LOD_SOURCE_FILE, .names = 1};
    cr_assert_eq(lod_source_list_add(&list, &source), 0);
}

static inline void make(void)
{
    lod_order_finish(&order);
    lod_source_list_sort(&list);
    cr_assert_eq(lod_order_make(&list, &options, &order), 0);
}

static inline const struct lod_source *file_at(size_t place)
{
    return &list.at[order.files[place]];
}

/* Checks that every FILE is in exactly one record, records have no gaps, and one codec each. */
static inline void check_partition(void)
{
    bool *seen = calloc(list.count, sizeof(seen[0]));
    size_t next = 0;

    for (size_t r = 0; r < order.records_count; r++) {
        const struct lod_order_record *record = &order.records[r];
        uint64_t bytes = 0;
        cr_assert_eq(record->first, next);
        cr_assert_geq(record->count, 1);
        cr_assert_leq(record->count, LOD_RECORD_ITEMS_MAX);
        for (uint32_t i = 0; i < record->count; i++) {
            const struct lod_source *file = file_at(next + i);
            cr_assert_eq(file->encoder->codec, record->codec);
            cr_assert_not(seen[file - list.at]);
            seen[file - list.at] = true;
            bytes += file->bytes;
        }
        cr_assert_eq(record->source_bytes, bytes);
        next += record->count;
    }
    cr_assert_eq(next, order.files_count);
    free(seen);
}

#endif
