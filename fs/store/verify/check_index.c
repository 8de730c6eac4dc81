/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the index by itself: every block by hash and place, every node against its neighbours.
 * Rows in unreadable blocks are skipped here. The block is reported once. The files that need it
 * are named from the records, which hold the paths too.
 *
 * Breadth-first numbers are checked locally (FORMAT.md, Numbering):
 *
 * - Parents never decrease.
 * - Each node is in its parent's range of children.
 * - Where the parent changes, one range ends and the next begins.
 * - The first and the last child of a folder have it as their parent.
 *
 * So every range holds exactly its folder's children, and the ranges follow each other without
 * gaps.
 */
#include "verify/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/blocks.h"
#include "index/decoded_name.h"
#include "index/superblock.h"

const char *lod_check_path(struct lod_verify *v, uint32_t node, char path[LOD_PATH_MAX + 1])
{
    struct lod_node row;

    return lod_index_node(v->index, node, &row) || lod_index_path(v->index, &row, path) ? NULL
                                                                                        : path;
}

int lod_check_file_found(struct lod_verify *v, const char *file, const char *what,
                         uint16_t fidelities)
{
    struct lod_finding finding = {.what = what, .item = LOD_NO_ITEM, .fidelities = fidelities};

    snprintf(finding.file, sizeof(finding.file), "%s", file);
    return lod_findings_add(&v->findings, &finding);
}

int lod_check_row_found(struct lod_verify *v, unsigned section, uint32_t number,
                        struct lod_finding finding)
{
    const uint32_t bytes = lod_section_row_bytes(section), a_block = LOD_BLOCK_PAYLOAD / bytes;
    const uint64_t first = lod_index_section(v->index, section).first;

    snprintf(finding.file, sizeof(finding.file), "%s", LOD_INDEX_NAME);
    finding.offset =
        (first + number / a_block) * LOD_BLOCK_BYTES + (uint64_t)(number % a_block) * bytes;
    finding.bytes = bytes;
    return lod_findings_add(&v->findings, &finding);
}

int lod_check_item_found(struct lod_verify *v, uint32_t item, struct lod_finding finding)
{
    char path[LOD_PATH_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];

    finding.item = item;
    if (lod_index_item(v->index, item, row) == 0) {
        finding.path = lod_check_path(v, lod_row_own_node(row), path);
    }
    return lod_check_row_found(v, LOD_SECTION_ITEM, item, finding);
}

/* ------------------------------------------------------------------------------ blocks */

/* Returns the section that holds block `number` of the file; 0 for none. */
static unsigned section_of(struct lod_verify *v, uint64_t number, uint32_t *ret_in_section)
{
    for (unsigned id = LOD_SECTION_NODE; id <= LOD_SECTION_LAST; id++) {
        struct lod_section section = lod_index_section(v->index, id);
        if (number >= section.first && number - section.first < section.blocks) {
            *ret_in_section = (uint32_t)(number - section.first);
            return id;
        }
    }
    return 0;
}

static bool all_zero(const uint8_t *at, size_t bytes)
{
    return at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0;
}

/* Returns the fault of a block; NULL for none. The superblock was checked at open. */
static const char *judge_block(struct lod_verify *v, uint64_t number, const uint8_t *block,
                               int error)
{
    static const char *const damaged[] = {
        [LOD_SECTION_NODE] = "a block of nodes is damaged: its hash or place differs",
        [LOD_SECTION_ITEM] = "a block of items is damaged: its hash or place differs",
        [LOD_SECTION_RECD] = "a block of records is damaged: its hash or place differs",
        [LOD_SECTION_NAME] = "a block of names is damaged: its hash or place differs",
        [LOD_SECTION_SUMS] = "a block of sums is damaged: its hash or place differs",
        [LOD_SECTION_SAMP] = "a block of samples is damaged: its hash or place differs"};
    uint32_t in_section = 0;
    unsigned id = section_of(v, number, &in_section);

    if (error) {
        return strerrordesc_np(-error);
    }
    if (id) {
        error = lod_block_check(block, v->manifest.store_id.low, id, in_section);
        return error ? damaged[id] : NULL;
    }
    return number == 0 || !v->gaps_zero || all_zero(block, LOD_BLOCK_BYTES)
               ? NULL
               : "a block between the sections is not empty";
}

