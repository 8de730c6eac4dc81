/* SPDX-License-Identifier: Apache-2.0 */
/* See truth.h. */
#include "truth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "served.h"
#include "watch.h"

/* ---------------------------------------------------------------------------- the sound store */

static void must(bool sound, const char *what, uint32_t number)
{
    if (!sound) {
        fprintf(stderr, "the sound store: node %u: %s\n", number, what);
        exit(2);
    }
}

static void read_truth_file(struct served *o, struct truth_node *node, unsigned fidelity)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    int error = served_plan(o, &node->row, fidelity, &item, &plan);

    must(!error || fidelity == LOD_ORIGINAL, "no plan", node->row.number);
    if (error) {
        return;
    }
    if (item.codec->maker && item.codec->maker->ahead) {
        node->ahead = item.codec->maker->ahead(item.row);
    }
    node->bytes[fidelity] = plan.bytes;
    for (unsigned i = 0; i < plan.count; i++) {
        node->groups[fidelity] |=
            (uint16_t)(plan.pieces[i].kind == LOD_PIECE_STORED ? 1u << plan.pieces[i].group : 0);
        node->made |= (uint16_t)(plan.pieces[i].kind == LOD_PIECE_MADE ? 1u << fidelity : 0);
    }
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

static void read_truth_node(struct served *o, uint32_t number, struct truth_node *node)
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
    for (unsigned f = LOD_Q1; f < SHOWN_END && S_ISREG(node->row.mode); f++) {
        read_truth_file(o, node, f);
    }
}

void truth_read(struct truth *ret_truth)
{
    struct served o;

    must(served_open(&o) == 0, "does not open", 0);
    ret_truth->count = lod_index_nodes(o.index);
    ret_truth->nodes = calloc(ret_truth->count, sizeof(ret_truth->nodes[0]));
    for (uint32_t i = 0; i < ret_truth->count; i++) {
        read_truth_node(&o, i, &ret_truth->nodes[i]);
    }
    served_close(&o);
}

