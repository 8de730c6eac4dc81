/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tables among the files, and adds their sources: FOLDER.toc with schema.json and the
 * shards, beside every name of a table. See tables.h.
 */
#include "pack/source/filter.h"
#include "pack/tables/tables.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pack/tables/table_probe.h"
#include "pack/tables/table_names.h"
#include "pack/tables/table_parts.h"
#include "pack/tables/table_schema.h"
#include "text.h"

#define NO_TABLE        UINT32_MAX
#define MALFORMED_SHOWN 10

struct finding {
    struct lod_probe *probe;
    const struct lod_tables_options *options;
    struct lod_progress *progress;
    struct lod_tables *tables;
    uint32_t *of; /* by source: its table in `tables`, or NO_TABLE if it has none */
    bool *wanted; /* by source: --tables names it */
};

/* -------------------------------------------------------------------------- candidates */

static enum lod_table_kind kind_of(const char *path)
{
    static const struct {
        const char *ending;
        enum lod_table_kind kind;
    } endings[] = {{".npy", LOD_TABLE_NPY},
                   {".csv", LOD_TABLE_CSV},
                   {".libsvm", LOD_TABLE_LIBSVM},
                   {".svm", LOD_TABLE_LIBSVM}};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcasecmp(dot, endings[i].ending) == 0) {
            return endings[i].kind;
        }
    }
    return LOD_TABLE_NONE;
}

static int add_candidate(struct finding *f, uint32_t file, enum lod_table_kind kind, bool wanted)
{
    struct lod_tables *tables = f->tables;

    if (f->of[file] != NO_TABLE) {
        struct lod_table_found *found = &tables->at[f->of[file]];
        found->kind = wanted && !found->wanted ? kind : found->kind;
        found->wanted = found->wanted || wanted;
        return 0;
    }
    f->of[file] = (uint32_t)tables->count;
    return LOD_LIST_ADD(tables,
                        (struct lod_table_found){.file = file, .kind = kind, .wanted = wanted});
}

/* Examines a source. A file whose content another encoder accepts is not a table. */
static int look_at_source(struct finding *f, uint32_t i)
{
    const struct lod_source_list *list = f->probe->list;
    const struct lod_source *source = &list->at[i];

    if (!lod_source_is_file(source)) {
        return 0;
    }
    const struct lod_source *owner = lod_source_owner(list, source);
    if (owner->role != LOD_SOURCE_FILE || owner->encoder != &lod_encoder_raw) {
        return 0;
    }
    enum lod_table_kind kind = kind_of(source->path);
    f->wanted[i] = kind && lod_patterns_match(&f->options->globs, source->path);
    if (f->wanted[i]) {
        return add_candidate(f, (uint32_t)(owner - list->at), kind, true);
    }
    return source == owner && source->bytes >= LOD_TABLE_BYTES_MIN
               ? add_candidate(f, i, LOD_TABLE_NPY, false)
               : 0;
}

/*
 * Finds the files that may be tables. A file comes before its other names, since it is the first of
 * them by path.
 */
static int find_candidates(struct finding *f)
{
    const size_t count = f->probe->list->count;
    int error = 0;

    for (size_t i = 0; i < count; i++) {
        f->of[i] = NO_TABLE;
    }
    for (size_t i = 0; !error && i < count; i++) {
        error = look_at_source(f, (uint32_t)i);
    }
    return error;
}

static int look_at(void *ctx, uint64_t index)
{
    struct finding *f = ctx;
    struct lod_table_found *found = &f->tables->at[index];
    int error = lod_cancel_poll(f->probe->stop);

    error = error ? error : lod_table_probe(f->probe, f->options, f->progress, found);
    lod_progress_add(f->progress, 1, 0, 0);
    if (!error && found->is_table) {
        error = lod_table_schema(&found->table, &found->schema);
    }
    return error;
}

/* Names the first malformed tables by path, so that the user sees several of them after one run. */
static int refuse_malformed(const struct finding *f)
{
    char names[LOD_FIRST_ERROR_BYTES - 1024], more[32] = "";
    size_t used = 0, count = 0;

    for (size_t i = 0; i < f->probe->list->count; i++) {
        const struct lod_table_found *found =
            f->of[i] == NO_TABLE ? NULL : &f->tables->at[f->of[i]];
        if (found && found->malformed && count++ < MALFORMED_SHOWN) {
            used += lod_format(names + used, sizeof(names) - used, "%s'%pE': %pE", used ? "; " : "",
                               f->probe->list->at[i].path, found->malformed);
        }
    }
    if (count == 0) {
        return 0;
    }
    if (count > MALFORMED_SHOWN) {
        lod_format(more, sizeof(more), "; and %zu more", count - MALFORMED_SHOWN);
    }
    return lod_first_error_set(f->probe->first_error, 0, -EILSEQ,
                               "cannot make shards of %zu %s: %s%s; files that --tables does not "
                               "match are stored as they are",
                               count, count == 1 ? "table" : "tables", names, more);
}