int lod_check_blocks(struct lod_verify *v, uint64_t step, uint64_t *ret_bytes)
{
    const uint64_t first = step * LOD_STEP_BLOCKS;
    const uint64_t blocks = lod_object_bytes(v->index_file) / LOD_BLOCK_BYTES - first;
    const uint32_t count = blocks < LOD_STEP_BLOCKS ? (uint32_t)blocks : LOD_STEP_BLOCKS;
    uint8_t *run = malloc((size_t)count * LOD_BLOCK_BYTES);
    int result = 0;

    if (!run) {
        return -ENOMEM;
    }
    int whole = lod_object_pread(v->index_file, first * LOD_BLOCK_BYTES, run,
                                 (size_t)count * LOD_BLOCK_BYTES);
    for (uint32_t i = 0; !result && i < count; i++) {
        uint8_t *block = run + (size_t)i * LOD_BLOCK_BYTES;
        int error = whole ? lod_object_pread(v->index_file, (first + i) * LOD_BLOCK_BYTES, block,
                                             LOD_BLOCK_BYTES)
                          : 0;
        struct lod_finding finding = {.what = judge_block(v, first + i, block, error),
                                      .offset = (first + i) * LOD_BLOCK_BYTES,
                                      .bytes = LOD_BLOCK_BYTES,
                                      .item = LOD_NO_ITEM,
                                      .file = LOD_INDEX_NAME};
        while (finding.what && !error &&
               lod_object_report_wrong(v->index_file, finding.offset, LOD_BLOCK_BYTES)) {
            error = lod_object_pread(v->index_file, finding.offset, block, LOD_BLOCK_BYTES);
            finding.what = judge_block(v, first + i, block, error);
        }
        if (finding.what) {
            uint32_t in_section;
            finding.fidelities = section_of(v, first + i, &in_section) ? LOD_FIDELITIES_ALL : 0;
            result = lod_findings_add(&v->findings, &finding);
        }
    }
    free(run);
    *ret_bytes = (uint64_t)count * LOD_BLOCK_BYTES;
    return result;
}

/* ------------------------------------------------------------------------------- nodes */

/* A node with its name, or an error. */
struct row {
    struct lod_node node;
    int error;
    char name[LOD_NAME_MAX + 1];
};

static void read_row(struct lod_verify *v, uint32_t number, struct row *row)
{
    row->error = lod_index_node(v->index, number, &row->node);
    if (!row->error) {
        row->error = lod_index_name(v->index, &row->node, row->name);
    }
}

static int compare_names(const struct row *a, const struct row *b)
{
    const size_t x = a->node.name_bytes, y = b->node.name_bytes;
    int order = memcmp(a->name, b->name, x < y ? x : y);

    return order ? order : (int)x - (int)y;
}

static bool holds(const struct lod_node *folder, uint32_t node)
{
    return S_ISDIR(folder->mode) && node >= folder->ref && node - folder->ref < folder->count;
}

/* Checks a node against its parent and the node before it. */
static const char *judge_place(struct lod_verify *v, const struct row *before, const struct row *at)
{
    const uint32_t number = at->node.number;
    struct lod_node parent, other;

    int error = number ? lod_index_node(v->index, at->node.parent, &parent) : -ENOENT;
    if (error) {
        return NULL; /* the root has no parent; an unreadable one is reported with its own row */
    }
    if (!holds(&parent, number)) {
        return "its parent does not list it";
    }
    if (before->error || number == 1) {
        return number == 1 && parent.number != 0 ? "the first node is not in the root" : NULL;
    }
    if (at->node.parent == before->node.parent) {
        return compare_names(before, at) < 0 ? NULL : "names are duplicated or not in order";
    }
    error = lod_index_node(v->index, before->node.parent, &other);
    if (at->node.parent < before->node.parent || number != parent.ref ||
        (!error && number != other.ref + other.count)) {
        return "nodes are not numbered breadth first";
    }
    return NULL;
}

static const char *judge_folder(struct lod_verify *v, const struct lod_node *node)
{
    struct lod_node child;

    for (unsigned last = 0; last < 2 && node->count; last++) {
        uint32_t number = node->ref + (last ? node->count - 1 : 0);
        if (lod_index_node(v->index, number, &child) == 0 && child.parent != node->number) {
            return "a folder lists nodes of another folder";
        }
    }
    return node->flags & ~(LOD_NODE_VIRTUAL | LOD_NODE_SPLIT) ? "a folder with flags of a file"
                                                              : NULL;
}

static const char *judge_link(struct lod_verify *v, const struct lod_node *node)
{
    char target[LOD_TARGET_MAX + 1];
    int error = lod_index_target(v->index, node, target);

    if (error && !lod_check_is_block_error(error)) {
        return "a malformed target of a symbolic link";
    }
    return node->flags ? "a symbolic link with flags" : NULL;
}

