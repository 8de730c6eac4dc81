/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds runs: names of a folder that begin with the same stem and a dot, which are adjacent. A run
 * of more than 33 names is too long for a sample. So a folder of a.1.jpg .. a.999999.jpg costs no
 * more than another. See sample_group.h.
 */
#include "sample/sample_group.h"

#include <string.h>
#include <sys/stat.h>

#include "framing/framing.h"

struct run {
    const struct lod_sample_tree *tree;
    const struct lod_sample_kinds *kinds;
    const struct lod_sample_node *node; /* the picture */
    char name[LOD_NAME_MAX + 1];
    size_t stem; /* bytes of its stem; a dot follows */
    uint32_t first, end;
    bool too_long;
};

int lod_sample_kinds_find(const struct lod_sample_tree *tree, struct lod_sample_kinds *ret_kinds)
{
    struct lod_sample_kinds kinds = {.pictures = false};
    struct lod_sample_record record;

    for (uint32_t i = 0; i < tree->records && !kinds.pictures; i++) {
        int error = tree->record(tree->ctx, i, &record);
        if (error) {
            return error;
        }
        const struct lod_codec *codec = lod_codec_find(record.codec);
        kinds.pictures = codec && codec->picture_rank != 0;
    }
    *ret_kinds = kinds;
    return 0;
}

unsigned lod_sample_rank(const struct lod_sample_kinds *kinds,
                         const struct lod_sample_record *record)
{
    const struct lod_codec *codec = lod_codec_find(record->codec);

    if (kinds->pictures) {
        return codec ? codec->picture_rank : 0;
    }
    return record->codec == LOD_CODEC_RAW && record->cut != LOD_CUT_SMALL;
}

/* Returns whether this node can be a member of a sample. */
static bool is_file(const struct lod_sample_node *node)
{
    return S_ISREG(node->mode) && !(node->flags & LOD_NODE_VIRTUAL);
}

/* Returns 1 if node `number` has a name of the run, 0 if not, or an error. */
static int in_run(const struct run *run, uint32_t number, char name[LOD_NAME_MAX + 1])
{
    struct lod_sample_node node;

    if (number == 0 || number >= run->tree->nodes) {
        return 0;
    }
    int error = run->tree->node(run->tree->ctx, number, &node);
    if (error || node.parent != run->node->parent) {
        return error;
    }
    error = run->tree->name(run->tree->ctx, number, name);
    return error ? error : strncmp(name, run->name, run->stem + 1) == 0;
}

/* Finds the nodes around run->node whose names begin with `stem` bytes of its name and a dot. */
static int find_run(struct run *run, size_t stem)
{
    char name[LOD_NAME_MAX + 1];
    int in = 1;

    run->stem = stem;
    run->first = run->node->number;
    run->end = run->node->number + 1;
    while (run->end - run->first <= LOD_FRAMED_FILES_MAX &&
           (in = in_run(run, run->first - 1, name)) == 1) {
        run->first--;
    }
    while (in >= 0 && run->end - run->first <= LOD_FRAMED_FILES_MAX &&
           (in = in_run(run, run->end, name)) == 1) {
        run->end++;
    }
    run->too_long = run->end - run->first > LOD_FRAMED_FILES_MAX;
    return in < 0 ? in : 0;
}

/* Returns the rank of a node as a lead, whose name must be the stem and one ending; 0: it cannot
 * lead. */
static int rank_of(const struct run *run, uint32_t number, unsigned *ret_rank)
{
    struct lod_sample_record record;
    struct lod_sample_node node;
    char name[LOD_NAME_MAX + 1];
    uint8_t row[LOD_ROW_BYTES];

    *ret_rank = 0;
    int error = run->tree->node(run->tree->ctx, number, &node);
    error = error ? error : run->tree->name(run->tree->ctx, number, name);
    if (error || !is_file(&node) || (node.flags & LOD_NODE_ALIAS) ||
        lod_stem_last(name, strlen(name)) != run->stem) {
        return error;
    }
    error = run->tree->item(run->tree->ctx, node.item, row);
    error = error ? error : run->tree->record_of(run->tree->ctx, node.item, &record);
    if (!error && lod_row_own_node(row) == number) {
        *ret_rank = lod_sample_rank(run->kinds, &record);
    }
    return error;
}

/* Returns the node of the run that is the best lead; 0 for none. */
static int find_lead(const struct run *run, uint32_t *ret_lead)
{
    unsigned best = 0, rank;
    uint32_t lead = 0;

    for (uint32_t number = run->first; number < run->end; number++) {
        int error = rank_of(run, number, &rank);
        if (error) {
            return error;
        }
        if (rank && (best == 0 || rank < best)) {
            best = rank;
            lead = number;
        }
    }
    *ret_lead = lead;
    return 0;
}

