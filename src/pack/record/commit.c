/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of packing: writes the tree record, the index and the manifest. Item 0 is the list in the
 * tree record, 000000.tree; the items of the other records follow in record order. See FORMAT.md,
 * Tree list and Index.
 */
#include "pack/record/commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/manifest.h"
#include "record/tree_list.h"

#define TREE_NAME "000000.tree"

/* The tree record is written in whole frames of at most this size. */
#define PUT_BYTES ((size_t)1 << LOD_FRAME_SHIFT_MAX)

struct commit {
    struct lod_write *write;
    struct lod_target *target;
    cJSON *options, *scans;
    struct lod_entry_record *records; /* the records that have items */
    size_t records_count;
    uint32_t *entries; /* their sources */
    size_t entries_count;
    struct lod_manifest manifest;
};

/* Leaves out files that share the item of an unreadable file, for the same reason. */
static void leave_out_orphans(const struct lod_source_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *owner = lod_source_owner(list, &list->at[i]);
        if (owner->role == LOD_SOURCE_LEFT_OUT) {
            list->at[i].why = owner->why;
            list->at[i].role = LOD_SOURCE_LEFT_OUT;
        }
    }
}

static uint8_t flags_of(const struct lod_source *source)
{
    return (uint8_t)((source->added ? LOD_NODE_VIRTUAL : 0) | (source->split ? LOD_NODE_SPLIT : 0));
}

static int list_source(const struct lod_source_list *list, const struct lod_source *source,
                       enum lod_tree_kind kind, struct lod_buf *into)
{
    struct lod_tree_entry entry = {.kind = kind,
                                   .mode = source->mode,
                                   .mtime = source->mtime,
                                   .path = source->path,
                                   .target = lod_source_target(source),
                                   .flags = flags_of(source)};

    if (kind == LOD_TREE_EQUAL) {
        entry.target = lod_source_owner(list, source)->path;
    } else if (kind == LOD_TREE_HARD_LINK) {
        entry.target =
            list->at[source->owner].path; /* the owner may itself be equal to a third file */
    }

    return lod_tree_list_add(into, &entry);
}

/* Lists the entries of one kind in path order. */
static int list_kind(const struct lod_source_list *list, enum lod_tree_kind kind,
                     struct lod_buf *into)
{
    static const uint8_t roles[] = {[LOD_TREE_FOLDER] = LOD_SOURCE_FOLDER,
                                    [LOD_TREE_SYMLINK] = LOD_SOURCE_SYMLINK,
                                    [LOD_TREE_EQUAL] = LOD_SOURCE_EQUAL,
                                    [LOD_TREE_HARD_LINK] = LOD_SOURCE_HARD_LINK};
    int error = 0;

    for (size_t i = 0; !error && i < list->count; i++) {
        if (list->at[i].role == roles[kind]) {
            error = list_source(list, &list->at[i], kind, into);
        }
    }
    return error;
}

static int put_list(struct lod_record_writer *writer, const struct lod_buf *list)
{
    int error = 0;

    for (size_t at = 0; !error && at < list->bytes; at += PUT_BYTES) {
        size_t bytes = list->bytes - at < PUT_BYTES ? list->bytes - at : PUT_BYTES;
        error = lod_record_writer_put(writer, 0, 1, at, list->data + at, bytes);
    }
    return error;
}

static int write_list(struct commit *c, const struct lod_buf *list, struct lod_written *written)
{
    struct lod_record_slot slot = {.path = ""};
    struct lod_record_writer *writer = NULL;

    lod_encoder_raw.row(list->bytes, slot.row); /* a tree row is a raw row */
    written->rows = malloc(LOD_ROW_BYTES);
    if (!written->rows) {
        return -ENOMEM;
    }
    memcpy(written->rows, slot.row, LOD_ROW_BYTES);
    int error = lod_record_writer_create(c->target->records_fd, TREE_NAME, &lod_codec_tree,
                                         LOD_CUT_SMALL, &slot, 1, &writer);
    error = error ? error : put_list(writer, list);
    error = error ? error : lod_record_writer_finish(writer, &written->recd);
    lod_record_writer_destroy(writer);
    written->count = error ? 0 : 1;
    return error;
}

static int write_tree(struct commit *c)
{
    struct lod_buf list = {0};
    int error = lod_tree_list_begin(&list, c->options, c->scans);

    for (unsigned kind = LOD_TREE_FOLDER; !error && kind <= LOD_TREE_HARD_LINK; kind++) {
        error = list_kind(c->write->list, (enum lod_tree_kind)kind, &list);
    }
    error = error ? error : write_list(c, &list, &c->write->written[0]);
    lod_buf_finish(&list);
    return error;
}