static const char *judge_file(struct lod_verify *v, const struct lod_node *node)
{
    const bool alias = (node->flags & LOD_NODE_ALIAS) != 0;
    uint8_t item[LOD_ROW_BYTES];
    struct lod_node own;

    int error = lod_index_item(v->index, node->ref, item);
    if (error) {
        return lod_check_is_block_error(error) ? NULL : "its item is malformed";
    }
    if (!alias) {
        return lod_row_own_node(item) == node->number ? NULL : "its item belongs to another file";
    }
    if ((node->flags & ~(LOD_NODE_APPEND | LOD_NODE_VIRTUAL)) != LOD_NODE_ALIAS) {
        return "an alias with invalid flags";
    }
    error = lod_index_node(v->index, lod_row_own_node(item), &own);
    return error || (S_ISREG(own.mode) && !(own.flags & LOD_NODE_ALIAS) && own.ref == node->ref)
               ? NULL
               : "an alias without a file";
}

/* The names of a node's folder. */
struct around {
    struct lod_verify *v;
    const struct row *row;
    char name[LOD_NAME_MAX + 1]; /* the last name that was requested */
    bool unknown;                /* a name could not be read, which is reported with its own row */
};

static const char *name_around(void *ctx, long distance)
{
    struct around *around = ctx;
    int64_t number = (int64_t)around->row->node.number + distance;
    struct lod_node other;

    if (number < 1 || number >= lod_index_nodes(around->v->index)) {
        return NULL;
    }
    int error = lod_index_node(around->v->index, (uint32_t)number, &other);
    if (!error && other.parent != around->row->node.parent) {
        return NULL;
    }
    error = error ? error : lod_index_name(around->v->index, &other, around->name);
    around->unknown = around->unknown || error;
    return error ? NULL : around->name;
}

static const char *judge_append(struct lod_verify *v, const struct row *row)
{
    struct around around = {.v = v, .row = row};
    struct lod_siblings siblings = {.at = name_around, .ctx = &around};
    bool append = row->node.flags & LOD_NODE_APPEND;

    return lod_picture_shares_stem(row->name, &siblings) == append || around.unknown
               ? NULL
               : "its flag APPEND does not follow from the names of its folder";
}

static const char *judge_kind(struct lod_verify *v, const struct row *row)
{
    const struct lod_node *node = &row->node;

    if (S_ISDIR(node->mode)) {
        atomic_fetch_add(&v->nodes[LOD_TREE_FOLDER], 1);
        return judge_folder(v, node);
    }
    if (S_ISLNK(node->mode)) {
        atomic_fetch_add(&v->nodes[LOD_TREE_SYMLINK], 1);
        return judge_link(v, node);
    }
    if (node->flags & LOD_NODE_ALIAS) {
        atomic_fetch_add(&v->nodes[LOD_TREE_EQUAL], 1);
    }
    const char *what = judge_file(v, node);
    return what ? what : judge_append(v, row);
}

static int check_node(struct lod_verify *v, const struct row *before, const struct row *at,
                      uint32_t number)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = {.item = LOD_NO_ITEM, .fidelities = LOD_FIDELITIES_ALL};

    if (at->error) {
        atomic_store(&v->rows_missing, true);
        finding.what = lod_check_is_block_error(at->error) ? NULL : "a malformed node or name";
    } else {
        finding.what = judge_place(v, before, at);
        finding.what = finding.what ? finding.what : judge_kind(v, at);
        finding.path = finding.what ? lod_check_path(v, number, path) : NULL;
    }
    return finding.what ? lod_check_row_found(v, LOD_SECTION_NODE, number, finding) : 0;
}

int lod_check_nodes(struct lod_verify *v, uint64_t step)
{
    const uint32_t nodes = lod_index_nodes(v->index);
    uint32_t number = (uint32_t)(step * LOD_STEP_NODES);
    uint32_t end = nodes - number < LOD_STEP_NODES ? nodes : number + LOD_STEP_NODES;
    struct row rows[2];
    int error = 0;

    rows[(number + 1) & 1].error = -ENOENT;
    if (number) {
        read_row(v, number - 1, &rows[(number - 1) & 1]);
    }
    for (; !error && number < end; number++) {
        struct row *at = &rows[number & 1];
        read_row(v, number, at);
        error = lod_check_stops(at->error) ? at->error
                                           : check_node(v, &rows[(number + 1) & 1], at, number);
    }
    return error;
}
