/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the list of a tree record with the nodes. At the end checks the whole store: counts,
 * ids, sums, and the manifest, whose every byte follows from the rest.
 */
#include "verify/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/record.h"
#include "record/tree_list.h"

/* ------------------------------------------------------------------------------ entries */

static const char *judge_target(struct lod_verify *v, const struct lod_node *node,
                                const char *expected)
{
    char target[LOD_TARGET_MAX + 1];
    int error = lod_index_target(v->index, node, target);

    if (error) {
        return "its target cannot be read from the index";
    }
    return strcmp(target, expected) == 0 ? NULL : "the index has another target for it";
}

/* Checks an alias, which shares the item of its owner's node. */
static const char *judge_alias(struct lod_verify *v, const struct lod_node *node,
                               const struct lod_tree_entry *entry)
{
    const bool of_alias = entry->kind == LOD_TREE_HARD_LINK; /* its target may be an equal file */
    struct lod_node own;

    if (!(node->flags & LOD_NODE_ALIAS)) {
        return "the index has another kind of file in its place";
    }
    int error = lod_index_walk(v->index, entry->target, &own);
    if (error && error != -ENOENT && error != -ENOTDIR) {
        return NULL; /* damage of the owner, found with its record; this name is served */
    }
    if (error) {
        return "the file it is an alias of is missing from the index";
    }
    return S_ISREG(own.mode) && own.ref == node->ref && (of_alias || !(own.flags & LOD_NODE_ALIAS))
               ? NULL
               : "the index has it as an alias of another file";
}

static const char *judge_entry(struct lod_verify *v, const struct lod_tree_entry *entry,
                               int *ret_error)
{
    static const mode_t kinds[] = {[LOD_TREE_FOLDER] = S_IFDIR,
                                   [LOD_TREE_SYMLINK] = S_IFLNK,
                                   [LOD_TREE_EQUAL] = S_IFREG,
                                   [LOD_TREE_HARD_LINK] = S_IFREG};
    struct lod_node node;

    *ret_error = 0;
    int error = lod_index_walk(v->index, entry->path, &node);
    if (lod_check_stops(error)) {
        *ret_error = error;
        return NULL;
    }
    if (error) {
        return error == -ENOENT || error == -ENOTDIR ? "it is missing from the index"
                                                     : "its name cannot be read from the index";
    }
    if ((node.mode & S_IFMT) != kinds[entry->kind]) {
        return "the index has another kind of file in its place";
    }
    if ((node.mode & 0777) != entry->mode || node.mtime != entry->mtime) {
        return "the index has another mode or time for it";
    }
    if ((node.flags & (LOD_NODE_VIRTUAL | LOD_NODE_SPLIT)) != entry->flags) {
        return "the index and the tree list differ in its flags";
    }
    switch (entry->kind) {
    case LOD_TREE_FOLDER:
        return NULL;
    case LOD_TREE_SYMLINK:
        return judge_target(v, &node, entry->target);
    default:
        return judge_alias(v, &node, entry);
    }
}

/* `path`: the entry that differs from the index; NULL: the list itself is malformed. */
static int found(struct lod_verify *v, const struct lod_record *record, const char *what,
                 const char *path)
{
    struct lod_finding finding = {
        .what = what, .path = path, .item = LOD_NO_ITEM, .file = LOD_INDEX_NAME};

    if (path) {
        finding.fidelities = LOD_FIDELITIES_ALL;
    } else {
        finding.offset = lod_record_segment_offset(record, 0, 1);
        snprintf(finding.file, sizeof(finding.file), "%s/%s", LOD_RECORDS_NAME,
                 lod_record_desc_of(record)->path);
    }
    return lod_findings_add(&v->findings, &finding);
}

/* Checks the order: by kind, then by path, so that no entry occurs twice. */
static bool in_order(enum lod_tree_kind kind, const char *path, const struct lod_tree_entry *next)
{
    return next->kind > kind || (next->kind == kind && strcmp(next->path, path) > 0);
}

