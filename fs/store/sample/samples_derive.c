/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits the items of all pictures once: finds leads and labels, and adds samples to the sums of
 * their record and split. See samples_derive.h.
 */
#include "sample/samples_derive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sample/item_label.h"
#include "sample/part.h"
#include "sample/sample_group.h"
#include "sample/sample_make.h"
#include "sample/sample_split.h"

#define LIST_MAX (1u << 30) /* a longer list of classes is not shown */

/* The running sums of a split. */
struct split {
    uint32_t leads[LOD_FRAMINGS]; /* of the records before */
    uint32_t words[LOD_FRAMINGS]; /* magic words of samples of this record; see sample_make.h */
    uint32_t class_bytes;
    bool own_labels; /* a lead has a label from `pack --labels`, so folders are no classes */
};

struct derive {
    const struct lod_sample_tree *tree;
    struct lod_sample_kinds kinds;
    struct lod_sample_splits splits;
    struct lod_sample_maker *maker;
    /* One for each split: the sums of the current record alone. */
    struct lod_sums_row *now;
    uint64_t (*keys)[LOD_RECORD_KINDS]; /* for each split and kind: the key of its last lead */
    unsigned kind;                      /* of the current record */
    struct split *before;
    struct lod_samples made;
};

/* Returns the node of an item if it is a picture's file, else an error or -ENOENT. */
static int own_node(const struct derive *d, uint32_t item, uint8_t row[LOD_ROW_BYTES],
                    struct lod_sample_node *ret_node)
{
    int error = d->tree->item(d->tree->ctx, item, row);

    error = error ? error : d->tree->node(d->tree->ctx, lod_row_own_node(row), ret_node);
    if (error) {
        return error;
    }
    return S_ISREG(ret_node->mode) && ret_node->item == item &&
                   !(ret_node->flags & (LOD_NODE_ALIAS | LOD_NODE_VIRTUAL))
               ? 0
               : -ENOENT;
}

/* The path and the name of a lead. */
struct lead {
    size_t path_bytes;
    uint64_t key;
};

static int make_sample(const struct derive *d, const struct lod_sample_node *node,
                       const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                       const struct lod_sample_row *sample, struct lead *ret_lead)
{
    char path[LOD_PATH_MAX + 1];
    int error = d->tree->path(d->tree->ctx, node->number, path);

    if (error) {
        return error;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct lod_sample_part lead = {.path = path,
                                   .path_bytes = strlen(path),
                                   .item = node->item,
                                   .lead = true,
                                   .mode = node->mode,
                                   .mtime = node->mtime,
                                   .codec = codec,
                                   .row = row};
    ret_lead->path_bytes = lead.path_bytes;
    ret_lead->key = lod_name_key(name, strlen(name), d->tree->seed);
    const size_t split = d->splits.folders.at[0] ? strcspn(path, "/") + 1 : 0;
    lod_sample_begin(d->maker, sample->form, node->item, sample->label, split);
    error = lod_sample_add_members(d->maker, d->tree, path, lead.path_bytes,
                                   node->number - sample->before, node->number);
    if (!error && lod_row_flags(row) & LOD_ITEM_HAS_MAGIC) {
        error = d->tree->magics(d->tree->metadata_ctx, node->item, &lead.magics);
    }
    error = error ? error : lod_sample_add(d->maker, &lead);
    return error ? error
                 : lod_sample_add_members(d->maker, d->tree, path, lead.path_bytes,
                                          node->number + 1, node->number + 1 + sample->after);
}

static int find_takers(const struct derive *d, struct split *split, bool takes[LOD_FRAMINGS])
{
    int error = 0;

    for (unsigned i = 0; !error && i < LOD_FRAMINGS; i++) {
        error = lod_sample_takes(d->maker, lod_framing_at(i), &split->words[i], &takes[i]);
    }
    return error;
}

static int add_to_sums(const struct derive *d, struct lod_sums_row *sums, struct split *split)
{
    bool takes[LOD_FRAMINGS];
    int failed = find_takers(d, split, takes);

    if (failed) {
        return failed;
    }
    for (unsigned fidelity = LOD_Q1; fidelity <= LOD_FULL; fidelity++) {
        int error = lod_sample_set_fidelity(d->maker, (enum lod_fidelity)fidelity);
        if (error) {
            return error;
        }
        for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
            d->maker->sample.id = split->leads[i] + sums->leads[i];
            sums->bytes[i][fidelity - 1] +=
                takes[i] ? lod_framing_bytes(lod_framing_at(i), &d->maker->sample) : 0;
        }
    }
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        sums->leads[i] += takes[i];
    }
    return 0;
}

