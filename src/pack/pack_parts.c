/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pack by many processes: one plans, each of the others writes the records of a part, and one
 * commits. They need no messages. The plan has all decisions, so each record depends only on the
 * plan and on its own files.
 */
#include "pack/pack_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pack/pack_describe.h"
#include "pack/parts/plan_tables.h"
#include "pack/record/write.h"
#include "pack/target/journal.h"
#include "text.h"

/* ------------------------------------------------------------------------------- the plan */

/*
 * Writes the options of the journal, and those whose effect only a walk of the source would show.
 */
static void print_options(const struct lod_pack_run *p, char text[LOD_JOURNAL_OPTIONS_MAX + 1])
{
    memcpy(text, p->resume.options, strlen(p->resume.options) + 1);
    lod_pack_filter_line(&p->options->filter, text);
}

static int refuse(struct lod_pack_run *p, int error, const char *sentence)
{
    return error == -ENOMEM || error == -EINTR
               ? error
               : lod_first_error_set(p->first_error, 0, error, "'%pE' %s", p->options->store,
                                     sentence);
}

int lod_pack_write_plan(struct lod_pack_run *p)
{
    static const struct lod_order none = {0};
    char options[LOD_JOURNAL_OPTIONS_MAX + 1];
    struct lod_pack_plan_decisions decisions = {.options = options,
                                                .list = &p->result->list,
                                                .containers = &p->result->containers,
                                                .order = &p->order,
                                                .scans = &p->scans,
                                                .labels = p->labels.at,
                                                .facts = {.other_labels = p->labels.differs,
                                                          .tables_stored = p->result->tables_stored,
                                                          .tables_beside = p->result->tables_beside,
                                                          .shards = p->result->shards}};

    int error = lod_resume_begin(&p->resume, &p->target, &p->result->list, &p->order,
                                 p->scans.table, p->first_error);
    if (error) {
        return error;
    }
    if (!p->planned) { /* records of a pack without a plan may be incomplete */
        lod_stale_files_prune(p->target.fd, p->target.records_fd, &none);
    }
    p->result->records = p->order.records_count;
    print_options(p, options);
    error = lod_journal_peek(p->target.fd, &decisions.journal);
    error = error ? error : lod_pack_plan_write(p->target.fd, &decisions, &p->result->plan_bytes);
    error = error ? error : lod_target_sync_parent(&p->target);
    return error ? refuse(p, error, "cannot hold the plan; is there space on its disk?") : 0;
}

/* Reads the plan and checks that it is that of this command. */
static int read_plan(struct lod_pack_run *p, struct lod_pack_plan *plan)
{
    char options[LOD_JOURNAL_OPTIONS_MAX + 1], why[LOD_RESUME_WHY_TEXT];
    uint64_t journal = 0;
    int error = lod_pack_plan_read(p->target.fd, plan);

    if (error) {
        return refuse(p, error,
                      error == -ENOENT ? "has no plan: run lodfs pack --plan first"
                                       : "has a damaged plan: run lodfs pack --plan again");
    }
    error = lod_journal_peek(p->target.fd, &journal);
    if (error || journal != plan->journal) {
        return refuse(p, error ? error : -EBADMSG,
                      "has a plan of another pack: run lodfs pack --plan again");
    }
    print_options(p, options);
    error = lod_journal_compare_text(plan->options, options, why, sizeof(why));
    return error == -EEXIST
               ? lod_first_error_set(p->first_error, 0, error,
                                     "'%pE' has another plan: %s; give each step the same version "
                                     "and options",
                                     p->options->store, why)
               : error;
}

/* Moves the decisions for some records from the plan to the run. */
static int take_decisions(struct lod_pack_run *p, struct lod_pack_plan *plan,
                          const struct lod_part_run *run, struct lod_pack_plan_sources *sources)
{
    int error = lod_pack_plan_take_scans(plan, p->options->scans, &p->scans);

    error = error ? error : lod_pack_plan_take_sources(plan, run->first, run->count, sources);
    if (error) {
        return refuse(p, error, "has a malformed plan: run lodfs pack --plan again");
    }
    p->first_error->planned = true;
    p->result->list = sources->list;
    p->result->containers = plan->containers; /* which its sources borrow */
    plan->containers = (struct lod_source_list){0};
    p->labels.at = sources->labels;
    p->order = plan->order; /* the run owns it now */
    plan->order = (struct lod_order){0};
    p->result->cuts = p->order.cuts;
    return 0;
}

/* ------------------------------------------------------------------------------ the commit */

int lod_pack_take_plan(struct lod_pack_run *p)
{
    struct lod_pack_plan plan = {0};
    struct lod_pack_plan_sources sources = {0};
    int error = read_plan(p, &plan);
    const struct lod_part_run all = {.count = (uint32_t)plan.order.records_count};

    error = error ? error : take_decisions(p, &plan, &all, &sources);
    if (!error) {
        p->result->other_labels = plan.facts.other_labels;
        p->result->tables_stored = plan.facts.tables_stored;
        p->result->tables_beside = plan.facts.tables_beside;
        p->result->shards = plan.facts.shards;
    }
    lod_pack_plan_finish(&plan);
    return error;
}

