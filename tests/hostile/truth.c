/* SPDX-License-Identifier: Apache-2.0 */
/* See truth.h. */
#include "truth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader.h"
#include "views/view.h"
#include "watch.h"

#define CACHE_BYTES (1u << 20)
#define READ_BYTES  100000u /* of one read: pieces and frames end inside */

struct opened {
    struct lod_dataset *dataset;
    struct lod_index *index;
    struct lod_reader *reader;
};

static int open_served(struct opened *ret_opened)
{
    struct opened o = {0};
    char why[200] = "";
    int error = lod_dataset_open("served", &o.dataset, why, sizeof(why));

    if (error) {
        return why[0] ? error : 1; /* a refusal without a reason is a finding */
    }
    o.index = lod_dataset_index(o.dataset);
    if (lod_reader_create(o.dataset, CACHE_BYTES, CACHE_BYTES, &o.reader)) {
        exit(2);
    }
    *ret_opened = o;
    return 0;
}

static void close_served(struct opened *o)
{
    lod_reader_destroy(o->reader);
    lod_dataset_close(o->dataset);
}

static int plan_of(struct opened *o, uint32_t number, enum lod_fidelity fidelity,
                   struct lod_item *ret_item, struct lod_plan *ret_plan)
{
    int error = lod_dataset_item(o->dataset, number, ret_item);

    return error ? error : lod_view_tree.plan(o->dataset, ret_item, fidelity, ret_plan);
}

/* ---------------------------------------------------------------------------- the sound store */

static void must(bool sound, const char *what, uint32_t number)
{
    if (!sound) {
        fprintf(stderr, "the sound store: node %u: %s\n", number, what);
        exit(2);
    }
}

static void read_truth_file(struct opened *o, struct truth_node *node, enum lod_fidelity fidelity)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    int error = plan_of(o, node->row.ref, fidelity, &item, &plan);

    must(!error || fidelity == LOD_ORIGINAL, "no plan", node->row.number);
    if (error) {
        return;
    }
    node->bytes[fidelity] = plan.bytes;
    node->data[fidelity] = malloc(plan.bytes + 1);
    for (uint64_t at = 0; at < plan.bytes; at += READ_BYTES) {
        error = lod_reader_read(o->reader, &item, &plan, at, READ_BYTES, &read);
        must(!error && read.bytes, "cannot be read", node->row.number);
        uint8_t *into = node->data[fidelity] + at;
        for (unsigned i = 0; i < read.count; i++) {
            memcpy(into, read.iov[i].iov_base, read.iov[i].iov_len);
            into += read.iov[i].iov_len;
        }
        lod_read_finish(&read);
    }
}

static void read_truth_node(struct opened *o, uint32_t number, struct truth_node *node)
{
    char target[LOD_TARGET_MAX + 1], path[LOD_PATH_MAX + 1];

    must(!lod_index_node(o->index, number, &node->row) &&
             !lod_index_name(o->index, &node->row, node->name) &&
             !lod_index_path(o->index, &node->row, path),
         "no row or name", number);
    node->path = strdup(path);
    if (S_ISLNK(node->row.mode)) {
        must(!lod_index_target(o->index, &node->row, target), "no target", number);
        node->target = strdup(target);
    }
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL && S_ISREG(node->row.mode); f++) {
        read_truth_file(o, node, (enum lod_fidelity)f);
    }
}

void truth_read(struct truth *ret_truth)
{
    struct opened o;

    must(open_served(&o) == 0, "does not open", 0);
    ret_truth->count = lod_index_nodes(o.index);
    ret_truth->nodes = calloc(ret_truth->count, sizeof(ret_truth->nodes[0]));
    for (uint32_t i = 0; i < ret_truth->count; i++) {
        read_truth_node(&o, i, &ret_truth->nodes[i]);
    }
    close_served(&o);
}

void truth_free(struct truth *truth)
{
    for (uint32_t i = 0; i < truth->count; i++) {
        free(truth->nodes[i].target);
        free(truth->nodes[i].path);
        for (unsigned f = 0; f <= LOD_ORIGINAL; f++) {
            free(truth->nodes[i].data[f]);
        }
    }
    free(truth->nodes);
}

/* ------------------------------------------------------------------------------ the comparison */

static const char *wrong(const struct truth_node *node, const char *what)
{
    watch_say("  node %u '%s': %s\n", node->row.number, node->path, what);
    return what;
}