/* Adds path and key of a lead to the sums of its split, which count it already. */
static void add_lead(struct derive *d, size_t split, const struct lead *lead)
{
    struct lod_sums_row *sums = &d->now[split];
    uint64_t *last = &d->keys[split][d->kind];

    if (lead->path_bytes > sums->longest_path) {
        sums->longest_path = (uint32_t)lead->path_bytes;
    }
    if (sums->leads[0] == 1) {
        sums->key = lead->key;
    }
    d->made.ascend = d->made.ascend && lead->key >= *last;
    *last = lead->key;
}

static int derive_item(struct derive *d, const struct lod_codec *codec, uint32_t item)
{
    struct lod_sample_group group;
    struct lod_sample_row sample = {.label = LOD_NO_LABEL};
    struct lod_sample_node node;
    uint8_t row[LOD_ROW_BYTES];
    struct lead lead = {0};
    size_t split = 0;

    int error = own_node(d, item, row, &node);
    if (error || !lod_sample_fits(codec, row)) {
        return error == -ENOENT ? 0 : error;
    }
    error = lod_sample_group_find(d->tree, &d->kinds, &node, &group);
    if (error || group.form == LOD_SAMPLE_NONE) {
        return error;
    }
    error = lod_sample_splits_place(d->tree, &d->splits, &node, &split, &sample.label);
    if (error) {
        return error == -ENOENT ? 0 : error; /* it is in no split */
    }
    if (lod_row_has_label(row)) {
        d->before[split].own_labels = true;
        error = d->tree->label(d->tree->metadata_ctx, item, &sample.label);
    }
    sample.form = group.form;
    sample.before = group.before;
    sample.after = group.after;
    error = error ? error : make_sample(d, &node, codec, row, &sample, &lead);
    error = error ? error : add_to_sums(d, &d->now[split], &d->before[split]);
    if (!error) {
        lod_sample_row_put(&sample, d->made.rows + (size_t)item * LOD_SAMPLE_ROW_BYTES);
        add_lead(d, split, &lead);
    }
    return error;
}

static int derive_record(struct derive *d, uint32_t number)
{
    const size_t splits = d->splits.folders.count;
    struct lod_sample_record record;

    int error = d->tree->record(d->tree->ctx, number, &record);
    if (error || !lod_sample_rank(&d->kinds, &record)) {
        return error;
    }
    memset(d->now, 0, splits * sizeof(d->now[0]));
    d->kind = record.kind;
    for (uint32_t i = 0; !error && i < record.items; i++) {
        error = derive_item(d, lod_codec_find(record.codec), record.first_item + i);
    }
    for (size_t i = 0; !error && i < splits; i++) {
        memset(d->before[i].words, 0, sizeof(d->before[i].words));
        for (unsigned k = 0; k < LOD_FRAMINGS; k++) {
            d->before[i].leads[k] += d->now[i].leads[k];
        }
        if (d->now[i].leads[0]) { /* tar takes all */
            d->now[i].class_bytes = d->before[i].class_bytes;
            d->now[i].record = number;
            d->now[i].split = d->splits.folders.at[i];
            error = LOD_LIST_ADD(&d->made.sums, d->now[i]);
        }
    }
    return error;
}

static int by_split(const void *a, const void *b)
{
    const struct lod_sums_row *x = a, *y = b;

    if (x->split != y->split) {
        return x->split < y->split ? -1 : 1;
    }
    return x->record < y->record ? -1 : x->record > y->record;
}

/* Adds the bytes and leads of `row` to `sum`; `row` gets the former sum. */
static void pass_on(struct lod_sums_row *sum, struct lod_sums_row *row)
{
    const struct lod_sums_row own = *row;

    memcpy(row->leads, sum->leads, sizeof(row->leads));
    memcpy(row->bytes, sum->bytes, sizeof(row->bytes));
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        sum->leads[i] += own.leads[i];
        for (unsigned k = 0; k < LOD_FULL; k++) {
            sum->bytes[i][k] += own.bytes[i][k];
        }
    }
}

