/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, likeness: a thin wrapper of survey/survey.h, in the calling thread. */
#include <errno.h>
#include <limits.h>

#include "api/lodfs.h"
#include "api/lodfs_error.h"
#include "api/lodfs_opened.h"
#include "backend/location.h"
#include "pool.h"
#include "survey/survey.h"

_Static_assert(LODFS_LEVELS_MAX == LOD_FULL, "a level for each fidelity");

static struct lod_survey_options read_options(const struct lodfs_likeness_options *given)
{
    struct lod_survey_options options = {
        .inputs_count = 1, .target = LOD_SURVEY_TARGET, .sample = LOD_SURVEY_SAMPLE};

    if (given) {
        options.inputs[0].size = given->size;
        options.inputs[0].crop = given->crop;
        options.target = given->target != 0 ? given->target : options.target;
        options.sample = given->sample ? given->sample : options.sample;
    }
    return options;
}

static void show(const struct lod_survey *survey, struct lodfs_likeness *ret_likeness)
{
    *ret_likeness = (struct lodfs_likeness){.photographs = survey->photographs,
                                            .compared = survey->compared,
                                            .unreadable = survey->unreadable,
                                            .small = survey->small,
                                            .large = survey->large,
                                            .fidelity = (int32_t)lod_survey_fidelity(survey),
                                            .decided = survey->decided,
                                            .count = survey->count};
    for (unsigned i = 0; i < survey->count; i++) {
        const struct lod_survey_level *level = &survey->levels[i];
        ret_likeness->levels[i] = (struct lodfs_likeness_level){.first = (int32_t)level->first,
                                                                .last = (int32_t)level->last,
                                                                .bytes = level->bytes,
                                                                .mssim = level->mssim,
                                                                .within = level->error,
                                                                .worst_tenth = level->worst_tenth};
    }
}

static int refuse(const struct lodfs_store *store, const struct lod_survey *survey,
                  struct lodfs_error *error)
{
    char why[LOD_SURVEY_WHY_BYTES], shown[PATH_MAX];

    lod_location_show(lod_opened_location(store), shown, sizeof(shown));
    return lod_say_named(error, survey->verdict == LOD_SURVEY_NOTHING ? -ENODATA : -EIO,
                         "no fidelity can be chosen for ", shown, lod_survey_why(survey, why));
}

int lodfs_likeness(struct lodfs_store *store, const struct lodfs_likeness_options *options,
                   struct lodfs_likeness *ret_likeness, struct lodfs_error *error)
{
    const struct lod_survey_options chosen = read_options(options);
    const struct lod_opened *opened = NULL;
    struct lod_pool *pool = NULL; /* of one thread: the caller's */
    struct lod_survey survey;
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_pool_create(1, &pool);
    result =
        result ? result : lod_survey_run(opened->dataset, opened->reader, pool, &chosen, &survey);
    lod_pool_destroy(pool);
    if (result == -EINVAL) {
        return lod_say(error, result,
                       "an option of likeness is out of range: size 11 to 4096, crop up to 1 and "
                       "with a size, target up to 1, sample 2 to 65536");
    }
    if (result) {
        char shown[PATH_MAX];
        return lod_say_path(error, result,
                            lod_location_show(lod_opened_location(store), shown, sizeof(shown)));
    }
    if (survey.verdict != LOD_SURVEY_CHOSEN) {
        return refuse(store, &survey, error);
    }
    show(&survey, ret_likeness);
    return 0;
}