/* Numbers the items and collects the records that exist. */
static int gather_records(struct commit *c)
{
    const struct lod_write *write = c->write;
    size_t count = write->order->records_count + 1;
    uint32_t item = 0;

    c->records = calloc(count, sizeof(c->records[0]));
    if (!c->records) {
        return -ENOMEM;
    }
    for (size_t r = 0; r < count; r++) {
        const struct lod_written *written = &write->written[r];
        for (uint32_t i = 0; written->files && i < written->count; i++) {
            write->list->at[written->files[i]].item = item + i;
        }
        item += written->count;
        if (written->count) {
            c->records[c->records_count++] =
                (struct lod_entry_record){.recd = written->recd,
                                          .rows = written->rows,
                                          .labels = written->labels,
                                          .magics = lod_buf_span(&written->magics)};
        }
    }
    c->manifest.items = item;
    c->manifest.records = c->records_count;
    return 0;
}

/* Makes an entry whenever the index asks for it, as an array of them would take 32 bytes a file. */
static struct lod_entry entry_of(const void *ctx, uint32_t number)
{
    const struct commit *c = ctx;
    const struct lod_source_list *list = c->write->list;
    const struct lod_source *source = &list->at[c->entries[number]];
    const struct lod_source *owner = lod_source_owner(list, source);
    mode_t kind = source->role == LOD_SOURCE_FOLDER    ? S_IFDIR
                  : source->role == LOD_SOURCE_SYMLINK ? S_IFLNK
                                                       : S_IFREG;

    return (struct lod_entry){
        .path = source->path,
        .target = lod_source_target(source),
        .mtime = source->mtime,
        .item = owner->item,
        .mode = (uint16_t)(kind | source->mode),
        .flags = (uint8_t)((owner == source ? 0 : LOD_NODE_ALIAS) | flags_of(source))};
}

static int gather_entries(struct commit *c)
{
    const struct lod_source_list *list = c->write->list;

    c->entries = calloc(list->count, sizeof(c->entries[0]));
    if (!c->entries) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *source = &list->at[i];
        if (source->role != LOD_SOURCE_LEFT_OUT) {
            c->entries[c->entries_count++] = (uint32_t)i;
        }
        if (source->role == LOD_SOURCE_FILE) {
            c->manifest.source_bytes += source->bytes;
        }
    }
    return 0;
}

static int write_index(struct commit *c, const char **ret_bad)
{
    struct lod_index_input input = {.entry = entry_of,
                                    .ctx = c,
                                    .entries_count = c->entries_count,
                                    .records = c->records,
                                    .records_count = c->records_count,
                                    .source_bytes = c->manifest.source_bytes,
                                    .seed = lod_manifest_seed(c->options)};

    int error = lod_store_id(c->records, c->records_count, &input.store_id);
    if (!error) {
        c->manifest.store_id = input.store_id;
        error = lod_index_write(c->target->fd, &input, &c->manifest.index_bytes,
                                &c->manifest.index_hash, ret_bad);
    }
    return error;
}

/* Commits a folder that has all files of the store. The journal stays until that has succeeded, so
 * that a rerun can continue. */
static int name_manifest(struct commit *c)
{
    int error = lod_manifest_commit(c->target->fd);

    if (!error) {
        lod_target_end_journal(c->target);
    }
    return error;
}

static int write_all(struct commit *c, const char **ret_bad)
{
    int error = write_tree(c);

    error = error ? error : gather_records(c);
    error = error ? error : gather_entries(c);
    error = error ? error : lod_target_sync_records(c->target);
    error = error ? error : write_index(c, ret_bad);
    c->manifest.pack = c->options;
    c->manifest.scans = c->scans;
    error = error ? error : lod_manifest_stage(c->target->fd, &c->manifest);
    error = error ? error : lod_target_sync_parent(c->target);
    error = error ? error
                  : lod_cancel_poll(c->write->stop); /* the last point where a signal stops pack */
    return error ? error : name_manifest(c);
}

static int say(struct commit *c, int error, const char *bad)
{
    if (error == -ENOMEM || error == -EINTR) {
        return error;
    }
    if (bad) {
        return lod_first_error_set(c->write->first_error, 0, error,
                                   "cannot put '%pE' into the index: %s", bad,
                                   strerrordesc_np(-error));
    }
    return lod_first_error_set(c->write->first_error, 0, error,
                               "cannot finish the store: %s; no store was made",
                               strerrordesc_np(-error));
}

static uint64_t store_bytes(const struct commit *c)
{
    uint64_t bytes = c->manifest.index_bytes;

    for (size_t i = 0; i < c->records_count; i++) {
        bytes += c->records[i].recd.file_bytes;
    }
    return bytes;
}

int lod_commit(struct lod_write *write, struct lod_target *target, cJSON *options, cJSON *scans,
               uint64_t *ret_store_bytes)
{
    struct commit c = {.write = write, .target = target, .options = options, .scans = scans};
    const char *bad = NULL;

    leave_out_orphans(write->list);
    int error = write_all(&c, &bad);
    if (error) {
        error = say(&c, error, bad);
    } else {
        target->keep = true;
        *ret_store_bytes = store_bytes(&c);
    }
    free(c.records);
    free(c.entries);
    return error;
}
