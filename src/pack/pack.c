/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a pack in their order: walk, probe, equal files, sample and scripts, order,
 * records, commit. All decisions about the bytes of a store are made before the first one is
 * written.
 */
#include "backend/file_io.h"
#include "pack/pack_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/mount_table.h"
#include "pack/container/import.h"
#include "pack/container/member_labels.h"
#include "pack/pack_counts.h"
#include "pack/pack_describe.h"
#include "pack/target/resume_preview.h"
#include "pack/scans/sample_read.h"
#include "pack/source/level_files.h"
#include "pack/source/walk.h"

/* Refuses a source that contains a mount, which shows every file a dozen times. If the table of
 * mounts cannot be read, nothing is refused. */
static int refuse_mounts(struct lod_pack_run *p, const char *path)
{
    char *point = NULL;
    int error = lod_mount_table_below(path, &point);

    if (error || !point) {
        return error == -ENOMEM ? error : 0;
    }
    error =
        lod_first_error_set(p->first_error, 0, -EBUSY,
                            "the source '%pE' holds a mount of lodfs, '%pE': unmount it, or pack a "
                            "folder of it, such as %pE/original",
                            path, point, point);
    free(point);
    return error;
}

static struct lod_import import_of(const struct lod_pack_run *p)
{
    return (struct lod_import){.kind = p->options->from,
                               .key = p->options->key,
                               .source = p->options->source,
                               .stop = p->options->stop,
                               .progress = p->options->progress,
                               .filter = &p->options->filter,
                               .first_error = p->first_error};
}

static int open_source(struct lod_pack_run *p)
{
    const char *path = p->options->source;

    if (p->options->from) {
        const struct lod_import import = import_of(p);
        return lod_import_open(&import, &p->source_fd, &p->alone);
    }
    p->source_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->source_fd >= 0) {
        return refuse_mounts(p, path);
    }
    int error = errno;
    return lod_first_error_set(p->first_error, 0, -error, "cannot pack the folder '%pE': %s", path,
                               error == ENOTDIR ? "it is a file; name a folder, or say with --from "
                                                  "which kind of container it is"
                                                : strerrordesc_np(error));
}

/* Opens and locks the target before the walk, so that a second pack to it fails immediately. */
static int open_target(struct lod_pack_run *p, struct lod_walk *walk)
{
    int error = lod_target_check(p->options->store, p->alone ? -1 : p->source_fd, p->first_error,
                                 &walk->store_exists, &walk->store_dev, &walk->store_ino);
    struct stat st;

    if (error || p->options->dry_run) {
        return error;
    }
    error = lod_target_open(p->options->store, p->first_error, &p->target);
    error = error ? error : lod_part_lock_all(&p->target, p->first_error, &p->lock, &p->planned);
    if (!error && (p->options->plan || !p->planned)) {
        error = lod_resume_open(&p->resume, &p->target, p->first_error);
    }
    if (!error && fstat(p->target.fd, &st) == 0) {
        walk->store_exists = true;
        walk->store_dev = st.st_dev;
        walk->store_ino = st.st_ino;
    }
    return error;
}

static int list_members(struct lod_pack_run *p)
{
    const struct lod_import import = import_of(p);
    int error = lod_import_find(&import, p->source_fd, p->alone, &p->result->containers);

    return error ? error
                 : lod_import_list(&import, p->source_fd, p->alone, &p->result->containers,
                                   &p->result->list);
}

/* Refuses patterns that leave nothing of the source. A file that cannot be read counts as found. */
static int refuse_nothing(const struct lod_pack_run *p)
{
    const struct lod_source_list *list = &p->result->list;
    const struct lod_filter *filter = &p->options->filter;

    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].role != LOD_SOURCE_FOLDER && !list->at[i].special) {
            return 0;
        }
    }
    return lod_first_error_set(
        p->first_error, 0, -EINVAL,
        "no file of '%pE' matches --include='%pE'%s%s; a pattern without a slash is for names, one "
        "with a slash for paths from the source, and case matters",
        p->options->source, filter->include.at[0],
        filter->include.count > 1 ? " or the other patterns" : "",
        filter->exclude.count || filter->lines.count ? ", of those that are not excluded" : "");
}

