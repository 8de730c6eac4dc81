/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers entries from records. Files come from the path entries of the records; folders, links and
 * aliases come from the list of the tree record. See salvage.h.
 */
#include "repair/salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "repair/tree_mend.h"
#include "record/metadata.h"
#include "record/record.h"
#include "record/record_header.h"
#include "record/record_names.h"
#include "record/tree_list.h"

/* ------------------------------------------------------------------------------ records */

/* Copies the labels and the lists of magic words of all slots. */
static int copy_more(const struct lod_metadata *metadata, int32_t *labels, struct lod_buf *lists)
{
    struct lod_path_entry entry;
    int error = 0;

    for (uint32_t slot = 0; !error && slot < metadata->items; slot++) {
        error = lod_metadata_path(metadata, slot, &entry);
        labels[slot] = error ? LOD_NO_LABEL : entry.label;
        error =
            error ? error : lod_buf_append(lists, entry.magics.list.at, entry.magics.list.bytes);
    }
    return error;
}

static int add_record(struct lod_salvage *s, const struct lod_record_desc *recd,
                      const struct lod_metadata *metadata)
{
    const size_t bytes = (size_t)recd->items * LOD_ROW_BYTES;

    if (LOD_LIST_RESERVE(&s->records)) {
        return -ENOMEM;
    }
    struct lod_buf lists = {0};
    uint8_t *copy = malloc(bytes);
    int32_t *labels = malloc(recd->items * sizeof(*labels));
    int error = copy && labels ? copy_more(metadata, labels, &lists) : -ENOMEM;
    if (error) {
        free(copy);
        free(labels);
        lod_buf_finish(&lists);
        return error;
    }
    memcpy(copy, metadata->bytes, bytes);
    s->records.at[s->records.count++] = (struct lod_entry_record){
        .recd = *recd, .rows = copy, .labels = labels, .magics = lod_buf_span(&lists)};
    return 0;
}

static int add_files(struct lod_salvage *s, const struct lod_record_desc *recd,
                     const struct lod_metadata *metadata)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    struct lod_path_entry path;
    int error = 0;

    for (uint32_t slot = 0; !error && slot < recd->items; slot++) {
        error = lod_metadata_path(metadata, slot, &path);
        if (error) {
            break;
        }
        struct lod_entry entry = {.path = lod_salvage_keep(s, path.path, path.path_bytes),
                                  .mtime = path.mtime,
                                  .item = (uint32_t)s->items + slot,
                                  .mode = (uint16_t)(S_IFREG | path.mode),
                                  .flags = (uint8_t)path.node_flags};
        error = entry.path ? lod_salvage_add(s, &entry) : -ENOMEM;
        s->source_bytes += codec->source_bytes(metadata->bytes + (size_t)slot * LOD_ROW_BYTES);
    }
    return error;
}

/* Adds a listed entry. Folders and symbolic links are complete. Aliases are resolved after all
 * files are known. */
static int add_listed(struct lod_salvage *s, const struct lod_tree_entry *listed)
{
    static const mode_t kinds[] = {[LOD_TREE_FOLDER] = S_IFDIR,
                                   [LOD_TREE_SYMLINK] = S_IFLNK,
                                   [LOD_TREE_EQUAL] = S_IFREG,
                                   [LOD_TREE_HARD_LINK] = S_IFREG};
    const bool alias = listed->kind == LOD_TREE_EQUAL || listed->kind == LOD_TREE_HARD_LINK;
    struct lod_entry entry = {.path = lod_salvage_keep(s, listed->path, strlen(listed->path)),
                              .mtime = listed->mtime,
                              .mode = (uint16_t)(kinds[listed->kind] | listed->mode),
                              .flags = (uint8_t)((alias ? LOD_NODE_ALIAS : 0) | listed->flags)};

    if (listed->target) {
        entry.target = lod_salvage_keep(s, listed->target, strlen(listed->target));
    }
    return entry.path && (entry.target || !listed->target) ? lod_salvage_add(s, &entry) : -ENOMEM;
}

static int add_tree(struct lod_salvage *s, struct lod_record *record)
{
    struct lod_tree_reader *reader = NULL;
    struct lod_tree_entry entry;
    int error = lod_tree_reader_create(record, &reader);

    if (error) {
        return error == -ENOMEM ? error : 0;
    }
    if (!s->pack) {
        s->pack = cJSON_Duplicate(lod_tree_reader_pack(reader), true);
        s->scans = cJSON_Duplicate(lod_tree_reader_scans(reader), true);
        error = s->pack && !s->scans == !lod_tree_reader_scans(reader) ? 0 : -ENOMEM;
    }
    while (!error && (error = lod_tree_reader_next(reader, &entry)) == 0) {
        error = add_listed(s, &entry);
    }
    s->tree_whole = error == -ENOENT;
    lod_tree_reader_destroy(reader);
    return error == -ENOMEM ? error : 0;
}

static int add_opened(struct lod_salvage *s, const struct lod_record_desc *recd,
                      struct lod_record *record, const struct lod_metadata *metadata)
{
    int error = recd->items > LOD_NODES_MAX - s->items ? -E2BIG : 0;

    error = error ? error : add_record(s, recd, metadata);
    if (!error && recd->codec == LOD_CODEC_TREE) {
        s->tree_seen = true;
        error = add_tree(s, record);
    } else if (!error) {
        error = add_files(s, recd, metadata);
    }
    s->items += recd->items;
    return error;
}

/* Returns whether an error says nothing about the record's bytes. Then repair stops, so that a
 * sound record is not left out. */
static bool stops_repair(int error)
{
    switch (error) {
    case -ENOMEM:
    case -EMFILE:
    case -ENFILE:
    case -EACCES:
    case -EINTR:
    case -ENOTSUP: /* of another version: this store must not be rewritten */
        return true;
    default:
        return false;
    }
}

static int salvage_record(struct lod_store *store, struct lod_salvage *s, const char *name,
                          struct lod_repair_report *report)
{
    struct lod_metadata metadata = {0};
    struct lod_record *record = NULL;
    struct lod_record_desc recd = {0};
    const char *what = "its header is damaged";

    int error = lod_record_header_read(store, name, &recd);
    if (!error) {
        what = "its metadata is damaged";
        error = lod_record_open(store, &recd, &record);
    }
    error = error ? error : lod_metadata_read(store, &recd, &metadata);
    if (!error) {
        error = add_opened(s, &recd, record, &metadata);
    } else if (stops_repair(error)) {
        what = NULL;
    } else if (lod_record_name_valid(name)) {
        s->records_lost++;
        error = lod_repair_add_loss(report, name, what, recd.items);
    } else {
        error = 0; /* not a record's name, so no record is missing */
    }
    lod_metadata_finish(&metadata);
    lod_record_close(record);
    return error;
}

/* -------------------------------------------------------------------------------- whole */

int lod_salvage(struct lod_store *store, struct lod_interrupt interrupt, struct lod_salvage *s,
                struct lod_repair_report *report)
{
    struct lod_buf names = {0};
    const char *name;

    int error = lod_record_names_list(store, &names);
    for (uint32_t i = 0; !error && (name = lod_record_names_at(&names, i)); i++) {
        error = lod_interrupted(interrupt);
        error = error ? error : salvage_record(store, s, name, report);
    }
    lod_buf_finish(&names);
    error = error ? error : lod_tree_mend_aliases(s, report);
    if (!error && !s->tree_whole) {
        error = lod_tree_mend_folders(s, report);
    }
    return error;
}
