/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads a store made by an attacker; see truth.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/lodfs.h"
#include "served.h"
#include "shard/shard_read.h"
#include "truth.h"
#include "views/view.h"
#include "watch.h"

#define CACHE_BYTES  (1u << 20)
#define FRAMED_BYTES (64u << 10)
#define FRAMED_MAX   16u /* files of a framing */

int served_open(struct served *ret_served)
{
    struct served o = {0};
    struct lod_why why = {.text = ""};
    int error =
        lod_dataset_open("served", &(struct lod_open_options){.settings = NULL}, &o.dataset, &why);

    if (error) {
        return why.text[0] ? error : 1; /* a refusal without a reason is an error of lodfs */
    }
    o.index = lod_dataset_index(o.dataset);
    if (lod_reader_create(o.dataset,
                          &(struct lod_reader_options){.cache_bytes = CACHE_BYTES,
                                                       .work_bytes = WORK_BYTES,
                                                       .threads = true},
                          &o.reader)) {
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

int served_plan(struct served *served, const struct lod_node *node, unsigned shown,
                struct lod_item *ret_item, struct lod_plan *ret_plan)
{
    static const struct {
        const struct lod_view *view;
        enum lod_fidelity fidelity;
    } others[SHOWN_END - SHOWN_TREE_END] = {
        {&lod_view_decoded, LOD_Q1}, {&lod_view_decoded, LOD_FULL}, {&lod_view_native, LOD_FULL}};
    const bool tree = shown < SHOWN_TREE_END;
    const struct lod_view *view = tree ? &lod_view_tree : others[shown - SHOWN_TREE_END].view;
    enum lod_fidelity fidelity =
        tree ? (enum lod_fidelity)shown : others[shown - SHOWN_TREE_END].fidelity;
    int error = lod_dataset_item(served->dataset, node->ref, ret_item);

    return error ? error : lod_view_plan(view, served->dataset, node, ret_item, fidelity, ret_plan);
}

/* -------------------------------------------------------------------------------- the exercise */

#define VISITS_MAX     4000
#define PRODUCT_MAX    (1u << 16) /* rows x columns */
#define READS_MAX      40         /* of one file: its beginning, then growing steps to its end */
#define ALL_READ_BYTES (32u << 20)

struct exercise {
    struct served o;
    uint64_t bytes, reads;
    unsigned visits;
    struct compared *compared;
    const char *wrong;
};

/* Counts an error that a mount would show. */
static void expect(struct exercise *e, int error)
{
    e->compared->refused += error != 0 && error != -ENOMEM;
}

static void expect_item(struct exercise *e, uint32_t item, int error)
{
    struct compared *c = e->compared;
    const bool again = c->refused_count && c->refused_items[c->refused_count - 1] == item;

    expect(e, error);
    if (error && error != -ENOMEM && !again && c->refused_count < REFUSED_MAX) {
        c->refused_items[c->refused_count++] = item;
        watch_say("  item %u is refused: %s\n", item, strerrordesc_np(-error));
    }
}

static void exercise_file(struct exercise *e, const struct lod_node *node, unsigned shown)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    uint64_t at = 0;
    int error = served_plan(&e->o, node, shown, &item, &plan);

    expect_item(e, node->ref, error == -ENOENT ? 0 : error);
    for (unsigned i = 0; !error && i < READS_MAX && at < plan.bytes && e->bytes < ALL_READ_BYTES;
         i++) {
        uint64_t wanted = plan.bytes - at < READ_BYTES ? plan.bytes - at : READ_BYTES;
        int failed = lod_reader_read(e->o.reader, &item, &plan, at, wanted, &read);
        if (!failed) {
            e->wrong = read.bytes == wanted ? e->wrong : "a read is short";
            e->bytes += read.bytes;
            e->reads++;
            lod_read_finish(&read);
        } else if (failed != -EIO && failed != -ENOMEM) {
            e->wrong = "a read fails with an unexpected errno";
        }
        expect_item(e, node->ref, failed);
        at += i < READS_MAX / 2 ? wanted : (plan.bytes - at) / 2 + 1;
    }
}

/* Opens a shard by liblodfs, and computes its rows and a product if they are small. */
static int exercise_product(const uint8_t *bytes, size_t count)
{
    struct lodfs_table *table = NULL;
    int error = lodfs_table_open_bytes(bytes, count, &table, NULL);

    if (error) {
        return error;
    }
    const uint64_t rows = lodfs_table_rows(table), columns = lodfs_table_columns(table);
    if (rows <= PRODUCT_MAX && columns <= PRODUCT_MAX && rows * columns <= PRODUCT_MAX) {
        double *numbers = calloc(rows * columns + columns + rows + 1, sizeof(*numbers));
        error = numbers ? lodfs_table_dense_f8(table, 0, rows, numbers, NULL) : -ENOMEM;
        error = error ? error
                      : lodfs_table_times_vector_f8(table, 0, lodfs_table_batches(table), numbers,
                                                    numbers + columns, NULL, NULL);
        free(numbers);
    }
    lodfs_table_close(table);
    return error;
}

static void exercise_shard(struct exercise *e, const struct lod_node *node)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    uint8_t *bytes;

    if (served_plan(&e->o, node, LOD_FULL, &item, &plan) || item.codec->id != LOD_CODEC_TOC ||
        !(lod_row_flags(item.row) & LOD_ITEM_SHARD) || plan.bytes > READ_BYTES ||
        lod_reader_read(e->o.reader, &item, &plan, 0, READ_BYTES, &read)) {
        return;
    }
    bytes = malloc(read.bytes);
    for (size_t i = 0, at = 0; i < read.count; at += read.iov[i++].iov_len) {
        memcpy(bytes + at, read.iov[i].iov_base, read.iov[i].iov_len);
    }
    expect_item(e, node->ref, exercise_product(bytes, read.bytes));
    lod_read_finish(&read);
    free(bytes);
}