static int list_source(struct lod_pack_run *p, const struct lod_walk *walk)
{
    int error = p->options->from ? list_members(p) : lod_walk(walk, &p->result->list);

    if (error || p->options->filter.include.count == 0) {
        return error;
    }
    error = lod_source_list_drop_folders(&p->result->list);
    return error ? error : refuse_nothing(p);
}

static struct lod_walk walk_of(const struct lod_pack_run *p)
{
    return (struct lod_walk){.root_fd = p->source_fd,
                             .follow = p->options->follow,
                             .filter = &p->options->filter,
                             .stop = p->options->stop,
                             .progress = p->options->progress,
                             .first_error = p->first_error};
}

static int find_files(struct lod_pack_run *p, const struct lod_walk *walk)
{
    const struct lod_pack_options *options = p->options;

    lod_progress_stage(options->progress, "listing the source", 0, 0);
    int error = list_source(p, walk);
    p->probe = (struct lod_probe){.root_fd = p->source_fd,
                                  .follow = options->follow,
                                  .pool = p->pool,
                                  .stop = options->stop,
                                  .progress = options->progress,
                                  .first_error = p->first_error,
                                  .list = &p->result->list};
    lod_progress_stage(options->progress, "examining the files", 0, 0);
    error = error ? error : lod_probe_files(&p->probe);
    if (!error && options->levels.count) {
        lod_level_files_mark(&p->result->list, &options->levels);
    }
    lod_progress_stage(options->progress, "looking for equal files", 0, 0);
    error = error ? error : lod_dedup_find(&p->probe);
    error =
        error ? error
              : lod_tables_find(&p->probe, &options->tables, options->progress, &p->result->tables);
    return error || !options->splits.text
               ? error
               : lod_split_names_mark(&options->splits, &p->result->list, p->first_error);
}

static int choose_scans(struct lod_pack_run *p)
{
    const struct lod_pack_options *options = p->options;
    const struct lod_scans_options scans_options = {.fixed = options->scans,
                                                    .top = options->top,
                                                    .light =
                                                        strcmp(options->scans_name, "light") == 0};
    const struct lod_sample_limits limits = {.jpeg_bytes = lod_sample_jpeg_bytes(&p->result->list),
                                             .scripts = lod_scans_compared(&scans_options),
                                             .fidelities = options->top ? options->top : LOD_Q10};
    struct lod_sample *sample = NULL;
    int error = lod_sample_create(&limits, &sample);

    const struct lod_measure_run run = {
        .pool = p->pool, .stop = options->stop, .progress = options->progress};

    lod_progress_stage(options->progress, "reading a sample", 0, 0);
    error = error ? error : lod_sample_read(&p->probe, sample);
    error = error ? error : lod_scans_choose(&run, sample, &scans_options, &p->scans);
    lod_sample_destroy(sample);
    return error;
}

/* Counts what a pack would do, as far as it is known without encoding. */
static void tally_order(struct lod_pack_run *p)
{
    struct lod_store_totals *totals = &p->result->totals;

    for (size_t i = 0; i < p->order.files_count; i++) {
        const struct lod_source *file = &p->result->list.at[p->order.files[i]];
        struct lod_store_totals_codec *codec = &totals->codecs[file->encoder->codec->id];
        codec->items++;
        codec->files += file->names;
        codec->source_bytes += file->bytes;
        totals->all.items++;
        totals->all.files += file->names;
        totals->all.source_bytes += file->bytes;
        totals->shown_bytes += file->names * file->bytes;
    }
    p->result->records = p->order.records_count + 1;
}

/* A dry run encodes the images that --levels names:
 * only encoding shows which of them get levels. */
static int try_levels(struct lod_pack_run *p)
{
    const struct lod_encode_options encode = {.l3_mode = p->options->l3_mode};

    return p->options->levels.count ? lod_level_files_try(&p->probe, &encode) : 0;
}