void truth_free(struct truth *truth)
{
    for (uint32_t i = 0; i < truth->count; i++) {
        free(truth->nodes[i].target);
        free(truth->nodes[i].path);
        for (unsigned f = 0; f < SHOWN_END; f++) {
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
        return "a read has the wrong length";
    }
    for (unsigned i = 0; i < read->count; i++) {
        if (memcmp(read->iov[i].iov_base, truth + done, read->iov[i].iov_len) != 0) {
            return "a read has wrong bytes";
        }
        done += read->iov[i].iov_len;
    }
    return done == read->bytes ? NULL : "the parts of a read do not add up to its length";
}

static void refused(struct compared *compared, const struct truth_node *node, unsigned fidelity)
{
    const uint32_t item = node->row.ref;

    if (item == compared->item) {
        compared->item_refused |= (uint16_t)(1u << fidelity);
    } else if (item > compared->item || compared->item - item > node->ahead) {
        compared->others_refused |= (uint16_t)(1u << fidelity);
    }
    compared->refused++;
}

static const char *compare_file(struct served *o, const struct truth_node *node, unsigned fidelity,
                                struct compared *compared)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    int error = served_plan(o, &node->row, fidelity, &item, &plan);

    if (error == -ENOENT) {
        return node->data[fidelity] ? "a file is missing" : NULL;
    }
    if (error) {
        refused(compared, node, fidelity);
        return error == -EIO || error == -EILSEQ ? NULL : "planning fails with an unexpected errno";
    }
    if (!node->data[fidelity] || plan.bytes != node->bytes[fidelity]) {
        return "a file should not exist, or has a wrong size";
    }
    for (uint64_t at = 0; at < plan.bytes; at += READ_BYTES) {
        error = lod_reader_read(o->reader, &item, &plan, at, READ_BYTES, &read);
        if (error) {
            refused(compared, node, fidelity);
            return error == -EIO ? NULL : "a read fails with an unexpected errno";
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

/* Compares the row, name and target as a listing shows them. */
static const char *compare_row(struct served *o, const struct truth_node *node,
                               struct compared *compared)
{
    char name[LOD_NAME_MAX + 1], target[LOD_TARGET_MAX + 1];
    struct lod_node row;

    if (lod_index_node(o->index, node->row.number, &row) || lod_index_name(o->index, &row, name)) {
        compared->refused++;
        return NULL;
    }
    if (!same_node(&row, &node->row) || strcmp(name, node->name) != 0) {
        return "the row or name differs";
    }
    if (node->target && lod_index_target(o->index, &row, target) == 0 &&
        strcmp(target, node->target) != 0) {
        return "the target of a link differs";
    }
    return NULL;
}

/* Looks up the name, if its folder can be read, and a name that does not exist. */
static const char *compare_lookup(struct served *o, const struct truth *truth,
                                  const struct truth_node *node)
{
    struct lod_node folder, found;
    char absent[LOD_NAME_MAX + 1];

    if (node->row.number == 0 || lod_index_node(o->index, node->row.parent, &folder)) {
        return NULL;
    }
    int error = lod_index_lookup(o->index, &folder, node->name, strlen(node->name), &found);
    if (error == -ENOENT || error == -ENOTDIR) {
        return "a name is missing";
    }
    if (!error && !same_node(&found, &node->row)) {
        return "a name leads to another node";
    }
    snprintf(absent, sizeof(absent), "%.200s?", truth->nodes[node->row.number].name);
    return lod_index_lookup(o->index, &folder, absent, strlen(absent), &found)
               ? NULL
               : "a name exists that should not";
}

static const char *compare_node(struct served *o, const struct truth *truth,
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
        return wrong(node, "a path is missing");
    }
    if (error) {
        compared->refused++;
        return NULL;
    }
    if (!same_node(&found, &node->row)) {
        return wrong(node, "a path leads to another node");
    }
    for (unsigned f = LOD_Q1; f < SHOWN_END && S_ISREG(found.mode) && !what; f++) {
        what = compare_file(o, node, f, compared);
    }
    return what ? wrong(node, what) : NULL;
}

struct compared truth_compare(const struct truth *truth, uint32_t item)
{
    struct compared compared = {.item = item};
    struct served o;
    int error = served_open(&o);

    if (error) {
        compared.refused = 1;
        compared.wrong = error == 1 ? "the store is refused without a reason" : NULL;
        return compared;
    }
    compared.open = true;
    if (lod_index_nodes(o.index) != truth->count) {
        compared.wrong = "the number of nodes differs";
    }
    for (uint32_t i = 0; i < truth->count && !compared.wrong; i++) {
        compared.wrong = compare_node(&o, truth, &truth->nodes[i], &compared);
    }
    served_close(&o);
    return compared;
}

const char *truth_needs(const struct truth *truth, uint32_t item, unsigned group,
                        const struct compared *compared)
{
    uint16_t wanted = 0, made = 0;

    for (uint32_t i = 0; i < truth->count; i++) {
        const struct truth_node *node = &truth->nodes[i];
        for (unsigned f = LOD_Q1; f < SHOWN_END; f++) {
            bool own = S_ISREG(node->row.mode) && node->row.ref == item;
            wanted |= (uint16_t)(own && (node->groups[f] >> group & 1) ? 1u << f : 0);
            made |= own ? node->made : 0;
        }
    }
    if (compared->wrong || !compared->open) {
        return compared->wrong ? compared->wrong
                               : "the store is refused because of one damaged frame";
    }
    if (compared->others_refused & ~(group == LOD_GROUPS_MAX ? 1u << LOD_ORIGINAL : 0)) {
        return "another item is refused";
    }
    /* Computed forms may need any group, so they are not compared. */
    return (compared->item_refused & ~made) == (wanted & ~made)
               ? NULL
               : "the refused fidelities are not those that need the group";
}