static const char *compare_read(const struct lod_read *read, const uint8_t *truth, uint64_t left)
{
    uint64_t done = 0;

    if (read->bytes == 0 || read->bytes != (left < READ_BYTES ? left : READ_BYTES)) {
        return "a read of another length";
    }
    for (unsigned i = 0; i < read->count; i++) {
        if (memcmp(read->iov[i].iov_base, truth + done, read->iov[i].iov_len) != 0) {
            return "wrong bytes";
        }
        done += read->iov[i].iov_len;
    }
    return done == read->bytes ? NULL : "spans that do not add up";
}

static const char *compare_file(struct opened *o, const struct truth_node *node,
                                enum lod_fidelity fidelity, struct compared *compared)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    int error = plan_of(o, node->row.ref, fidelity, &item, &plan);

    if (error == -ENOENT) {
        return node->data[fidelity] ? "a lost file" : NULL;
    }
    if (error) {
        compared->refused++;
        return error == -EIO || error == -EILSEQ ? NULL : "an unexpected error";
    }
    if (!node->data[fidelity] || plan.bytes != node->bytes[fidelity]) {
        return "an invented file, or a wrong size";
    }
    for (uint64_t at = 0; at < plan.bytes; at += READ_BYTES) {
        error = lod_reader_read(o->reader, &item, &plan, at, READ_BYTES, &read);
        compared->refused += error != 0;
        if (error) {
            return error == -EIO ? NULL : "an unexpected error of a read";
        }
        const char *what = compare_read(&read, node->data[fidelity] + at, plan.bytes - at);
        lod_read_finish(&read);
        if (what) {
            return what;
        }
    }
    compared->right++;
    return NULL;
}

static bool same_node(const struct lod_node *a, const struct lod_node *b)
{
    return a->number == b->number && a->parent == b->parent && a->ref == b->ref &&
           a->count == b->count && a->mode == b->mode && a->flags == b->flags &&
           a->mtime == b->mtime && a->name_bytes == b->name_bytes;
}

/* The row, name and target as a listing shows them. */
static const char *compare_row(struct opened *o, const struct truth_node *node,
                               struct compared *compared)
{
    char name[LOD_NAME_MAX + 1], target[LOD_TARGET_MAX + 1];
    struct lod_node row;

    if (lod_index_node(o->index, node->row.number, &row) || lod_index_name(o->index, &row, name)) {
        compared->refused++;
        return NULL;
    }
    if (!same_node(&row, &node->row) || strcmp(name, node->name) != 0) {
        return "another row or name";
    }
    if (node->target && lod_index_target(o->index, &row, target) == 0 &&
        strcmp(target, node->target) != 0) {
        return "another target";
    }
    return NULL;
}

/* Looking the name up, if its folder can be read; and one that is not there. */
static const char *compare_lookup(struct opened *o, const struct truth *truth,
                                  const struct truth_node *node)
{
    struct lod_node folder, found;
    char absent[LOD_NAME_MAX + 1];

    if (node->row.number == 0 || lod_index_node(o->index, node->row.parent, &folder)) {
        return NULL;
    }
    int error = lod_index_lookup(o->index, &folder, node->name, strlen(node->name), &found);
    if (error == -ENOENT || error == -ENOTDIR) {
        return "a lost name";
    }
    if (!error && !same_node(&found, &node->row)) {
        return "a name leads to another node";
    }
    snprintf(absent, sizeof(absent), "%.200s?", truth->nodes[node->row.number].name);
    return lod_index_lookup(o->index, &folder, absent, strlen(absent), &found) ? NULL
                                                                               : "an invented name";
}

static const char *compare_node(struct opened *o, const struct truth *truth,
                                const struct truth_node *node, struct compared *compared)
{
    struct lod_node found;
    const char *what = compare_row(o, node, compared);

    what = what ? what : compare_lookup(o, truth, node);
    if (what) {
        return wrong(node, what);
    }
    int error = lod_dataset_walk(o->dataset, node->path, &found);
    if (error == -ENOENT || error == -ENOTDIR) {
        return wrong(node, "a lost path");
    }
    if (error) {
        compared->refused++;
        return NULL;
    }
    if (!same_node(&found, &node->row)) {
        return wrong(node, "a path leads to another node");
    }
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL && S_ISREG(found.mode) && !what; f++) {
        what = compare_file(o, node, (enum lod_fidelity)f, compared);
    }
    return what ? wrong(node, what) : NULL;
}