/* Replaces each row's own values by the sums before it, and adds a closing row to each split. */
static int add_up(struct lod_samples *made)
{
    const size_t count = made->sums.count;
    size_t first = 0;

    for (size_t i = 0; i < count; i++) { /* closing rows; sorting moves them to their places */
        if (i + 1 == count || made->sums.at[i + 1].split != made->sums.at[i].split) {
            const struct lod_sums_row closing = {.record = LOD_SUMS_CLOSING,
                                                 .split = made->sums.at[i].split,
                                                 .class_bytes = made->sums.at[i].class_bytes};
            if (LOD_LIST_ADD(&made->sums, closing)) {
                return -ENOMEM;
            }
        }
    }
    if (made->sums.count) {
        qsort(made->sums.at, made->sums.count, sizeof(made->sums.at[0]), by_split);
    }
    for (size_t i = 0; i < made->sums.count; i++) {
        struct lod_sums_row sum = {0};
        for (first = i; made->sums.at[i].record != LOD_SUMS_CLOSING; i++) {
            sum.longest_path = made->sums.at[i].longest_path > sum.longest_path
                                   ? made->sums.at[i].longest_path
                                   : sum.longest_path;
            pass_on(&sum, &made->sums.at[i]);
        }
        pass_on(&sum, &made->sums.at[i]);
        for (size_t k = first; k <= i; k++) {
            made->sums.at[k].longest_path = sum.longest_path;
        }
    }
    return 0;
}

/* The bytes of the lists of classes: a line for each. */
static int find_class_bytes(struct derive *d)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_sample_node node;
    size_t split = 0;
    int error = 0;

    for (size_t i = 0; !error && i < d->splits.classes.count; i++) {
        error = d->tree->name(d->tree->ctx, d->splits.classes.at[i], name);
        error = error ? error : d->tree->node(d->tree->ctx, d->splits.classes.at[i], &node);
        while (!error && split < d->splits.folders.count &&
               d->splits.folders.at[split] != node.parent) {
            split++; /* both lists ascend; parents of a damaged index may not */
        }
        error = error || split < d->splits.folders.count ? error : -EILSEQ;
        if (!error && d->before[split].class_bytes <= LIST_MAX) {
            d->before[split].class_bytes += (uint32_t)strlen(name) + 1;
        }
    }
    for (size_t i = 0; i < d->splits.folders.count; i++) {
        d->before[i].class_bytes *= d->before[i].class_bytes <= LIST_MAX;
    }
    return error;
}

/* Takes the list of classes from splits whose leads have labels of their own. */
static void drop_classes(struct derive *d)
{
    for (size_t i = 0; i < d->made.sums.count; i++) {
        for (size_t k = 0; k < d->splits.folders.count; k++) {
            if (d->before[k].own_labels && d->made.sums.at[i].split == d->splits.folders.at[k]) {
                d->made.sums.at[i].class_bytes = 0;
            }
        }
    }
}

static int derive_all(struct derive *d)
{
    const struct lod_sample_row none = {.label = LOD_NO_LABEL};
    int error = lod_sample_kinds_find(d->tree, &d->kinds);

    error = error ? error : lod_sample_splits_find(d->tree, &d->kinds, &d->splits);
    if (error) {
        return error;
    }
    d->now = calloc(d->splits.folders.count, sizeof(d->now[0]));
    d->keys = calloc(d->splits.folders.count, sizeof(d->keys[0]));
    d->before = calloc(d->splits.folders.count, sizeof(d->before[0]));
    d->maker = malloc(sizeof(*d->maker));
    d->made.rows = malloc((size_t)d->tree->items * LOD_SAMPLE_ROW_BYTES + 1);
    if (!d->now || !d->keys || !d->before || !d->maker || !d->made.rows) {
        return -ENOMEM;
    }
    error = find_class_bytes(d);
    for (uint32_t i = 0; i < d->tree->items; i++) {
        lod_sample_row_put(&none, d->made.rows + (size_t)i * LOD_SAMPLE_ROW_BYTES);
    }
    for (uint32_t i = 0; !error && i < d->tree->records; i++) {
        error = derive_record(d, i);
    }
    drop_classes(d);
    if (!error && d->made.sums.count) {
        qsort(d->made.sums.at, d->made.sums.count, sizeof(d->made.sums.at[0]), by_split);
    }
    return error ? error : add_up(&d->made);
}

int lod_samples_derive(const struct lod_sample_tree *tree, struct lod_samples *ret_samples)
{
    struct derive d = {.tree = tree, .made = {.ascend = true}};
    int error = derive_all(&d);

    lod_sample_splits_finish(&d.splits);
    free(d.now);
    free(d.keys);
    free(d.before);
    free(d.maker);
    if (error) {
        lod_samples_finish(&d.made);
    } else {
        *ret_samples = d.made;
    }
    return error;
}

void lod_samples_finish(struct lod_samples *samples)
{
    free(samples->rows);
    free(samples->sums.at);
    *samples = (struct lod_samples){0};
}
