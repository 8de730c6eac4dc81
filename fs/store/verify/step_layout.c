/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the steps for a store: blocks and nodes of the index, and slices of its records. If rows
 * of records cannot be read, also slices of the record files without a row. See check.h.
 */
#include <stdatomic.h>
#include <string.h>

#include "bytes.h"
#include "record/record_header.h"
#include "verify/check.h"

static int add_slices(struct lod_verify *v, uint32_t record, bool by_name,
                      const struct lod_record_desc *recd)
{
    const uint64_t slices = recd->file_bytes / LOD_STEP_BYTES + 1; /* at most 2^40 / 2^26 + 1 */
    int error = 0;

    for (uint32_t i = 0; i < slices && !error; i++) {
        const struct lod_slice slice = {
            .record = record, .slice = i & 0x7fffffff, .by_name = by_name};
        error = LOD_LIST_ADD(&v->slices, slice);
    }
    v->bytes += error ? 0 : recd->file_bytes;
    v->files += error ? 0 : lod_check_files(recd);
    return error;
}

/* Adds findings for items [first, end), whose record is not in the index. */
static int lose_items(struct lod_verify *v, uint32_t first, uint32_t end)
{
    int error = first < end ? lod_buf_append_le(&v->lost, 4, first) : 0;

    return error || first >= end ? error : lod_buf_append_le(&v->lost, 4, end);
}

static int report_lost(struct lod_verify *v)
{
    static const struct lod_finding lost = {.what = "its record is not in the index",
                                            .fidelities = LOD_FIDELITIES_ALL};
    struct lod_cursor c = lod_cursor(v->lost.data, v->lost.bytes);
    int error = 0;

    while (!error && c.left) {
        uint32_t first = lod_take_le32(&c), end = lod_take_le32(&c);
        for (uint32_t i = first; !error && i < end && i - first < LOD_FINDINGS_MAX; i++) {
            error = lod_check_item_found(v, i, lost);
        }
    }
    return error;
}

struct layout {
    uint32_t next; /* item */
    bool gap;      /* the row before this one could not be read */
};

static int lay_record(struct lod_verify *v, uint32_t number, struct layout *layout)
{
    struct lod_record_desc recd;
    uint64_t known;

    int error = lod_index_record(v->index, number, &recd);
    if (lod_check_stops(error)) {
        return error;
    }
    if (error) {
        layout->gap = v->records_unknown = true;
        atomic_store(&v->rows_missing, true);
        return lod_check_is_block_error(error)
                   ? 0
                   : lod_check_row_found(v, LOD_SECTION_RECD, number,
                                         (struct lod_finding){.what = "a malformed row of a record",
                                                              .item = LOD_NO_ITEM,
                                                              .fidelities = LOD_FIDELITIES_ALL});
    }
    if (!layout->gap && recd.first_item != layout->next) {
        error = lod_check_row_found(
            v, LOD_SECTION_RECD, number,
            (struct lod_finding){.what = "the items of the records have gaps or overlap",
                                 .item = LOD_NO_ITEM,
                                 .fidelities = LOD_FIDELITIES_ALL});
    }
    error = error ? error : lose_items(v, layout->next, recd.first_item);
    *layout = (struct layout){.next = recd.first_item + recd.items};
    known = lod_hash64(recd.path, strlen(recd.path), 0);
    error = error ? error : lod_buf_append_le(&v->known, 8, known);
    error = error ? error : lod_buf_append_le(&v->ids, 8, recd.id.low);
    error = error ? error : lod_buf_append_le(&v->ids, 8, recd.id.high);
    return error ? error : add_slices(v, number, false, &recd);
}

/* Adds record files without a row, by their own headers. *ret_items: how many items they hold. */
static int lay_names(struct lod_verify *v, uint64_t *ret_items)
{
    struct lod_record_desc recd;
    const char *name;
    uint64_t items = 0;

    int error = lod_names_list(v);
    for (uint32_t i = 0; !error && (name = lod_names_at(v, i)); i++) {
        if (lod_names_known(v, name)) {
            continue;
        }
        error = lod_record_header_read(v->store, name, &recd);
        if (!lod_check_stops(error)) {
            const struct lod_record_desc none = {0};
            items += error ? 0 : recd.items;
            error = add_slices(v, i, true, error ? &none : &recd);
        }
    }
    *ret_items = items;
    return error;
}

static int lay_records(struct lod_verify *v)
{
    const uint32_t items = lod_index_items(v->index);
    struct layout layout = {0};
    uint64_t covered = 0, found = 0;
    int error = 0;

    for (uint32_t i = 0; !error && i < lod_index_records(v->index); i++) {
        error = lay_record(v, i, &layout);
    }
    error = error ? error : lose_items(v, layout.next, items);
    lod_names_sort_known(v);
    if (!error && v->records_unknown) {
        error = lay_names(v, &found);
    }
    for (size_t at = 0; !error && at < v->lost.bytes; at += 8) {
        covered += lod_get_le32(v->lost.data + at + 4) - lod_get_le32(v->lost.data + at);
    }
    /* If their record files exist, those name the items. */
    return error || covered <= found ? error : report_lost(v);
}

static int lay_index(struct lod_verify *v)
{
    const uint64_t blocks = lod_object_bytes(v->index_file) / LOD_BLOCK_BYTES;

    v->block_steps = (blocks + LOD_STEP_BLOCKS - 1) / LOD_STEP_BLOCKS;
    v->node_steps = ((uint64_t)lod_index_nodes(v->index) + LOD_STEP_NODES - 1) / LOD_STEP_NODES;
    v->bytes = blocks * LOD_BLOCK_BYTES;
    return lay_records(v);
}

int lod_steps_compute(struct lod_verify *v)
{
    uint64_t items = 0;

    return v->index ? lay_index(v) : lay_names(v, &items);
}