struct compared truth_compare(const struct truth *truth)
{
    struct compared compared = {0};
    struct opened o;
    int error = open_served(&o);

    if (error) {
        compared.refused = 1;
        compared.wrong = error == 1 ? "refused without a reason" : NULL;
        return compared;
    }
    compared.open = true;
    if (lod_index_nodes(o.index) != truth->count) {
        compared.wrong = "another number of nodes";
    }
    for (uint32_t i = 0; i < truth->count && !compared.wrong; i++) {
        compared.wrong = compare_node(&o, truth, &truth->nodes[i], &compared);
    }
    close_served(&o);
    return compared;
}

/* -------------------------------------------------------------------------------- the exercise */

#define VISITS_MAX     4000
#define READS_MAX      40 /* of one file: its beginning, and leaps to its end */
#define ALL_READ_BYTES (32u << 20)

struct exercise {
    struct opened o;
    uint64_t bytes, reads;
    unsigned visits;
    const char *wrong;
};

static void exercise_file(struct exercise *e, uint32_t number, enum lod_fidelity fidelity)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    uint64_t at = 0;

    if (plan_of(&e->o, number, fidelity, &item, &plan)) {
        return;
    }
    for (unsigned i = 0; i < READS_MAX && at < plan.bytes && e->bytes < ALL_READ_BYTES; i++) {
        uint64_t wanted = plan.bytes - at < READ_BYTES ? plan.bytes - at : READ_BYTES;
        int error = lod_reader_read(e->o.reader, &item, &plan, at, wanted, &read);
        if (!error) {
            e->wrong = read.bytes == wanted ? e->wrong : "a short read";
            e->bytes += read.bytes;
            e->reads++;
            lod_read_finish(&read);
        } else if (error != -EIO && error != -ENOMEM) {
            e->wrong = "an unexpected error of a read";
        }
        at += i < READS_MAX / 2 ? wanted : (plan.bytes - at) / 2 + 1;
    }
}

static bool legal_name(const char *name, size_t bytes)
{
    return bytes >= 1 && bytes <= LOD_NAME_MAX && strlen(name) == bytes && !strchr(name, '/') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void exercise_node(struct exercise *e, const struct lod_node *folder, uint32_t number)
{
    char name[LOD_NAME_MAX + 1], target[LOD_TARGET_MAX + 1], path[LOD_PATH_MAX + 1];
    struct lod_node node, found;

    if (++e->visits > VISITS_MAX || lod_index_node(e->o.index, number, &node)) {
        return;
    }
    if (folder && number <= folder->number) {
        e->wrong = "a child before its folder";
    }
    if (folder && lod_index_name(e->o.index, &node, name) == 0) {
        if (!legal_name(name, node.name_bytes)) {
            e->wrong = "an illegal name";
        }
        (void)!lod_index_lookup(e->o.index, folder, name, strlen(name), &found);
    }
    if (S_ISLNK(node.mode) && lod_index_target(e->o.index, &node, target) == 0 &&
        strlen(target) != node.count) {
        e->wrong = "an illegal target";
    }
    (void)!lod_dataset_path(e->o.dataset, &node, path);
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL && S_ISREG(node.mode); f++) {
        exercise_file(e, node.ref, (enum lod_fidelity)f);
    }
    /* The depth is the recursion's: numbers rise, and VISITS_MAX ends it. */
    for (uint32_t i = 0; i < node.count && S_ISDIR(node.mode) && e->visits < VISITS_MAX; i++) {
        exercise_node(e, &node, node.ref + i);
    }
}

struct compared truth_exercise(const struct truth *truth)
{
    struct exercise e = {0};
    struct lod_node found;
    int error = open_served(&e.o);

    if (error) {
        return (struct compared){.refused = 1,
                                 .wrong = error == 1 ? "refused without a reason" : NULL};
    }
    exercise_node(&e, NULL, 0);
    for (uint32_t i = 0; i < truth->count && i < VISITS_MAX; i++) {
        (void)!lod_dataset_walk(e.o.dataset, truth->nodes[i].path, &found);
        (void)!lod_index_node(e.o.index, i, &found);
    }
    close_served(&e.o);
    return (struct compared){.open = true, .wrong = e.wrong, .right = e.reads};
}
