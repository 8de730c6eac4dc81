/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the folders of tables: each file must be a shard of the number in its name, and
 * schema.json must agree with the shards. Files that cannot be read are reported by other steps.
 * schema.c compares.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "list.h"
#include "record/record.h"
#include "verify/check.h"
#include "verify/schema.h"

#define SCHEMA_NAME "schema.json"
#define LABELS_NAME "labels.npy"

/* The state of one step. It keeps records open, since neighbours are in the same records. */
struct tables {
    struct lod_verify *verify;
    struct lod_record *raw, *toc; /* the last ones opened */
    LOD_LIST(struct lod_shard_facts) shards;
    bool labels;
    const char *wrong; /* of the folder */
    bool note;
};

/* Read errors except -ENOMEM end the check of this table; other steps report them. */
static int skip_table(int error)
{
    return lod_check_stops(error) ? error : -ENODATA;
}

static int open_record(struct tables *t, uint32_t item, struct lod_record **ret_record)
{
    struct lod_record_desc recd;
    int error = lod_index_record_of(t->verify->index, item, &recd);

    if (error) {
        return skip_table(error);
    }
    struct lod_record **kept = recd.codec == LOD_CODEC_TOC ? &t->toc : &t->raw;
    if (!*kept || lod_record_desc_of(*kept)->number != recd.number) {
        *kept = lod_record_close(*kept);
        error = lod_record_open(t->verify->store, &recd, kept);
    }
    *ret_record = *kept;
    return error ? skip_table(error) : 0;
}

/* Reads the first `bytes` bytes of group 1, or all of a smaller one, for free(). */
static int read_front(struct lod_record *record, uint32_t slot, uint64_t bytes,
                      struct lod_span *ret_front)
{
    const uint64_t frame = 1ull << lod_record_desc_of(record)->frame_shift;
    const uint64_t all = lod_record_segment_bytes(record, slot, 1);
    const uint64_t wanted = bytes < all ? bytes : all;
    const uint64_t read = lod_round_up(wanted, frame);
    uint8_t *front =
        malloc((read < all ? read : all) + 1); /* whole frames, the last may be shorter */
    int error = front ? 0 : -ENOMEM;

    for (uint64_t at = 0; !error && at < wanted; at += frame) {
        error = lod_record_read_frame(record, slot, 1, at / frame, front + at);
    }
    if (error) {
        free(front);
        return skip_table(error);
    }
    *ret_front = (struct lod_span){.at = front, .bytes = (size_t)wanted};
    return 0;
}

static int read_shard(struct tables *t, uint32_t item, struct lod_shard_facts *ret_facts)
{
    struct lod_record *record = NULL;
    struct lod_span head = {0};

    int error = open_record(t, item, &record);
    if (error) {
        return error;
    }
    const struct lod_record_desc *recd = lod_record_desc_of(record);
    const struct lod_codec *codec = lod_codec_find(recd->codec);
    const uint32_t slot = item - recd->first_item;
    if (!codec->shard) {
        return -EILSEQ;
    }
    error = read_front(record, slot, LOD_SHARD_HEAD_BYTES, &head);
    error = error ? error : codec->shard(lod_record_row(record, slot), head, ret_facts);
    free((void *)(uintptr_t)head.at);
    return error;
}

/* Checks a file of the folder. */
static int add_file(struct tables *t, const struct lod_node *node)
{
    char name[LOD_NAME_MAX + 1], right[32];
    struct lod_shard_facts facts;

    int error = lod_index_name(t->verify->index, node, name);
    if (error) {
        return skip_table(error);
    }
    if (strcmp(name, SCHEMA_NAME) == 0) {
        return 0;
    }
    if (strcmp(name, LABELS_NAME) == 0) {
        t->labels = true;
        return 0;
    }
    error = S_ISREG(node->mode) ? read_shard(t, node->ref, &facts) : -EILSEQ;
    if (!error) {
        snprintf(right, sizeof(right), "shard-%05" PRIu32 ".toc", facts.number);
        error = strcmp(name, right) == 0 ? LOD_LIST_ADD(&t->shards, facts) : -EILSEQ;
    }
    if (error == -EILSEQ) {
        t->wrong = "its folder has a file that is not the shard of the number in its name";
        error = 0;
    }
    return error;
}

