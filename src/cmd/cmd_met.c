/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs met plan | begin | next | status | end: mini-epochs for programs that take lists of files.
 * Each of the five is a command with a table of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cmd/met_arguments.h"
#include "met/job_file.h"
#include "met/job_list.h"
#include "met/job_walk.h"
#include "output/met_report.h"
#include "terminal/arguments.h"

static const struct lod_cmd plan_cmd, begin_cmd, next_cmd, status_cmd, end_cmd;

/* ------------------------------------------------------------------------------------- begin */

static int check_order(const struct lod_job_walk *walk, const struct lod_met_arguments *met)
{
    const cJSON *pack = lod_dataset_manifest(walk->dataset)->pack;
    const char *order = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(pack, "order"));

    if (order && strcmp(order, "path") == 0 && !met->any_order) {
        return lod_fail(LOD_EXIT_USAGE,
                        "the store behind %pE was packed with --order=path: a part of it is no "
                        "random sample; pack it again, or use --any-order",
                        walk->job->mount);
    }
    return LOD_EXIT_OK;
}

static int begin(int argc, char **argv)
{
    struct lod_met_arguments met = lod_met_arguments_default();
    struct lod_met_job job = {.begun = false};
    struct lod_job_walk walk = {.job = &job, .control = -1};
    struct lod_met_rules rules;
    struct lod_atomic_file file;
    uint32_t node = 0, nodes = 1;
    int code = lod_arguments_parse(&begin_cmd, argc, argv, &met);

    code = code ? code : lod_met_arguments_rules(&begin_cmd, &met, &rules);
    code = code ? code : lod_met_arguments_rank(&begin_cmd, &met, &node, &nodes);
    code = code ? code : lod_job_walk_place(met.folder, &job);
    if (code) {
        return code;
    }
    if (getrandom(&job.number, sizeof(job.number), 0) != (ssize_t)sizeof(job.number)) {
        return lod_fail(LOD_EXIT_FAILED, "there is no random number");
    }
    job.number |= 2; /* no job has the numbers 0 and 1 */
    job.room_max = met.room;
    code = lod_job_walk_open(&walk, met.seed);
    if (code) {
        return code;
    }
    code = check_order(&walk, &met);
    code = code ? code : lod_job_walk_begin(&walk, &rules, node, nodes);
    if (code == LOD_EXIT_OK) {
        code = lod_job_file_write(met.state, &job, false, &file);
        code = code ? code : lod_job_file_commit(&file);
        if (code) {
            lod_job_walk_end(&walk);
        }
    }
    lod_job_walk_close(&walk);
    return code;
}

/* -------------------------------------------------------------------------------------- next */

static bool is_over(const struct lod_job_walk *walk)
{
    const struct lod_met_state *state = &walk->job->state;
    const uint64_t dealt = walk->job->begun ? lod_met_values(&walk->met) : 0;

    return state->rules.epochs > 0 && lod_met_epoch(&walk->met, dealt) >= state->rules.epochs;
}

static int take_score(struct lod_job_walk *walk, const char *text)
{
    char *end = NULL;
    const double score = strtod(text, &end);

    if (end == text || *end) {
        return lod_arguments_refuse(&next_cmd, "--score takes a number, not '%pE'", text);
    }
    int error = walk->job->begun ? lod_met_report(&walk->met, score) : -ENOENT;
    return error ? lod_fail(LOD_EXIT_USAGE, "no list was printed yet, so there is none to score")
                 : LOD_EXIT_OK;
}

/* Moves the job to the repeat whose list is printed. */
static int step(struct lod_job_walk *walk, const struct lod_met_arguments *met)
{
    struct lod_met_job *job = walk->job;

    if (met->again) {
        return job->begun ? LOD_EXIT_OK
                          : lod_fail(LOD_EXIT_USAGE, "'%pE' has printed no list yet", met->state);
    }
    int code = met->score ? take_score(walk, met->score) : LOD_EXIT_OK;
    if (code == LOD_EXIT_OK && job->begun) {
        code = lod_job_walk_next(walk);
    }
    job->begun = true;
    return code;
}

