/* SPDX-License-Identifier: Apache-2.0 */
/* A store of an attacker, opened and read; see truth.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "served.h"
#include "truth.h"
#include "views/view.h"

#define CACHE_BYTES (1u << 20)

int served_open(struct served *ret_served)
{
    struct served o = {0};
    char why[200] = "";
    int error = lod_dataset_open("served", &o.dataset, why, sizeof(why));

    if (error) {
        return why[0] ? error : 1; /* a refusal without a reason is a finding */
    }
    o.index = lod_dataset_index(o.dataset);
    if (lod_reader_create(o.dataset, CACHE_BYTES, CACHE_BYTES, &o.reader)) {
        exit(2);
    }
    *ret_served = o;
    return 0;
}

void served_close(struct served *served)
{
    lod_reader_destroy(served->reader);
    lod_dataset_close(served->dataset);
}

int served_plan(struct served *served, uint32_t item, enum lod_fidelity fidelity,
                struct lod_item *ret_item, struct lod_plan *ret_plan)
{
    int error = lod_dataset_item(served->dataset, item, ret_item);

    return error ? error : lod_view_tree.plan(served->dataset, NULL, ret_item, fidelity, ret_plan);
}

/* -------------------------------------------------------------------------------- the exercise */

#define VISITS_MAX     4000
#define READS_MAX      40 /* of one file: its beginning, and leaps to its end */
#define ALL_READ_BYTES (32u << 20)

struct exercise {
    struct served o;
    uint64_t bytes, reads;
    unsigned visits;
    const char *wrong;
};

static void exercise_file(struct exercise *e, const struct lod_view *view,
                          const struct lod_node *node, enum lod_fidelity fidelity)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    uint64_t at = 0;

    if (lod_dataset_item(e->o.dataset, node->ref, &item) ||
        view->plan(e->o.dataset, node, &item, fidelity, &plan)) {
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

/* Pixels, and the name they have. */
static void exercise_decoded(struct exercise *e, const struct lod_node *folder,
                             const struct lod_node *node)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_node found;

    if (lod_view_name(&lod_view_decoded, e->o.dataset, node, name) == 0) {
        if (!legal_name(name, strlen(name))) {
            e->wrong = "an illegal name of pixels";
        }
        (void)!lod_view_lookup(&lod_view_decoded, e->o.dataset, folder, LOD_Q1, name, &found);
    }
    exercise_file(e, &lod_view_decoded, node, LOD_Q1);
    exercise_file(e, &lod_view_decoded, node, LOD_FULL);
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
        exercise_file(e, &lod_view_tree, &node, (enum lod_fidelity)f);
    }
    if (folder && S_ISREG(node.mode)) {
        exercise_decoded(e, folder, &node);
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
    int error = served_open(&e.o);

    if (error) {
        return (struct compared){.refused = 1,
                                 .wrong = error == 1 ? "refused without a reason" : NULL};
    }
    exercise_node(&e, NULL, 0);
    for (uint32_t i = 0; i < truth->count && i < VISITS_MAX; i++) {
        (void)!lod_dataset_walk(e.o.dataset, truth->nodes[i].path, &found);
        (void)!lod_index_node(e.o.index, i, &found);
    }
    served_close(&e.o);
    return (struct compared){.open = true, .wrong = e.wrong, .right = e.reads};
}
