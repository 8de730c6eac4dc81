/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a journal, and when one is written; see resume.h. */
#include "pack/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "log.h"
#include "pack/leftovers.h"

#define NAME_TEXT (4 * LOD_PATH_MAX + 1)

void lod_resume_options(const struct lod_resume_chosen *chosen,
                        char text[LOD_JOURNAL_OPTIONS_MAX + 1])
{
    char scans[LOD_SCRIPT_TEXT_MAX], contents[64] = "", size[24] = "auto";

    if (chosen->order->record_bytes) {
        snprintf(size, sizeof(size), "%" PRIu64, chosen->order->record_bytes);
    }
    if (chosen->script) {
        lod_script_print(chosen->script, scans, sizeof(scans));
        snprintf(contents, sizeof(contents), " of contents %016" PRIx64,
                 lod_hash64(scans, strlen(scans), 0));
    }
    snprintf(text, LOD_JOURNAL_OPTIONS_MAX + 1,
             "lodfs " LODFS_VERSION "\n--order=%s\n--seed=%" PRIu64 "\n--record-size=%s"
             "\n--scans=%s%s\n--l3=%s\n--original=%s\n--symlinks=%s\n%s",
             chosen->order->by_path ? "path" : "shuffle", chosen->order->seed, size,
             chosen->scans_name, contents, chosen->l3_name, chosen->keep ? "all" : "auto",
             chosen->follow ? "follow" : "keep", chosen->more);
}

int lod_resume_refuse(const char *path, const char *why, struct lod_trouble *trouble)
{
    char name[NAME_TEXT];

    lod_escape(path, strlen(path), name, sizeof(name));
    return lod_trouble_set(trouble, 0, -EEXIST,
                           "'%s' holds the beginning of another pack: %s; remove '%s' to start "
                           "over, or name another folder",
                           name, why, name);
}

static int failed(const struct lod_target *target, const char *what, int error,
                  struct lod_trouble *trouble)
{
    char name[NAME_TEXT];

    if (error == -ENOMEM) {
        return error;
    }
    lod_escape(target->path, strlen(target->path), name, sizeof(name));
    return lod_trouble_set(trouble, 0, error, "cannot %s " LOD_JOURNAL_NAME " in '%s': %s", what,
                           name, strerrordesc_np(-error));
}

/* From here on it is as if the folder had been empty. */
static void start_anew(struct lod_resume *resume, struct lod_target *target)
{
    lod_journal_finish(&resume->journal);
    resume->found = false;
    target->keep = false;
    lod_leftovers_remove(target->fd, target->records_fd);
}

int lod_resume_open(struct lod_resume *resume, struct lod_target *target,
                    struct lod_trouble *trouble)
{
    char why[LOD_RESUME_WHY_TEXT];
    int error = lod_journal_read(target->fd, &resume->journal);

    if (error && error != -ENOENT && error != -EBADMSG) {
        return failed(target, "read", error, trouble);
    }
    if (!error) {
        error = lod_journal_compare_options(&resume->journal, resume->options, why, sizeof(why));
    }
    if (error == -EEXIST) {
        return lod_resume_refuse(target->path, why, trouble);
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
                   const struct lod_journal_plan *plan, struct lod_trouble *trouble)
{
    char why[LOD_RESUME_WHY_TEXT];
    int error = lod_journal_compare_source(&resume->journal, plan, why, sizeof(why));

    if (error == -EEXIST) {
        resume->ours = false;
        return lod_resume_refuse(target->path, why, trouble);
    }
    if (error) {
        start_anew(resume, target);
    }
    return 0;
}

int lod_resume_begin(struct lod_resume *resume, struct lod_target *target,
                     const struct lod_source_list *list, const struct lod_order *order,
                     const cJSON *scans, struct lod_trouble *trouble)
{
    struct lod_journal_plan plan = {.options = resume->options, .list = list};
    int error = hash_choice(scans, &plan.choice);

    if (!error && resume->found) {
        error = compare(resume, target, &plan, trouble);
    }
    lod_journal_finish(&resume->journal);
    if (error) {
        return error;
    }
    if (resume->found) {
        lod_leftovers_prune(target->fd, target->records_fd, order);
    } else {
        error = lod_journal_write(target->fd, &plan);
        if (error) {
            return failed(target, "write", error, trouble);
        }
    }
    resume->ours = target->keep = true;
    return 0;
}

void lod_resume_finish(struct lod_resume *resume)
{
    lod_journal_finish(&resume->journal);
}
