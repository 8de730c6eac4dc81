/* SPDX-License-Identifier: Apache-2.0 */
/* Counts samples and the files that are in none; see sample_totals.h. */
#include "totals/sample_totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/index_samples.h"
#include "sample/sample_group.h"
#include "sample/item_label.h"
#include "sample/sample_make.h"
#include "sample/sample_split.h"

struct count {
    struct lod_index *index;
    struct lod_sample_tree tree;
    struct lod_sample_kinds kinds;
    struct lod_sample_splits splits;
    struct lod_sample_totals *totals;
    uint8_t *in_sample;   /* a bit for each node: whether it is a file of a sample */
    uint64_t *of_records; /* samples of each record */
    bool files;
};

static void mark(struct count *c, uint32_t node)
{
    c->in_sample[node / 8] |= (uint8_t)(1u << node % 8);
}

static bool is_marked(const struct count *c, uint32_t node)
{
    return c->in_sample[node / 8] >> node % 8 & 1;
}

static bool is_file(const struct lod_sample_node *node)
{
    return S_ISREG(node->mode) && !(node->flags & LOD_NODE_VIRTUAL);
}

/* ------------------------------------------------------------------------------- samples */

/* Marks the members of a lead among its neighbours. */
static int mark_members(struct count *c, uint32_t lead, const struct lod_sample_row *row)
{
    char of_lead[LOD_NAME_MAX + 1], name[LOD_NAME_MAX + 1];
    struct lod_sample_node node;
    int error = lead >= row->before && c->tree.nodes - lead > row->after
                    ? c->tree.name(c->tree.ctx, lead, of_lead)
                    : -EILSEQ;

    for (uint32_t i = lead - row->before; !error && i <= lead + row->after; i++) {
        error = c->tree.node(c->tree.ctx, i, &node);
        error = error ? error : c->tree.name(c->tree.ctx, i, name);
        if (!error && i != lead && lod_sample_group_has(row->form, of_lead, name, &node)) {
            mark(c, i);
            c->totals->members++;
        }
    }
    return error;
}

static int count_item(struct count *c, uint32_t item)
{
    uint8_t in_index[LOD_ROW_BYTES];
    struct lod_sample_row row;

    int error = lod_index_sample(c->index, item, &row);
    if (error || row.form == LOD_SAMPLE_NONE) {
        return error;
    }
    error = lod_index_item(c->index, item, in_index);
    const uint32_t lead = error ? 0 : lod_row_own_node(in_index);
    error = error || lead < c->tree.nodes ? error : -EILSEQ;
    if (error) {
        return error;
    }
    mark(c, lead);
    c->totals->samples++;
    c->totals->unlabelled += row.label < 0;
    c->totals->own_labels += lod_row_has_label(in_index);
    return row.before || row.after ? mark_members(c, lead, &row) : 0;
}

static int count_samples(struct count *c)
{
    struct lod_sample_record record;
    int error = 0;

    for (uint32_t r = 0; !error && r < c->tree.records; r++) {
        error = c->tree.record(c->tree.ctx, r, &record);
        const bool pictures = !error && lod_sample_rank(&c->kinds, &record);
        const uint64_t before = c->totals->samples;
        for (uint32_t i = 0; !error && pictures && i < record.items; i++) {
            error = count_item(c, record.first_item + i);
        }
        c->of_records[r] = c->totals->samples - before;
    }
    return error;
}

/* -------------------------------------------------------------------------------- splits */

static int count_classes(const struct count *c, uint32_t split, uint64_t *ret_classes)
{
    struct lod_sample_node folder, child;
    uint64_t classes = 0;
    int error = c->tree.node(c->tree.ctx, split, &folder);

    for (uint32_t i = 0; !error && i < folder.count; i++) {
        error = c->tree.node(c->tree.ctx, folder.first + i, &child);
        classes += !error && S_ISDIR(child.mode) && !(child.flags & LOD_NODE_VIRTUAL);
    }
    *ret_classes = classes;
    return error;
}

