/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pack.plan; its bytes are in plan_format.h. */
#include <errno.h>
#include <string.h>

#include "pack/parts/plan_file.h"
#include "pack/parts/plan_format.h"
#include "pack/parts/plan_places.h"
#include "pack/target/stale_files.h"

const struct lod_framed_file_kind lod_pack_plan_kind = {.name = LOD_PLAN_NAME,
                                                        .tmp = LOD_PLAN_TMP,
                                                        .magic = "LODFSPP3",
                                                        .bytes_max = LOD_PLAN_BYTES_MAX};

/* Appends `bytes` bytes of text with their number before them, as u16. */
static int put_text(struct lod_buf *file, const char *text, size_t bytes)
{
    int error = bytes > UINT16_MAX ? -E2BIG : lod_buf_append_le(file, 2, bytes);

    return error ? error : lod_buf_append(file, text, bytes);
}

static int put_head(struct lod_buf *file, const struct lod_pack_plan_decisions *d)
{
    const uint64_t facts[LOD_PLAN_FACTS] = {d->facts.other_labels, d->facts.tables_stored,
                                            d->facts.tables_beside, d->facts.shards};
    int error = put_text(file, d->options, strlen(d->options));

    error = error ? error : lod_buf_append_le(file, 8, d->journal);
    for (unsigned i = 0; !error && i < LOD_PLAN_FACTS; i++) {
        error = lod_buf_append_le(file, 8, facts[i]);
    }
    return error ? error : lod_buf_append_le(file, 1, d->labels != NULL);
}

/* Returns whether the source is a file that becomes several items. */
static bool is_table(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE && source->parts && !source->added;
}

/* Writes the tables in the order of the list. Indexes that were found before the list was sorted
 * are not used. */
static int put_tables(struct lod_buf *file, const struct lod_source_list *list)
{
    uint32_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        count += is_table(&list->at[i]);
    }
    int error = lod_buf_append_le(file, 4, count);
    for (size_t i = 0; !error && i < list->count; i++) {
        if (is_table(&list->at[i])) {
            const struct lod_table_found *found = lod_table_of(list->at[i].parts);
            error = lod_buf_append_le(file, 4, i);
            error = error ? error : lod_buf_append_le(file, 4, found->parts.count);
            error = error ? error : lod_buf_append_le(file, 1, (uint8_t)found->kind);
            error = error ? error : lod_buf_append_le(file, 1, found->wanted);
        }
    }
    return error;
}

static int put_order(struct lod_buf *file, const struct lod_order *order)
{
    int error = lod_buf_append_le(file, 8, order->record_bytes);

    error = error ? error : lod_buf_append_le(file, 4, order->cuts);
    error = error ? error : lod_buf_append_le(file, 4, order->records_count);
    for (size_t i = 0; !error && i < order->records_count; i++) {
        const struct lod_order_record *record = &order->records[i];
        error = lod_buf_append_le(file, 1, record->codec->id);
        error = error ? error : lod_buf_append_le(file, 4, record->cut);
        error = error ? error : lod_buf_append_le(file, 4, record->count);
        error = error ? error : lod_buf_append_le(file, 8, record->source_bytes);
    }
    error = error ? error : lod_buf_append_le(file, 4, order->files_count);
    for (size_t i = 0; !error && i < order->files_count; i++) {
        error = lod_buf_append_le(file, 4, order->files[i]);
    }
    return error;
}

static uint8_t flags_of(const struct lod_source *source)
{
    return (uint8_t)((source->special ? LOD_PLAN_SPECIAL : 0) |
                     (source->split ? LOD_PLAN_SPLIT : 0) | (source->added ? LOD_PLAN_ADDED : 0) |
                     (source->folder && source->role == LOD_SOURCE_LEFT_OUT ? LOD_PLAN_FOLDER : 0) |
                     (source->names != 1 ? LOD_PLAN_NAMES : 0) |
                     (source->place && source->role == LOD_SOURCE_FILE ? LOD_PLAN_PLACED : 0));
}

static int put_file(struct lod_buf *file, const struct lod_pack_plan_decisions *d,
                    const struct lod_source *source)
{
    int error = lod_buf_append_le(file, 8, source->bytes);

    error = error ? error : lod_buf_append_le(file, 1, lod_encoder_class(source->encoder));
    if (!error && source->names != 1) {
        error = lod_buf_append_le(file, 4, source->names);
    }
    if (!error && source->added) {
        error = lod_buf_append_le(file, 4, source->owner);
        error = error ? error : lod_buf_append_le(file, 4, source->part);
    }
    if (!error && d->labels) {
        error = lod_buf_append_le(file, 4, (uint32_t)d->labels[source - d->list->at]);
    }
    return error || !source->place ? error
                                   : lod_pack_plan_put_place(file, d->containers, source->place);
}

static int put_source(struct lod_buf *file, const struct lod_pack_plan_decisions *d,
                      const struct lod_source *source)
{
    const char *text = source->role == LOD_SOURCE_SYMLINK ? source->target : source->why;
    int error = lod_buf_append_le(file, 1, source->role);

    error = error ? error : lod_buf_append_le(file, 1, flags_of(source));
    error = error ? error : lod_buf_append_le(file, 2, source->mode);
    error = error ? error : lod_buf_append_le(file, 8, (uint64_t)source->mtime);
    if (error || source->role == LOD_SOURCE_FOLDER) {
        return error;
    }
    if (source->role == LOD_SOURCE_FILE) {
        return put_file(file, d, source);
    }
    if (source->role == LOD_SOURCE_EQUAL || source->role == LOD_SOURCE_HARD_LINK) {
        error = lod_buf_append_le(file, 8, source->bytes);
        return error ? error : lod_buf_append_le(file, 4, source->owner);
    }
    return put_text(file, text ? text : "", text ? strlen(text) : 0);
}

static int put_sources(struct lod_buf *file, const struct lod_pack_plan_decisions *d)
{
    const char *before = "";
    int error = lod_buf_append_le(file, 4, d->list->count);

    for (size_t i = 0; !error && i < d->list->count; i++) {
        const struct lod_source *source = &d->list->at[i];
        error = lod_framed_file_put_path(file, before, source->path);
        error = error ? error : put_source(file, d, source);
        before = source->path;
    }
    return error;
}

int lod_pack_plan_write(int dir_fd, const struct lod_pack_plan_decisions *decisions,
                        uint64_t *ret_bytes)
{
    struct lod_buf file = {0};
    int error = lod_framed_file_begin(&lod_pack_plan_kind, &file);

    error = error ? error : put_head(&file, decisions);
    error = error ? error : put_tables(&file, decisions->list);
    error = error ? error : put_order(&file, decisions->order);
    error = error ? error : lod_pack_plan_put_scans(&file, decisions->scans);
    error = error ? error : lod_pack_plan_put_containers(&file, decisions->containers);
    error = error ? error : put_sources(&file, decisions);
    error = error ? error : lod_framed_file_write(dir_fd, &lod_pack_plan_kind, &file);
    if (!error) {
        *ret_bytes = file.bytes;
    }
    lod_buf_finish(&file);
    return error;
}