/* Returns whether a child of the folder has a name that begins with `key` and a dot. */
static int is_taken(const struct run *run, const struct lod_sample_node *folder, const char *key,
                    size_t bytes, bool *ret_taken)
{
    uint32_t low = folder->first, high = folder->first + folder->count;
    char name[LOD_NAME_MAX + 1];
    int error = 0;

    while (!error && low < high) {
        uint32_t middle = low + (high - low) / 2;
        error = run->tree->name(run->tree->ctx, middle, name);
        int order = error ? 0 : strncmp(name, key, bytes);
        if (order < 0 || (order == 0 && !error && (unsigned char)name[bytes] < '.')) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!error && low < folder->first + folder->count) {
        error = run->tree->name(run->tree->ctx, low, name);
        *ret_taken = !error && strncmp(name, key, bytes) == 0 && name[bytes] == '.';
    }
    return error;
}

/* Returns the form of a name with several dots or none, which depends on whether another file has
 * its key without dots. */
static int find_form(const struct run *run, struct lod_sample_group *group)
{
    char key[LOD_NAME_MAX + 1];
    struct lod_sample_node folder;
    bool taken = memchr(run->name, '_', run->stem) != NULL;
    bool dots = memchr(run->name, '.', run->stem) != NULL;

    memcpy(key, run->name, run->stem);
    for (size_t i = 0; i < run->stem; i++) {
        key[i] = key[i] == '.' ? '_' : key[i];
    }
    int error = run->tree->node(run->tree->ctx, run->node->parent, &folder);
    if (!error && !(taken && dots)) {
        taken = false;
        error = is_taken(run, &folder, key, run->stem, &taken);
    }
    group->form = taken ? LOD_SAMPLE_NUMBERED : LOD_SAMPLE_DOTTED;
    return error;
}

/* If this picture leads the run, its group has the run's nodes around it. */
static int take_run(const struct run *run, struct lod_sample_group *group)
{
    uint32_t lead = run->node->number;

    int error = run->too_long ? 0 : find_lead(run, &lead);
    if (error || lead != run->node->number) {
        group->form = LOD_SAMPLE_NONE;
        return error;
    }
    if (!run->too_long) {
        group->before = (uint8_t)(run->node->number - run->first);
        group->after = (uint8_t)(run->end - run->node->number - 1);
    }
    return 0;
}

/* Tries names up to the first dot. *ret_led: the run is a sample, since it has a picture with one
 * dot. */
static int try_plain(struct run *run, struct lod_sample_group *group, bool *ret_led)
{
    const size_t bytes = strlen(run->name);
    const size_t stem = lod_stem_first(run->name, bytes);
    uint32_t lead = 0;

    if (stem == 0 || stem == bytes) {
        return 0;
    }
    int error = find_run(run, stem);
    error = error || run->too_long ? error : find_lead(run, &lead);
    *ret_led = !error && lead != 0;
    group->form = LOD_SAMPLE_PLAIN;
    return *ret_led ? take_run(run, group) : error;
}

int lod_sample_group_find(const struct lod_sample_tree *tree, const struct lod_sample_kinds *kinds,
                          const struct lod_sample_node *node, struct lod_sample_group *ret_group)
{
    struct run run = {.tree = tree, .kinds = kinds, .node = node};
    struct lod_sample_group group = {.form = LOD_SAMPLE_NONE};
    bool led = false;

    int error = tree->name(tree->ctx, node->number, run.name);
    error = error ? error : try_plain(&run, &group, &led);
    if (!error && !led) {
        const size_t bytes = strlen(run.name), stem = lod_stem_last(run.name, bytes);
        group = (struct lod_sample_group){.form = LOD_SAMPLE_DOTTED};
        run.stem = stem ? stem : bytes;
        run.too_long = true; /* a picture whose name has no ending is a sample without members */
        if (run.stem < bytes) {
            error = find_run(&run, stem);
        }
        error = error ? error : take_run(&run, &group);
        if (!error && group.form && (run.stem == bytes || memchr(run.name, '.', run.stem))) {
            error = find_form(&run, &group);
        } else if (!error && group.form) {
            group.form = LOD_SAMPLE_PLAIN;
        }
    }
    if (!error) {
        *ret_group = group;
    }
    return error;
}

bool lod_sample_group_has(enum lod_sample_form form, const char *lead, const char *name,
                          const struct lod_sample_node *node)
{
    const size_t bytes = strlen(name);
    const size_t stem = lod_stem_last(lead, strlen(lead));

    if (!is_file(node) || strncmp(name, lead, stem) != 0 || name[stem] != '.') {
        return false;
    }
    return form == LOD_SAMPLE_PLAIN || lod_stem_last(name, bytes) == stem;
}