/* ------------------------------------------------------------------------------ the parts */

/* The files of a part that have to be checked. */
struct looking {
    struct lod_pack_run *p;
    uint32_t first; /* of the order's files */
};

/* Returns whether a file is in the same container as the previous file, which is checked anyway. */
static bool shares_container(const struct looking *looking, uint64_t index)
{
    const uint32_t *files = looking->p->order.files + looking->first + index;
    const struct lod_source *list = looking->p->result->list.at;
    const struct lod_member_place *place = list[files[0]].place, *before = list[files[-1]].place;

    return place && before && place->container == before->container;
}

static int look_at(void *ctx, uint64_t index)
{
    const struct looking *looking = ctx;
    struct lod_pack_run *p = looking->p;
    struct lod_source *source = &p->result->list.at[p->order.files[looking->first + index]];
    int error = lod_cancel_poll(p->options->stop);

    if (error || source->added || (index && shares_container(looking, index))) {
        return error;
    }
    error = lod_source_unchanged(p->source_fd, source, p->options->follow);
    return error ? lod_first_error_source(p->first_error, index, source, error) : 0;
}

/* Compares sizes and times of all files with the plan before anything is written. */
static int look_at_sources(struct lod_pack_run *p, const struct lod_part_run *run)
{
    struct looking looking = {.p = p, .first = p->order.records[run->first].first};

    lod_progress_stage(p->options->progress, "comparing the source with the plan", 0, 0);
    return lod_pool_each(p->pool, lod_order_sum(&p->order, run->first, run->count).files, look_at,
                         &looking);
}

static int take_tables(struct lod_pack_run *p, const struct lod_pack_plan *plan,
                       const struct lod_pack_plan_sources *sources, const struct lod_part_run *run)
{
    p->probe = (struct lod_probe){.root_fd = p->source_fd,
                                  .follow = p->options->follow,
                                  .pool = p->pool,
                                  .stop = p->options->stop,
                                  .progress = p->options->progress,
                                  .first_error = p->first_error,
                                  .list = &p->result->list};
    int error = lod_pack_plan_take_tables(plan, sources, &p->order, run, &p->probe,
                                          &p->options->tables, &p->result->tables);
    return error == -EBADMSG ? refuse(p, error, "has a malformed plan: run lodfs pack --plan again")
                             : error;
}

static int write_run(struct lod_pack_run *p, const struct lod_part_run *run)
{
    const struct lod_encode_options encode = lod_pack_encode_options(p);
    struct lod_memory_semaphore budget;
    struct lod_write write = lod_pack_jobs(p, &encode, &budget);
    int error = lod_store_open(p->options->store, &write.before);

    if (error) {
        return error;
    }
    write.first = run->first;
    write.count = run->count;
    lod_memory_semaphore_init(&budget, LOD_WRITE_WORK_BYTES);
    const struct lod_order_sum sum = lod_order_sum(&p->order, run->first, run->count);
    lod_progress_stage(p->options->progress, "packing", sum.files, sum.bytes);
    error = lod_write_records(&write);
    for (uint32_t r = run->first + 1; !error && r <= run->first + run->count; r++) {
        p->result->kept += write.written[r].kept;
        p->result->store_bytes += write.written[r].recd.file_bytes;
    }
    error = error ? error : lod_target_sync_records(&p->target);
    lod_write_finish(&write);
    lod_store_close(write.before);
    lod_memory_semaphore_finish(&budget);
    return error;
}

static int write_part(struct lod_pack_run *p, struct lod_pack_plan *plan,
                      const struct lod_part_run *run)
{
    struct lod_part_folder folder = {.fd = -1};
    struct lod_pack_plan_sources sources = {0};
    int error = lod_part_lock_run(&p->target, plan, run, p->first_error, &p->lock);

    error = error ? error : take_decisions(p, plan, run, &sources);
    error = error ? error : look_at_sources(p, run);
    error = error ? error : take_tables(p, plan, &sources, run);
    free(sources.whole);
    if (!error) {
        lod_pack_plan_finish(plan);
        error =
            lod_part_folder_make(&p->target, &p->options->part, &p->lock, p->first_error, &folder);
    }
    if (!error) {
        p->resume.ours = true;
        error = write_run(p, run);
        p->resume.ours = error != -ESTALE && error != -EBADMSG;
    }
    lod_part_folder_remove(&p->target, &folder);
    return error;
}

int lod_pack_write_part(struct lod_pack_run *p)
{
    struct lod_pack_plan plan = {0};
    int error = lod_target_join(p->options->store, p->first_error, &p->target);

    error = error ? error : read_plan(p, &plan);
    const struct lod_part_run run = lod_part_records(&plan.order, &p->options->part);
    if (!error && run.count) {
        error = write_part(p, &plan, &run);
    }
    p->result->records = run.count;
    lod_pack_plan_finish(&plan);
    return error;
}