static int add_split(const struct count *c, const struct lod_sums_row *row, uint64_t samples)
{
    struct lod_split_total split = {.name = "data", .samples = samples};
    const uint32_t folder = row->split;
    int error = folder < c->tree.nodes ? 0 : -EILSEQ;

    if (!error && row->class_bytes) {
        error = count_classes(c, folder, &split.classes);
    }

    if (!error && folder) {
        error = c->tree.name(c->tree.ctx, folder, split.name);
    }
    return error ? error : LOD_LIST_ADD(&c->totals->splits, split);
}

/* A closing row has the samples that each framing takes. */
static void add_refused(const struct count *c, const struct lod_sums_row *row, uint64_t samples)
{
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        c->totals->refused[i] += samples > row->leads[i] ? samples - row->leads[i] : 0;
    }
}

/* A record has samples of one split; the rows of a split end with a closing row. */
static int count_splits(const struct count *c)
{
    struct lod_sums_row row;
    uint64_t samples = 0;
    int error = 0;

    for (uint32_t i = 0; !error && i < lod_index_sums_rows(c->index); i++) {
        error = lod_index_sums(c->index, i, &row);
        if (!error && row.record == LOD_SUMS_CLOSING) {
            add_refused(c, &row, samples);
            error = add_split(c, &row, samples);
            samples = 0;
        } else if (!error) {
            error = row.record < c->tree.records ? 0 : -EILSEQ;
            samples += error ? 0 : c->of_records[row.record];
        }
    }
    return error;
}

/* ------------------------------------------------------------------------------ left out */

static int find_reason(const struct count *c, const struct lod_sample_node *node,
                       enum lod_left_out *ret_why)
{
    struct lod_sample_record record;
    uint8_t row[LOD_ROW_BYTES];
    int32_t label;
    size_t split;

    *ret_why = LOD_LEFT_EQUAL;
    if (node->flags & LOD_NODE_ALIAS) {
        return 0;
    }
    int error = c->tree.item(c->tree.ctx, node->item, row);
    error = error ? error : c->tree.record_of(c->tree.ctx, node->item, &record);
    *ret_why = LOD_LEFT_ALONE;
    if (error || !lod_sample_rank(&c->kinds, &record)) {
        return error;
    }
    if (!lod_sample_fits(lod_codec_find(record.codec), row)) {
        *ret_why = LOD_LEFT_LARGE;
        return 0;
    }
    error = lod_sample_splits_place(&c->tree, &c->splits, node, &split, &label);
    *ret_why = error == -ENOENT ? LOD_LEFT_SPLIT : LOD_LEFT_ALONE;
    return error == -ENOENT ? 0 : error;
}

static int count_left_out(struct count *c)
{
    struct lod_sample_node node;
    int error = 0;

    for (uint32_t n = 0; !error && n < c->tree.nodes; n++) {
        struct lod_left_file left = {.node = n};
        error = c->tree.node(c->tree.ctx, n, &node);
        if (error || !is_file(&node) || is_marked(c, n)) {
            continue;
        }
        error = node.item < c->tree.items ? find_reason(c, &node, &left.why) : -EILSEQ;
        c->totals->left_out[left.why]++;
        error = error || !c->files ? error : LOD_LIST_ADD(&c->totals->files, left);
    }
    return error;
}

int lod_sample_totals_find(struct lod_index *index, bool files, struct lod_sample_totals *totals)
{
    struct count c = {.index = index,
                      .tree = lod_index_sample_tree(index),
                      .totals = totals,
                      .in_sample = calloc((size_t)lod_index_nodes(index) / 8 + 1, 1),
                      .of_records = calloc((size_t)lod_index_records(index) + 1, sizeof(uint64_t)),
                      .files = files};
    int error = c.in_sample && c.of_records ? lod_sample_kinds_find(&c.tree, &c.kinds) : -ENOMEM;

    error = error ? error : lod_sample_splits_find(&c.tree, &c.kinds, &c.splits);
    error = error ? error : count_samples(&c);
    error = error ? error : count_splits(&c);
    error = error ? error : count_left_out(&c);
    lod_sample_splits_finish(&c.splits);
    free(c.in_sample);
    free(c.of_records);
    return error;
}

void lod_sample_totals_finish(struct lod_sample_totals *totals)
{
    free(totals->splits.at);
    free(totals->files.at);
    *totals = (struct lod_sample_totals){0};
}
