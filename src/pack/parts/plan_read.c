/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pack.plan but for its sources; its bytes are in plan_format.h. */
#include <errno.h>
#include <stdlib.h>

#include "pack/parts/plan_file.h"
#include "pack/parts/plan_format.h"
#include "pack/parts/plan_places.h"

static int take_head(struct lod_pack_plan *plan, struct lod_cursor *c)
{
    uint64_t *const facts[LOD_PLAN_FACTS] = {&plan->facts.other_labels, &plan->facts.tables_stored,
                                             &plan->facts.tables_beside, &plan->facts.shards};
    const size_t bytes = lod_take_le16(c);

    plan->options = (struct lod_span){.at = lod_take(c, bytes), .bytes = bytes};
    plan->journal = lod_take_le64(c);
    for (unsigned i = 0; i < LOD_PLAN_FACTS; i++) {
        *facts[i] = lod_take_le64(c);
    }
    const uint8_t labelled = lod_take_u8(c);
    plan->labelled = labelled;
    return c->short_of_bytes || labelled > 1 ? -EBADMSG : 0;
}

/* Tables are in the order of their files. */
static int take_tables(struct lod_pack_plan *plan, struct lod_cursor *c)
{
    const uint32_t count = lod_take_le32(c);
    int error = count > c->left / LOD_PLAN_TABLE_BYTES ? -EBADMSG : 0;

    for (uint32_t i = 0; !error && i < count; i++) {
        struct lod_pack_plan_table table = {.file = lod_take_le32(c), .parts = lod_take_le32(c)};
        table.kind = lod_take_u8(c);
        const uint8_t wanted = lod_take_u8(c);
        table.wanted = wanted;
        error = wanted > 1 || table.parts == 0 || table.kind < LOD_TABLE_NPY ||
                        table.kind > LOD_TABLE_LIBSVM ||
                        (i && plan->tables.at[i - 1].file >= table.file)
                    ? -EBADMSG
                    : LOD_LIST_ADD(&plan->tables, table);
    }
    return error;
}

static int take_record(struct lod_order *order, struct lod_cursor *c)
{
    struct lod_order_record *record = &order->records[order->records_count];
    const uint8_t codec = lod_take_u8(c);

    *record = (struct lod_order_record){.codec = lod_codec_find(codec),
                                        .first = (uint32_t)order->files_count};
    record->cut = lod_take_le32(c);
    record->count = lod_take_le32(c);
    record->source_bytes = lod_take_le64(c);
    if (!record->codec || codec == LOD_CODEC_TREE || record->count == 0 ||
        record->count > LOD_RECORD_ITEMS_MAX || record->count > c->left / 4) {
        return -EBADMSG;
    }
    order->files_count += record->count;
    order->records_count++;
    return 0;
}

static int take_records(struct lod_order *order, struct lod_cursor *c)
{
    order->record_bytes = lod_take_le64(c);
    order->cuts = lod_take_le32(c);
    const uint32_t count = lod_take_le32(c);
    if (count > c->left / LOD_PLAN_RECORD_BYTES) {
        return -EBADMSG;
    }
    order->records = malloc(((size_t)count + 1) * sizeof(order->records[0]));
    int error = order->records ? 0 : -ENOMEM;
    for (uint32_t i = 0; !error && i < count; i++) {
        error = take_record(order, c);
    }
    return error;
}

static int take_files(struct lod_order *order, struct lod_cursor *c)
{
    const uint32_t count = lod_take_le32(c);

    if (count != order->files_count || count > c->left / 4) {
        return -EBADMSG;
    }
    order->files = malloc(((size_t)count + 1) * sizeof(order->files[0]));
    for (uint32_t i = 0; order->files && i < count; i++) {
        order->files[i] = lod_take_le32(c);
    }
    return order->files ? 0 : -ENOMEM;
}

/* Takes the containers, and notes where the scripts and the sources are. */
static int take_rest(struct lod_pack_plan *plan, struct lod_cursor *c)
{
    const uint32_t bytes = lod_take_le32(c);
    const uint8_t *at = lod_take(c, bytes);
    int error = lod_pack_plan_take_containers(c, &plan->containers);

    if (error) {
        return error;
    }
    plan->sources = lod_take_le32(c);
    plan->names = *c;
    if (!at || c->short_of_bytes || plan->sources == 0 || plan->sources > LOD_NODES_MAX ||
        plan->sources > c->left / LOD_PLAN_SOURCE_BYTES) {
        return -EBADMSG;
    }
    plan->scans = lod_cursor(at, bytes);
    return 0;
}

int lod_pack_plan_take(struct lod_buf *file, struct lod_pack_plan *ret_plan)
{
    struct lod_cursor c = lod_cursor(file->data, file->bytes);

    *ret_plan = (struct lod_pack_plan){.file = *file};
    *file = (struct lod_buf){0};
    lod_take(&c, LOD_FRAMED_FILE_HEAD);
    int error = take_head(ret_plan, &c);
    error = error ? error : take_tables(ret_plan, &c);
    error = error ? error : take_records(&ret_plan->order, &c);
    error = error ? error : take_files(&ret_plan->order, &c);
    error = error ? error : take_rest(ret_plan, &c);
    if (error) {
        lod_pack_plan_finish(ret_plan);
    }
    return error;
}

int lod_pack_plan_read(int dir_fd, struct lod_pack_plan *ret_plan)
{
    struct lod_buf file = {0};
    int error = lod_framed_file_read(dir_fd, &lod_pack_plan_kind, &file);

    return error ? error : lod_pack_plan_take(&file, ret_plan);
}

void lod_pack_plan_finish(struct lod_pack_plan *plan)
{
    lod_buf_finish(&plan->file);
    lod_order_finish(&plan->order);
    lod_source_list_finish(&plan->containers);
    free(plan->tables.at);
    *plan = (struct lod_pack_plan){0};
}
