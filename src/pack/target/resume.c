/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether records of an earlier pack are kept, and writes the journal; see resume.h. */
#include "pack/target/resume.h"

#include <errno.h>
#include <string.h>

#include "hash.h"
#include "pack/target/stale_files.h"

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