/* ------------------------------------------------------------------------------ adding */

/* Returns the table that has this source as one of its names, or NULL. */
static struct lod_table_found *table_of(const struct finding *f, uint32_t i)
{
    const struct lod_source_list *list = f->probe->list;

    if (!lod_source_is_file(&list->at[i])) {
        return NULL;
    }
    const uint32_t table = f->of[lod_source_owner(list, &list->at[i]) - list->at];
    return table != NO_TABLE && f->tables->at[table].is_table ? &f->tables->at[table] : NULL;
}

/* Returns whether a name gets a folder beside it. Every name of a table stored as shards does, and
 * of other tables the names that --tables matches. */
static bool wants_folder(const struct finding *f, uint32_t i)
{
    const struct lod_table_found *found = table_of(f, i);

    return found && (f->wanted[i] || found->table.stored);
}

static int collect_names(const struct finding *f, struct lod_table_names *names)
{
    int error = 0;

    for (size_t i = 0; !error && i < f->probe->list->count; i++) {
        if (wants_folder(f, (uint32_t)i)) {
            error = lod_table_names_add(names, (uint32_t)i);
        }
    }
    return error ? error : lod_table_names_choose(names, f->probe->list);
}

/* Marks the tables for which a folder name was found. Other tables are stored as ordinary files. */
static void note_named(const struct finding *f, const struct lod_table_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        struct lod_table_found *found = table_of(f, names->at[i].source);
        found->named = found->named || names->at[i].path;
    }
    for (size_t i = 0; i < f->tables->count; i++) {
        f->tables->at[i].is_table = f->tables->at[i].is_table && f->tables->at[i].named;
    }
}

static int make_parts(struct finding *f)
{
    int error = 0;

    for (size_t i = 0; !error && i < f->tables->count; i++) {
        struct lod_table_found *found = &f->tables->at[i];
        if (found->is_table) {
            error = lod_table_parts_make(found, &f->probe->list->at[found->file]);
        }
    }
    return error;
}

static int add_folders(struct finding *f, const struct lod_table_names *names)
{
    struct lod_source_list *list = f->probe->list;
    int error = 0;

    for (size_t i = 0; !error && i < names->count; i++) {
        struct lod_table_found *found = table_of(f, names->at[i].source);
        if (found && names->at[i].path) {
            error = lod_table_parts_add(found, list, names->at[i].source, names->at[i].path);
        }
    }
    return error;
}

static int add_all(struct finding *f)
{
    struct lod_table_names names = {0};
    int error = collect_names(f, &names);

    if (!error) {
        note_named(f, &names);
        error = make_parts(f);
    }
    if (!error && names.count) {
        error = add_folders(f, &names);
        error = error ? error : lod_source_list_resort(f->probe->list);
    }
    lod_table_names_finish(&names);
    return error;
}

static uint64_t bytes_of(const struct finding *f)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < f->tables->count; i++) {
        const struct lod_table_found *found = &f->tables->at[i];
        bytes += found->kind == LOD_TABLE_NPY ? 0 : f->probe->list->at[found->file].bytes;
    }
    return bytes;
}

int lod_tables_find(struct lod_probe *probe, const struct lod_tables_options *options,
                    struct lod_progress *progress, struct lod_tables *tables)
{
    const size_t count = probe->list->count;
    struct finding f = {.probe = probe,
                        .options = options,
                        .progress = progress,
                        .tables = tables,
                        .of = malloc((count + 1) * sizeof(f.of[0])),
                        .wanted = calloc(count + 1, sizeof(f.wanted[0]))};
    int error = f.of && f.wanted ? find_candidates(&f) : -ENOMEM;

    if (!error && tables->count) {
        lod_progress_stage(progress, "reading tables", tables->count, bytes_of(&f));
        error = lod_pool_each(probe->pool, tables->count, look_at, &f);
        error = error ? error : refuse_malformed(&f);
        error = error ? error : add_all(&f);
    }
    free(f.of);
    free(f.wanted);
    return error;
}

const struct lod_table_found *lod_table_of(const struct lod_subitems *parts)
{
    return (const struct lod_table_found *)((const char *)parts -
                                            offsetof(struct lod_table_found, parts));
}

void lod_tables_finish(struct lod_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        struct lod_table_found *found = &tables->at[i];
        lod_text_scan_destroy(found->scan);
        free(found->malformed);
        free(found->parts.at);
        lod_buf_finish(&found->schema);
        lod_buf_finish(&found->labels);
    }
    free(tables->at);
    *tables = (struct lod_tables){0};
}
