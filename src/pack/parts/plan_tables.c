/* SPDX-License-Identifier: Apache-2.0 */
/* Examines the tables of a part; see plan_tables.h. */
#include "pack/parts/plan_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "pack/tables/table_parts.h"
#include "pack/tables/table_probe.h"
#include "pack/tables/table_schema.h"

struct taking {
    struct lod_probe *probe;
    const struct lod_tables_options *options;
    struct lod_tables *tables;
    uint32_t *parts; /* the tables of the plan, in the order of `tables` */
};

static int look_at(void *ctx, uint64_t index)
{
    struct taking *t = ctx;
    struct lod_table_found *found = &t->tables->at[index];
    struct lod_source *file = &t->probe->list->at[found->file];
    int error = lod_cancel_poll(t->probe->stop);

    error = error ? error : lod_table_probe(t->probe, t->options, t->probe->progress, found);
    if (error || !found->is_table) {
        return error ? error : lod_first_error_source(t->probe->first_error, index, file, -ESTALE);
    }
    error = lod_table_schema(&found->table, &found->schema);
    error = error ? error : lod_table_parts_make(found, file);
    return error || found->parts.count == t->parts[index]
               ? error
               : lod_first_error_source(t->probe->first_error, index, file, -ESTALE);
}

/* Marks the files that have items in the records of `run`. */
static bool *find_needed(const struct lod_order *order, const struct lod_part_run *run,
                         const struct lod_source_list *list)
{
    bool *needed = calloc(list->count + 1, sizeof(needed[0]));

    for (uint32_t r = run->first; needed && r < run->first + run->count; r++) {
        const struct lod_order_record *record = &order->records[r];
        for (uint32_t k = 0; k < record->count; k++) {
            const uint32_t file = order->files[record->first + k];
            needed[list->at[file].added ? list->at[file].owner : file] = true;
        }
    }
    return needed;
}

/*
 * Lists the tables among these files. Sources point into `tables`, so its memory is allocated
 * before.
 */
static int list_tables(struct taking *t, const struct lod_pack_plan *plan,
                       const struct lod_pack_plan_sources *sources, const bool *needed)
{
    struct lod_tables *tables = t->tables;

    tables->at = calloc(plan->tables.count + 1, sizeof(tables->at[0]));
    t->parts = calloc(plan->tables.count + 1, sizeof(t->parts[0]));
    if (!tables->at || !t->parts) {
        return -ENOMEM;
    }
    tables->room = plan->tables.count + 1;
    for (size_t i = 0; i < plan->tables.count; i++) {
        const struct lod_pack_plan_table *table = &plan->tables.at[i];
        const uint32_t file = lod_pack_plan_place(sources, table->file);
        if (file == UINT32_MAX || sources->list.at[file].role != LOD_SOURCE_FILE ||
            sources->list.at[file].added) {
            return -EBADMSG;
        }
        if (needed[file]) {
            t->parts[tables->count] = table->parts;
            tables->at[tables->count++] = (struct lod_table_found){
                .file = file, .kind = (enum lod_table_kind)table->kind, .wanted = table->wanted};
        }
    }
    return 0;
}

/* Gives the added files their parts. */
static int join(const struct lod_source_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lod_source *source = &list->at[i];
        if (source->role == LOD_SOURCE_FILE && source->added) {
            const struct lod_subitems *parts = list->at[source->owner].parts;
            if (!parts || source->part >= parts->count ||
                source->encoder != parts->at[source->part].encoder) {
                return -EBADMSG;
            }
            source->parts = parts;
        }
    }
    return 0;
}

int lod_pack_plan_take_tables(const struct lod_pack_plan *plan,
                              const struct lod_pack_plan_sources *sources,
                              const struct lod_order *order, const struct lod_part_run *run,
                              struct lod_probe *probe, const struct lod_tables_options *options,
                              struct lod_tables *tables)
{
    struct taking t = {.probe = probe, .options = options, .tables = tables};
    bool *needed = find_needed(order, run, probe->list);
    int error = needed ? list_tables(&t, plan, sources, needed) : -ENOMEM;

    free(needed);
    if (!error && tables->count) {
        error = lod_pool_each(probe->pool, tables->count, look_at, &t);
    }
    free(t.parts);
    return error ? error : join(probe->list);
}
