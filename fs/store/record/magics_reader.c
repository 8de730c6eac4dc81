/* SPDX-License-Identifier: Apache-2.0 */
/* See magics_reader.h. */
#include "record/magics_reader.h"

static int read_entry(struct lod_magics_reader *reader, uint32_t item,
                      struct lod_path_entry *ret_entry)
{
    struct lod_record_desc recd;

    int error = lod_index_record_of(reader->index, item, &recd);
    if (!error && (!reader->metadata.bytes || reader->record != recd.number)) {
        lod_metadata_finish(&reader->metadata);
        error = reader->read(reader->ctx, &recd, &reader->metadata);
        reader->record = recd.number;
    }
    return error ? error : lod_metadata_path(&reader->metadata, item - recd.first_item, ret_entry);
}

int lod_magics_reader_get(void *ctx, uint32_t item, struct lod_magics *ret_magics)
{
    struct lod_path_entry entry;
    int error = read_entry(ctx, item, &entry);

    if (!error) {
        *ret_magics = entry.magics;
    }
    return error;
}

int lod_magics_reader_label(void *ctx, uint32_t item, int32_t *ret_label)
{
    struct lod_path_entry entry;
    int error = read_entry(ctx, item, &entry);

    if (!error) {
        *ret_label = entry.label;
    }
    return error;
}