static int check_entries(struct lod_verify *v, struct lod_record *record,
                         struct lod_tree_reader *reader)
{
    enum lod_tree_kind kind = (enum lod_tree_kind)0;
    char path[LOD_PATH_MAX + 1] = "";
    struct lod_tree_entry entry;
    int error, result = 0;

    while (!result && (error = lod_tree_reader_next(reader, &entry)) == 0) {
        const char *what = v->index ? judge_entry(v, &entry, &result) : NULL;
        if (what) {
            result = found(v, record, what, entry.path);
        }
        if (!result && !in_order(kind, path, &entry)) {
            result = found(v, record, "the tree list is not in order", NULL);
        }
        atomic_fetch_add(&v->listed[entry.kind], 1);
        kind = entry.kind;
        strcpy(path, entry.path);
    }
    if (!result && error == -ENOENT) {
        atomic_fetch_add(&v->trees, 1);
    } else if (!result && error == -EILSEQ) {
        result = found(v, record, "the tree list is malformed", NULL);
    } else if (!result && lod_check_stops(error)) {
        result = error;
    } /* an unreadable frame is reported with the record's other frames */
    return result;
}

int lod_check_tree(struct lod_verify *v, struct lod_record *record)
{
    struct lod_tree_reader *reader = NULL;

    int error = lod_tree_reader_create(record, &reader);
    if (lod_check_stops(error)) {
        return error;
    }
    if (error) {
        return lod_check_is_block_error(error)
                   ? 0
                   : found(v, record, "the tree list is malformed", NULL);
    }
    pthread_mutex_lock(&v->lock);
    if (!v->pack) {
        v->pack = cJSON_Duplicate(lod_tree_reader_pack(reader), true);
        v->scans = cJSON_Duplicate(lod_tree_reader_scans(reader), true);
        error = v->pack ? 0 : -ENOMEM;
    }
    pthread_mutex_unlock(&v->lock);
    error = error ? error : check_entries(v, record, reader);
    lod_tree_reader_destroy(reader);
    return error;
}

/* ---------------------------------------------------------------------------- the whole */

/* Finds nodes without an entry in the list. Entries without a node were found one by one. */
static int check_counts(struct lod_verify *v)
{
    const uint64_t aliases =
        atomic_load(&v->listed[LOD_TREE_EQUAL]) + atomic_load(&v->listed[LOD_TREE_HARD_LINK]);
    const bool same =
        atomic_load(&v->listed[LOD_TREE_FOLDER]) == atomic_load(&v->nodes[LOD_TREE_FOLDER]) &&
        atomic_load(&v->listed[LOD_TREE_SYMLINK]) == atomic_load(&v->nodes[LOD_TREE_SYMLINK]) &&
        aliases == atomic_load(&v->nodes[LOD_TREE_EQUAL]);

    if (same || atomic_load(&v->trees) != 1 || atomic_load(&v->rows_missing)) {
        return 0;
    }
    return lod_check_file_found(
        v, LOD_INDEX_NAME, "it has folders, links or aliases that the tree list does not have", 0);
}

static int check_id(struct lod_verify *v)
{
    const struct lod_id id = lod_hash128(v->ids.data, v->ids.bytes);

    if (atomic_load(&v->rows_missing) ||
        (id.low == v->manifest.store_id.low && id.high == v->manifest.store_id.high)) {
        return 0;
    }
    return lod_check_file_found(v, LOD_MANIFEST_NAME, "store_id does not match the records", 0);
}