/*
 * Finds labels: those of --labels, or those of containers if their class folders would give other
 * numbers.
 */
static int find_labels(struct lod_pack_run *p)
{
    const struct lod_pack_options *options = p->options;
    int error = 0;

    if (options->labels) {
        error = lod_labels_find(&p->labels, &p->result->list, &p->order, p->first_error);
    } else if (options->from) {
        error = lod_labels_of_members(&p->labels, &p->result->list, &p->order);
        if (!error && !options->splits.text &&
            lod_member_labels_follow(&p->result->list, p->labels.at)) {
            lod_labels_finish(&p->labels);
        }
    }
    p->result->other_labels = p->labels.differs;
    return error;
}

/* Makes all decisions. */
static int decide(struct lod_pack_run *p, const struct lod_walk *walk)
{
    int error = find_files(p, walk);

    if (!error && !p->options->dry_run) {
        error = choose_scans(p);
    }
    error = error ? error : lod_order_make(&p->result->list, &p->options->order, &p->order);
    error = error ? error : find_labels(p);
    p->result->cuts = p->order.cuts;
    lod_pack_count_tables(p->result);
    return error;
}

/* Carries out the decisions as far as the options ask: a dry run, a plan, or a store. */
static int carry_out(struct lod_pack_run *p)
{
    if (p->options->plan) {
        tally_order(p);
        return lod_pack_write_plan(p);
    }
    if (p->options->dry_run) {
        tally_order(p);
        int error = try_levels(p);
        return error ? error
                     : lod_resume_preview(p->options->store, p->resume.options, &p->result->list,
                                          &p->order, p->first_error, &p->result->kept);
    }
    return lod_pack_write_store(p);
}

static int run(struct lod_pack_run *p)
{
    int error = open_source(p);

    if (error || p->options->part.count) {
        return error ? error : lod_pack_write_part(p);
    }
    struct lod_walk walk = walk_of(p);
    error = open_target(p, &walk);
    if (!error) {
        error = p->planned && !p->options->plan ? lod_pack_take_plan(p) : decide(p, &walk);
    }
    if (!error) {
        error = carry_out(p);
        lod_pack_count_sources(p->result);
    }
    return error;
}

int lod_pack(const struct lod_pack_options *options, struct lod_first_error *first_error,
             struct lod_pack_result *ret_result)
{
    struct lod_pack_run p = {.options = options,
                             .first_error = first_error,
                             .result = ret_result,
                             .source_fd = -1,
                             .lock = {.fd = -1},
                             .target = {.fd = -1, .records_fd = -1, .keep = true}};

    *ret_result = (struct lod_pack_result){0};
    int error = options->labels ? lod_labels_read(&p.labels, options->labels, first_error) : 0;
    lod_pack_lines(options, options->labels ? lod_buf_span(&p.labels.text) : (struct lod_span){0},
                   p.resume.options);
    error = error ? error : lod_pool_create(options->threads, &p.pool);
    error = error ? error : run(&p);
    if ((error == -ESTALE || error == -EBADMSG) && p.begun) {
        /* a rerun would be refused: the source has changed, or is malformed */
        p.target.keep = false;
    }
    ret_result->resumable = error && p.resume.ours && p.target.keep;
    lod_target_finish(&p.target);
    lod_part_unlock(&p.lock);
    lod_journal_finish(&p.resume.journal);
    lod_order_finish(&p.order);
    lod_labels_finish(&p.labels);
    ret_result->scans = p.scans.table;
    p.scans.table = NULL;
    lod_scans_finish(&p.scans);
    lod_pool_destroy(p.pool);
    lod_file_close(p.source_fd);
    return error;
}

void lod_pack_finish(struct lod_pack_result *result)
{
    lod_source_list_finish(&result->list);
    lod_source_list_finish(&result->containers);
    lod_tables_finish(&result->tables);
    cJSON_Delete(result->scans);
    *result = (struct lod_pack_result){0};
}