static int compare(const void *a, const void *b)
{
    const struct lod_shard_facts *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static int add_folder(struct tables *t, const struct lod_node *folder)
{
    struct lod_node node;
    int error = 0;

    t->shards.count = 0;
    t->labels = false;
    t->wrong = NULL;
    t->note = false;
    for (uint32_t i = 0; !error && i < folder->count; i++) {
        error = lod_index_node(t->verify->index, folder->ref + i, &node);
        /* A child of another folder has a finding of its own. Without this check folders could
         * share children. */
        error = error || node.parent != folder->number ? skip_table(error ? error : -EILSEQ)
                                                       : add_file(t, &node);
    }
    if (t->shards.count) {
        qsort(t->shards.at, t->shards.count, sizeof(t->shards.at[0]), compare);
    }
    return error;
}

static int schema_found(struct tables *t, const struct lod_node *node,
                        const struct lod_record *record)
{
    const struct lod_record_desc *recd = lod_record_desc_of(record);
    const uint32_t slot = node->ref - recd->first_item;
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = {
        .what = t->wrong,
        .path = lod_check_path(t->verify, node->number, path),
        .offset = lod_record_segment_offset(record, slot, 1),
        .bytes = lod_record_segment_bytes(record, slot, 1),
        .item = node->ref,
        .slot = slot,
        .note = t->note,
        .fidelities =
            lod_findings_stored(lod_codec_find(recd->codec), lod_record_row(record, slot)) &
            (uint16_t) ~(1u << LOD_ORIGINAL),
    };

    snprintf(finding.file, sizeof(finding.file), "%s/%s", LOD_RECORDS_NAME, recd->path);
    return lod_findings_add(&t->verify->findings, &finding);
}

static void too_large(struct tables *t)
{
    t->wrong = "its schema is too large to be checked";
    t->note = true;
}

/* Compares the text. Its memory is reserved before it is read. */
static int judge_text(struct tables *t, struct lod_record *record, uint32_t slot)
{
    const struct lod_schema_shards shards = {
        .at = t->shards.at, .count = t->shards.count, .labels = t->labels};
    struct lod_span text = {0};
    int error = read_front(record, slot, UINT64_MAX, &text);

    if (error) {
        return error;
    }
    if (lod_schema_cost(text) > t->verify->work.bytes_max) {
        too_large(t);
    } else {
        t->wrong = lod_schema_judge(text, &shards);
    }
    free((void *)(uintptr_t)text.at);
    return 0;
}

static int judge(struct tables *t, struct lod_record *record, uint32_t slot)
{
    const uint64_t bytes = lod_record_segment_bytes(record, slot, 1);
    struct lod_memory_semaphore *work = &t->verify->work;

    if (t->wrong) {
        return 0;
    }
    if (bytes > work->bytes_max / 2) {
        too_large(t);
        return 0;
    }
    const uint64_t most = bytes * LOD_SCHEMA_COST_A_BYTE;
    const uint64_t reserved =
        lod_memory_semaphore_take(work, most < work->bytes_max ? most : work->bytes_max);
    int error = judge_text(t, record, slot);
    lod_memory_semaphore_release(work, reserved);
    return error;
}

static int check_schema(struct tables *t, const struct lod_node *node)
{
    struct lod_record *record = NULL;
    struct lod_node folder, found;

    int error = lod_index_node(t->verify->index, node->parent, &folder);
    if (error || !S_ISDIR(folder.mode) || !(folder.flags & LOD_NODE_VIRTUAL)) {
        return error ? skip_table(error) : 0;
    }
    error = lod_index_lookup(t->verify->index, &folder, SCHEMA_NAME, strlen(SCHEMA_NAME), &found);
    if (error || found.number != node->number) {
        return skip_table(error); /* one of several files of that name; another one is served */
    }
    error = add_folder(t, &folder);
    error = error ? error : open_record(t, node->ref, &record);
    error = error ? error : judge(t, record, node->ref - lod_record_desc_of(record)->first_item);
    return !error && t->wrong ? schema_found(t, node, record) : error;
}

static bool is_schema(struct lod_index *index, const struct lod_node *node)
{
    char name[LOD_NAME_MAX + 1];

    return node->flags & LOD_NODE_VIRTUAL && S_ISREG(node->mode) &&
           node->name_bytes == sizeof(SCHEMA_NAME) - 1 && lod_index_name(index, node, name) == 0 &&
           strcmp(name, SCHEMA_NAME) == 0;
}

int lod_check_schemas(struct lod_verify *v, uint64_t step)
{
    const uint64_t first = step * LOD_STEP_NODES, nodes = lod_index_nodes(v->index);
    struct tables tables = {.verify = v};
    struct lod_node node;
    int error = 0;

    for (uint64_t i = first; !error && i < nodes && i - first < LOD_STEP_NODES; i++) {
        if (lod_index_node(v->index, (uint32_t)i, &node) == 0 && is_schema(v->index, &node)) {
            error = check_schema(&tables, &node);
            error = error == -ENODATA ? 0 : error;
        }
    }
    free(tables.shards.at);
    lod_record_close(tables.raw);
    lod_record_close(tables.toc);
    return error;
}