/* Adds the bytes of a record's items to *sum. Returns -EILSEQ if one is not known. */
static int add_bytes(struct lod_verify *v, const struct lod_record_desc *recd, uint64_t *sum)
{
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    uint64_t bytes[LOD_GROUPS_MAX];
    uint8_t row[LOD_ROW_BYTES];
    int error = 0;

    for (uint32_t i = 0; !error && recd->codec != LOD_CODEC_TREE && i < recd->items; i++) {
        error = lod_index_item(v->index, recd->first_item + i, row);
        error = error ? error : lod_codec_segments(codec, row, bytes);
        *sum += error ? 0 : codec->source_bytes(row);
    }
    return lod_check_stops(error) ? error : error ? -EILSEQ : 0;
}

/* Rows of the index that cannot be read have findings of their own. */
static int check_sums(struct lod_verify *v)
{
    struct lod_record_desc recd;
    uint64_t sum = 0;
    int error = 0;

    for (uint32_t i = 0; !error && i < lod_index_records(v->index); i++) {
        error = lod_index_record(v->index, i, &recd);
        error = error ? error : add_bytes(v, &recd, &sum);
    }
    if (error || sum == v->manifest.source_bytes) {
        return lod_check_stops(error) ? error : 0;
    }
    return lod_check_file_found(v, LOD_MANIFEST_NAME, "source_bytes is not the sum of all items",
                                0);
}

static int check_manifest(struct lod_verify *v)
{
    struct lod_manifest made = v->manifest;
    char *text = NULL;
    bool same = false;

    if (v->pack) {
        made.pack = v->pack;
        made.scans = v->scans;
    }
    int error = lod_manifest_text(&made, &text);
    if (!error) {
        error = lod_manifest_is(v->store, text, &same);
    }
    free(text);
    if (lod_check_stops(error) || same) {
        return error;
    }
    return lod_check_file_found(v, LOD_MANIFEST_NAME, "it differs from the text that pack writes",
                                0);
}

/* Adds a finding for an alias of an item whose record is not in the index. */
static int lose_alias(struct lod_verify *v, uint32_t node)
{
    char path[LOD_PATH_MAX + 1];

    return lod_check_row_found(v, LOD_SECTION_NODE, node,
                               (struct lod_finding){.what = "its record is not in the index",
                                                    .item = LOD_NO_ITEM,
                                                    .path = lod_check_path(v, node, path),
                                                    .fidelities = LOD_FIDELITIES_ALL});
}

/* Adds a finding for each alias of a damaged item, like that of the item's own name. */
static int add_aliases(struct lod_verify *v)
{
    struct lod_costly *list = NULL;
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    struct lod_record_desc recd;
    size_t count = 0;

    int error = lod_costly_list(&v->findings, &list, &count);
    for (uint32_t i = 0; !error && v->findings.count && i < lod_index_nodes(v->index); i++) {
        if (lod_index_node(v->index, i, &node) || !(node.flags & LOD_NODE_ALIAS)) {
            continue;
        }
        if (v->records_unknown && lod_index_record_of(v->index, node.ref, &recd)) {
            error = v->part > 1 ? 0 : lose_alias(v, i);
            continue;
        }
        size_t k = lod_costly_first(list, count, node.ref);
        for (; !error && k < count && list[k].item == node.ref; k++) {
            struct lod_finding finding = v->findings.at[list[k].finding];
            finding.path = lod_check_path(v, i, path);
            error = lod_findings_add(&v->findings, &finding);
        }
    }
    free(list);
    return error;
}

/* Compares the facts that depend on all records. */
static int compare_sums(struct lod_verify *v)
{
    int error = check_counts(v);

    error = error ? error : check_id(v);
    error = error ? error : check_sums(v);
    return error ? error : check_manifest(v);
}

int lod_check_whole(struct lod_verify *v)
{
    if (!v->index) {
        return 0;
    }
    int error = v->part > 1 ? 0 : compare_sums(v);
    error = error ? error : lod_check_borrowers(v);
    /* Nodes were counted in part 1 only. */
    return error || (v->part <= 1 && !atomic_load(&v->nodes[LOD_TREE_EQUAL])) ? error
                                                                              : add_aliases(v);
}