/* The new state is renamed into place after the list was printed. So a command that is killed
 * before that has changed nothing, and the next one prints the same list. */
static int give(struct lod_job_walk *walk, const struct lod_met_arguments *met)
{
    struct lod_atomic_file file;
    int code = step(walk, met);

    code = code ? code : lod_job_file_write(met->state, walk->job, true, &file);
    if (code) {
        return code;
    }
    code = lod_job_walk_print(walk, met->nul);
    if (code == LOD_EXIT_OK && (fflush(stdout) || ferror(stdout))) {
        code = lod_fail(LOD_EXIT_FAILED, "cannot write the list: %s", strerrordesc_np(errno));
    }
    if (code) {
        lod_atomic_file_abandon(&file);
        return code;
    }
    return lod_job_file_commit(&file);
}

/* Opens a job's file, and the store and the order that the job reads. */
static int open_job(const char *path, struct lod_met_job *job, struct lod_job_walk *walk, int *fd)
{
    int code = lod_job_file_open(path, job, fd);

    if (code) {
        return code;
    }
    code = lod_job_walk_open(walk, job->state.seed);
    code = code ? code : lod_job_walk_resume(walk);
    if (code) {
        lod_job_walk_close(walk);
        close(*fd);
    }
    return code;
}

static int next(int argc, char **argv)
{
    struct lod_met_arguments met = {.state = NULL};
    struct lod_met_job job = {.begun = false};
    struct lod_job_walk walk = {.job = &job, .control = -1};
    int fd = -1, code = lod_arguments_parse(&next_cmd, argc, argv, &met);

    code = code ? code : open_job(met.state, &job, &walk, &fd);
    if (code) {
        return code;
    }
    if (met.again || !is_over(&walk)) {
        code = give(&walk, &met);
    }
    lod_job_walk_close(&walk);
    close(fd);
    return code;
}

/* ------------------------------------------------------------------------ status, end, plan */

static int status(int argc, char **argv);
static int end(int argc, char **argv);
static int plan(int argc, char **argv);

static const struct lod_cmd plan_cmd = {
    .name = "met plan",
    .summary = "what mini-epochs would cost, at each fidelity",
    .about = "Prints for each fidelity the bytes of a pass, whether they fit the memory that the "
             "mount has for a job, and the repeats with which a trainer never waits.",
    .options = lod_met_plan_options,
    .run = plan,
};

static const struct lod_cmd begin_cmd = {
    .name = "met begin",
    .summary = "begin a job over the pictures of a folder of a mount",
    .about = "Makes the file STATE, the checkpoint of the job. FOLDER is MOUNT/q4, or a folder "
             "below it; below MOUNT/auto the fidelity is that of each list.",
    .options = lod_met_begin_options,
    .run = begin,
};

static const struct lod_cmd next_cmd = {
    .name = "met next",
    .summary = "print the next list of pictures to train on",
    .about = "Prints paths, shuffled: the part of the data that is in memory, until the next part "
             "is loaded. The list is empty after the last epoch.",
    .options = lod_met_next_options,
    .run = next,
};

static const struct lod_cmd status_cmd = {
    .name = "met status",
    .summary = "print where a job stands",
    .options = lod_met_status_options,
    .run = status,
};

static const struct lod_cmd end_cmd = {
    .name = "met end",
    .summary = "end a job, and remove its file",
    .options = lod_met_end_options,
    .run = end,
};

static int status(int argc, char **argv)
{
    struct lod_met_arguments met = {.state = NULL};
    struct lod_met_job job = {.begun = false};
    struct lod_job_walk walk = {.job = &job, .control = -1};
    int fd = -1, code = lod_arguments_parse(&status_cmd, argc, argv, &met);

    code = code ? code : open_job(met.state, &job, &walk, &fd);
    if (code) {
        return code;
    }
    if (lod_met_report_status(&walk, lod_job_list_loaded(&walk), met.json)) {
        code = lod_fail(LOD_EXIT_FAILED, "there is too little memory");
    }
    lod_job_walk_close(&walk);
    close(fd);
    return code;
}

