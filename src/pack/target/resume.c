/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether records of an earlier pack are kept, and writes the journal; see resume.h. */
#include "pack/target/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "raw_units_write.h"
#include "text.h"
#include "pack/target/stale_files.h"

#define NAME_TEXT    (4 * LOD_PATH_MAX + 1)
#define SPLITS_SHOWN 256 /* bytes of --splits in the journal */

void lod_resume_options(const struct lod_resume_chosen *chosen,
                        char text[LOD_JOURNAL_OPTIONS_MAX + 1])
{
    char scans[LOD_SCRIPT_TEXT_MAX], contents[64] = "", size[24] = "auto", from[600] = "";
    char splits[SPLITS_SHOWN + 64] = "", labels[64] = "", shown[SPLITS_SHOWN + 1];

    if (chosen->order->record_bytes) {
        snprintf(size, sizeof(size), "%" PRIu64, chosen->order->record_bytes);
    }
    if (chosen->from) {
        lod_format(from, sizeof(from), "--from=%s%s%.255s\n", chosen->from,
                   chosen->key ? " --key=" : "", chosen->key ? chosen->key : "");
    }
    if (chosen->splits) {
        lod_format(shown, sizeof(shown), "%pE", chosen->splits);
        snprintf(splits, sizeof(splits), "--splits=%s of hash %016" PRIx64 "\n", shown,
                 lod_hash64(chosen->splits, strlen(chosen->splits), 0));
    }
    if (chosen->labels.at) {
        snprintf(labels, sizeof(labels), "--labels of contents %016" PRIx64 "\n",
                 lod_hash64(chosen->labels.at, chosen->labels.bytes, 0));
    }
    if (chosen->script) {
        lod_script_print(chosen->script, scans, sizeof(scans));
        snprintf(contents, sizeof(contents), " of contents %016" PRIx64,
                 lod_hash64(scans, strlen(scans), 0));
    }
    snprintf(text, LOD_JOURNAL_OPTIONS_MAX + 1,
             "lodfs " LODFS_VERSION "\n--order=%s\n--seed=%" PRIu64 "\n--record-size=%s"
             "\n--scans=%s%s\n--full=%s%s%s\n--l3=%s\n--raw=%s%s\n--original=%s\n--symlinks=%s\n%s%"
             "s%s%s",
             chosen->order->by_path ? "path" : "shuffle", chosen->order->seed, size,
             chosen->scans_name, contents, chosen->top ? "source" : "scans",
             chosen->top ? " --top=" : "",
             chosen->top ? lod_fidelity_name((enum lod_fidelity)chosen->top) : "", chosen->l3_name,
             chosen->raw_plain ? "plain" : "zstd of libzstd ",
             chosen->raw_plain ? "" : lod_raw_units_version(), chosen->keep ? "all" : "auto",
             chosen->follow ? "follow" : "keep", from, splits, labels, chosen->more);
}

int lod_resume_refuse(const char *path, const char *why, struct lod_first_error *first_error)
{
    return lod_first_error_set(first_error, 0, -EEXIST,
                               "'%pE' holds the beginning of another pack: %s; remove '%pE' to "
                               "start over, or name another folder",
                               path, why, path);
}

static int failed(const struct lod_target *target, const char *what, int error,
                  struct lod_first_error *first_error)
{
    if (error == -ENOMEM) {
        return error;
    }
    return lod_first_error_set(first_error, 0, error, "cannot %s " LOD_JOURNAL_NAME " in '%pE': %s",
                               what, target->path, strerrordesc_np(-error));
}

/* Removes the remains of the earlier pack, so that the folder is empty. */
static void start_anew(struct lod_resume *resume, struct lod_target *target)
{
    lod_journal_finish(&resume->journal);
    resume->found = false;
    target->keep = false;
    lod_stale_files_remove(target->fd, target->records_fd);
}

int lod_resume_open(struct lod_resume *resume, struct lod_target *target,
                    struct lod_first_error *first_error)
{
    char why[LOD_RESUME_WHY_TEXT];
    int error = lod_journal_read(target->fd, &resume->journal);

    if (error && error != -ENOENT && error != -EBADMSG) {
        return failed(target, "read", error, first_error);
    }
    if (!error) {
        error = lod_journal_compare_options(&resume->journal, resume->options, why, sizeof(why));
    }
    if (error == -EEXIST) {
        return lod_resume_refuse(target->path, why, first_error);
    }
    resume->found = resume->ours = !error;
    if (error) {
        start_anew(resume, target);
    }
    return 0;
}

static int hash_choice(const cJSON *scans, uint64_t *ret_choice)
{
    char *text = scans ? cJSON_PrintUnformatted(scans) : NULL;

    if (scans && !text) {
        return -ENOMEM;
    }
    *ret_choice = text ? lod_hash64(text, strlen(text), 0) : 0;
    cJSON_free(text);
    return 0;
}

static int compare(struct lod_resume *resume, struct lod_target *target,
                   const struct lod_journal_plan *plan, struct lod_first_error *first_error)
{
    char why[LOD_RESUME_WHY_TEXT];
    int error = lod_journal_compare_source(&resume->journal, plan, why, sizeof(why));

    if (error == -EEXIST) {
        resume->ours = false;
        return lod_resume_refuse(target->path, why, first_error);
    }
    if (error) {
        start_anew(resume, target);
    }
    return 0;
}

int lod_resume_begin(struct lod_resume *resume, struct lod_target *target,
                     const struct lod_source_list *list, const struct lod_order *order,
                     const cJSON *scans, struct lod_first_error *first_error)
{
    struct lod_journal_plan plan = {.options = resume->options, .list = list};
    int error = hash_choice(scans, &plan.choice);

    if (!error && resume->found) {
        error = compare(resume, target, &plan, first_error);
    }
    lod_journal_finish(&resume->journal);
    if (error) {
        return error;
    }
    if (resume->found) {
        lod_stale_files_prune(target->fd, target->records_fd, order);
    } else {
        error = lod_journal_write(target->fd, &plan);
        if (error) {
            return failed(target, "write", error, first_error);
        }
    }
    resume->ours = target->keep = true;
    return 0;
}

void lod_resume_finish(struct lod_resume *resume)
{
    lod_journal_finish(&resume->journal);
}