static bool legal_name(const char *name, size_t bytes)
{
    return bytes >= 1 && bytes <= LOD_NAME_MAX && strlen(name) == bytes && !strchr(name, '/') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Looks up the name that a view gives a node. */
static void exercise_view(struct exercise *e, const struct lod_view *view,
                          const struct lod_node *folder, const struct lod_node *node)
{
    char name[LOD_NAME_MAX + 1];
    struct lod_node found;
    int error = lod_view_name(view, e->o.dataset, node, name);

    if (!error) {
        if (!legal_name(name, strlen(name))) {
            e->wrong = "a view has an illegal name";
        }
        error = lod_view_lookup(view, e->o.dataset, folder, LOD_Q1, name, &found);
    }
    expect(e, error);
}

static void exercise_node(struct exercise *e, const struct lod_node *folder, uint32_t number)
{
    char name[LOD_NAME_MAX + 1], target[LOD_TARGET_MAX + 1], path[LOD_PATH_MAX + 1];
    struct lod_node node, found;

    if (++e->visits > VISITS_MAX) {
        return;
    }
    int error = lod_index_node(e->o.index, number, &node);
    expect(e, error);
    if (error) {
        return;
    }
    if (folder && number <= folder->number) {
        e->wrong = "a child comes before its folder";
    }
    error = folder ? lod_index_name(e->o.index, &node, name) : 0;
    expect(e, error);
    if (folder && !error) {
        if (!legal_name(name, node.name_bytes)) {
            e->wrong = "a name is illegal";
        }
        expect(e, lod_index_lookup(e->o.index, folder, name, strlen(name), &found));
    }
    error = S_ISLNK(node.mode) ? lod_index_target(e->o.index, &node, target) : 0;
    expect(e, error);
    if (S_ISLNK(node.mode) && !error && strlen(target) != node.count) {
        e->wrong = "a target of a link is illegal";
    }
    expect(e, lod_dataset_path(e->o.dataset, &node, path));
    for (unsigned shown = LOD_Q1; shown < SHOWN_END && S_ISREG(node.mode); shown++) {
        exercise_file(e, &node, shown);
    }
    if (folder && S_ISREG(node.mode)) {
        exercise_shard(e, &node);
        exercise_view(e, &lod_view_decoded, folder, &node);
        exercise_view(e, &lod_view_native, folder, &node);
    }
    /* The recursion ends: numbers of nodes rise, and VISITS_MAX limits the visits. */
    for (uint32_t i = 0; i < node.count && S_ISDIR(node.mode) && e->visits < VISITS_MAX; i++) {
        exercise_node(e, &node, node.ref + i);
    }
}

/* Reads the beginning and the end of a framed file. Nothing is known of its right bytes. */
static void exercise_framed(struct exercise *e, struct lod_shard_reader *reader,
                            const struct lod_shard *shard)
{
    uint8_t *bytes = malloc(FRAMED_BYTES);
    uint64_t size = 0;
    size_t count = 0;

    expect(e, lod_shard_bytes(reader, shard, &size));
    expect(e, lod_shard_read(reader, shard, 0, FRAMED_BYTES, bytes, &count));
    const uint64_t end = size > FRAMED_BYTES / 2 ? size - FRAMED_BYTES / 2 : 0;
    expect(e, lod_shard_read(reader, shard, end, FRAMED_BYTES, bytes, &count));
    free(bytes);
}

/* Goes through the files of all framings by position, name and contents. */
static void exercise_framings(struct exercise *e)
{
    struct lod_shard_reader *reader = NULL;
    char name[LOD_NAME_MAX + 1];
    struct lod_shard shard;

    if (lod_shard_reader_create(e->o.dataset, e->o.reader, &reader)) {
        exit(2);
    }
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        const struct lod_framing *framing = lod_framing_at(i);
        const uint64_t positions = lod_shard_positions(e->o.dataset, framing);
        for (uint64_t at = 0; at < 2 * positions && at < FRAMED_MAX; at++) {
            struct lod_shard_file file = lod_shard_at(framing, at / 2);
            if (at % 2) { /* the same row in a part */
                file.part = (struct lod_store_part){.count = 3, .number = 1};
            }
            int error = lod_shard_find(e->o.dataset, framing, LOD_Q1, file, &shard);
            if (!error) {
                exercise_framed(e, reader, &shard);
                error = lod_shard_name(e->o.dataset, framing, file, name);
            }
            error = error ? error : lod_shard_lookup(e->o.dataset, framing, file.part, name, &file);
            expect(e, error == -ENOENT ? 0 : error); /* a row may be of no file */
        }
    }
    lod_shard_reader_destroy(reader);
}

struct compared truth_exercise(const struct truth *truth)
{
    struct compared compared = {0};
    struct exercise e = {.compared = &compared};
    struct lod_node found;
    int error = served_open(&e.o);

    if (error) {
        return (struct compared){
            .refused = 1, .wrong = error == 1 ? "the store is refused without a reason" : NULL};
    }
    exercise_node(&e, NULL, 0);
    exercise_framings(&e);
    for (uint32_t i = 0; i < truth->count && i < VISITS_MAX; i++) {
        (void)!lod_dataset_walk(e.o.dataset, truth->nodes[i].path, &found);
        (void)!lod_index_node(e.o.index, i, &found);
    }
    served_close(&e.o);
    compared.open = true;
    compared.wrong = e.wrong;
    compared.right = e.reads;
    return compared;
}