static int end(int argc, char **argv)
{
    struct lod_met_arguments met = {.state = NULL};
    struct lod_met_job job = {.begun = false};
    struct lod_job_walk walk = {.job = &job, .control = -1};
    char control[PATH_MAX + 32];
    int fd = -1, code = lod_arguments_parse(&end_cmd, argc, argv, &met);

    code = code ? code : lod_job_file_open(met.state, &job, &fd);
    if (code) {
        return code;
    }
    snprintf(control, sizeof(control), "%s/.lodfs/control", job.mount);
    walk.control = open(control, O_RDONLY | O_CLOEXEC);
    if (walk.control >= 0) { /* if the mount is gone, its list is gone too */
        lod_job_walk_end(&walk);
    }
    lod_job_walk_close(&walk);
    if (unlink(met.state) < 0) {
        code =
            lod_fail(LOD_EXIT_FAILED, "cannot remove '%pE': %s", met.state, strerrordesc_np(errno));
    }
    close(fd);
    return code;
}

static int plan(int argc, char **argv)
{
    struct lod_met_arguments met = {.state = NULL};
    struct lod_met_job job = {.number = 1};
    struct lod_job_walk walk = {.job = &job, .control = -1};
    struct lod_met_plan made = {.room = 0};
    int code = lod_arguments_parse(&plan_cmd, argc, argv, &met);

    code = code ? code : lod_met_arguments_epochs(&plan_cmd, &met, &made.epochs);
    if (code) {
        return code;
    }
    snprintf(job.mount, sizeof(job.mount), "%s", met.folder);
    snprintf(job.folder, sizeof(job.folder), "full");
    code = lod_job_walk_open(&walk, 0);
    if (code) {
        return code;
    }
    /* No job has number 1: this only asks how much memory there is. */
    code = lod_job_list_end(&walk, LOD_FULL);
    if (code == LOD_EXIT_OK && !walk.accepts_lists && !met.room) {
        code = lod_fail(LOD_EXIT_FAILED,
                        "%pE takes no list of records from this user, or is of an older version, "
                        "so the memory for a job is unknown; plan with --room=SIZE",
                        job.mount);
    }
    made.order = walk.order;
    made.room = met.room && (!walk.accepts_lists || met.room < walk.room) ? met.room : walk.room;
    made.speed = met.speed ? met.speed : walk.speed;
    made.rate = met.rate;
    if (code == LOD_EXIT_OK && lod_met_report_plan(&made, met.json)) {
        code = lod_fail(LOD_EXIT_FAILED, "there is too little memory");
    }
    lod_job_walk_close(&walk);
    return code;
}

/* --------------------------------------------------------------------------------- the verbs */

static const struct lod_cmd *const verbs[] = {&plan_cmd,   &begin_cmd, &next_cmd,
                                              &status_cmd, &end_cmd,   NULL};

static const struct lod_option met_options[] = {
    {.kind = LOD_OPTION_OPERAND, .min = 1, .name = "plan|begin|next|status|end"},
    LOD_ROW_END,
};

static int run(int argc, char **argv)
{
    for (const struct lod_cmd *const *verb = verbs; argc > 1 && *verb; verb++) {
        if (strcmp(argv[1], lod_cmd_word(*verb)) != 0) {
            continue;
        }
        if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
            lod_arguments_help(*verb);
            return LOD_EXIT_OK;
        }
        return (*verb)->run(argc - 1, argv + 1);
    }
    return lod_arguments_refuse(&lod_cmd_met, "met takes plan, begin, next, status or end");
}

const struct lod_cmd lod_cmd_met = {
    .name = "met",
    .summary = "lists of pictures that repeat what is in memory while more is loaded",
    .about = "Mini-epochs for any program that takes a list of files, on a store that is slower "
             "than the trainer:\n\n"
             "  lodfs met begin job.json /mnt/photos/q4 --rf=auto --epochs=90\n"
             "  while lodfs met next job.json > list && [ -s list ]; do\n"
             "    train --files=list\n"
             "  done\n"
             "  lodfs met end job.json\n\n"
             "Each of plan, begin, next, status and end explains itself: lodfs met begin --help.",
    .options = met_options,
    .verbs = verbs,
    .run = run,
};
