/* SPDX-License-Identifier: Apache-2.0 */
/* Measures scripts on the sample, chooses by the rule of choose.h, and makes the table of
 * measurements. */
#include "pack/scans/scans.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pack/scans/measure.h"

#define ALL LOD_MEASURE_ALL

/* Returns the row of means that decides for a class: its own, or that of all classes. */
static unsigned row_of(const struct lod_measure *m, unsigned class)
{
    return m->photos[class] >= LOD_SAMPLE_CLASS_MIN ? class : ALL;
}

/* Sorts the scripts: the chosen one first, then the others by their totals. */
static void rank(const struct lod_measure *m, unsigned class, unsigned chosen,
                 struct lod_scan_choice *choice)
{
    const struct lod_mean_curve *means = m->means[row_of(m, class)];
    unsigned order[LOD_SCRIPTS_MAX], last = LOD_SCRIPT_GROUPS - 1;

    order[0] = chosen;
    for (unsigned i = 0, count = 1; i < m->count; i++) {
        if (i != chosen) {
            unsigned at = count++;
            for (; at > 1 && means[i].bytes[last] < means[order[at - 1]].bytes[last]; at--) {
                order[at] = order[at - 1];
            }
            order[at] = i;
        }
    }
    choice->classes[class].count = m->count;
    for (unsigned i = 0; i < m->count; i++) {
        choice->classes[class].scripts[i] = m->scripts[order[i]];
    }
}

static bool add_numbers(cJSON *object, const char *key, const int32_t numbers[LOD_SCRIPT_GROUPS])
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    bool done = array != NULL;

    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS && done; k++) {
        cJSON *number = cJSON_CreateNumber((double)numbers[k] / LOD_CHOOSE_UNIT);
        done = number && cJSON_AddItemToArray(array, number);
    }
    return done;
}

static bool add_curve(cJSON *object, const struct lod_mean_curve *curve)
{
    return add_numbers(object, "bytes", curve->bytes) &&
           add_numbers(object, "mssim", curve->mssim) &&
           add_numbers(object, "decode", curve->decode);
}

/* Adds a class: the means of the chosen script over all its photographs, and those of the default
 * script over the photographs for choosing. */
static bool add_class(const struct lod_measure *m, unsigned class, unsigned chosen, cJSON *classes)
{
    const unsigned row = row_of(m, class);
    struct lod_mean_curve mean = m->means[ALL][chosen];
    cJSON *object = cJSON_CreateObject();

    if (!object || !cJSON_AddItemToArray(classes, object)) {
        cJSON_Delete(object);
        return false;
    }
    if (row != ALL && !lod_measure_drawn_mean(m, class, &mean)) {
        mean = m->means[row][chosen];
    }
    cJSON *standard = NULL;
    return cJSON_AddNumberToObject(object, "class", class) &&
           cJSON_AddStringToObject(object, "script", m->scripts[chosen]->name) &&
           cJSON_AddNumberToObject(object, "seen", m->sample->seen[class]) &&
           cJSON_AddNumberToObject(object, "samples", m->photos[class]) &&
           cJSON_AddStringToObject(object, "measured", row == ALL ? "all" : "class") &&
           add_curve(object, &mean) &&
           (standard = cJSON_AddObjectToObject(object, "default")) != NULL &&
           add_curve(standard, &m->means[row][m->standard]);
}

static bool add_script(cJSON *scripts, const struct lod_script *script)
{
    char text[LOD_SCRIPT_TEXT_MAX];

    if (cJSON_GetObjectItemCaseSensitive(scripts, script->name)) {
        return true;
    }
    lod_script_print(script, text, sizeof(text));
    return cJSON_AddStringToObject(scripts, script->name, text) != NULL;
}

/* With --full=source, adds the size that --full=scans would have,
 * as a share of the source's bytes. */
static bool add_scans_share(const struct lod_measure *m, cJSON *table)
{
    double scans = 0, source = 0;

    for (unsigned i = 0; i < m->sample->count; i++) {
        scans += m->scans_bytes[i];
        source += m->scans_bytes[i] > 0 ? (double)m->sample->photos[i].file.bytes : 0;
    }
    double share = source > 0 ? round(scans / source * LOD_CHOOSE_UNIT) / LOD_CHOOSE_UNIT : 0;
    return source <= 0 || cJSON_AddNumberToObject(table, "scans_share", share);
}

/* Returns the table of measurements and choices, or NULL if memory is out. */
static cJSON *describe(const struct lod_measure *m, const unsigned chosen[LOD_QUANT_CLASSES])
{
    cJSON *table = cJSON_CreateObject();
    cJSON *scripts = cJSON_AddObjectToObject(table, "scripts");
    cJSON *classes = cJSON_AddArrayToObject(table, "classes");
    bool done = scripts && classes;

    for (unsigned class = 0; class < LOD_QUANT_CLASSES && done; class ++) {
        done = add_script(scripts, m->scripts[chosen[class]]) &&
               add_class(m, class, chosen[class], classes);
    }
    if (!done || !add_scans_share(m, table)) {
        cJSON_Delete(table);
        return NULL;
    }
    return table;
}

/* Returns the index-th script to compare. tidy differs from default above q5; spectral decodes
 * fast. */
static const struct lod_script *candidate(unsigned index, const struct lod_scans_options *options)
{
    static const char *const names[] = {"default", "fine", "medium", "coarse", "tidy", "spectral"};
    const unsigned count = sizeof(names) / sizeof(names[0]) - (options->light ? 0 : 1);

    return index < count ? lod_script_named(names[index]) : NULL;
}

/* Lists the scripts to compare: first a script of the user, and always the default one. */
static void list_scripts(struct lod_measure *m, const struct lod_scans_options *options,
                         const struct lod_script *fixed)
{
    const struct lod_script *standard = lod_script_named("default");

    assert(standard);
    if (fixed) {
        m->scripts[m->count++] = fixed;
        if (strcmp(fixed->name, standard->name) != 0) {
            m->scripts[m->count++] = standard;
        }
        m->standard = m->count - 1;
        return;
    }
    for (unsigned i = 0; candidate(i, options); i++) {
        assert(i < LOD_SCRIPTS_MAX);
        m->standard = candidate(i, options) == standard ? i : m->standard;
        m->scripts[m->count++] = candidate(i, options);
    }
}

unsigned lod_scans_compared(const struct lod_scans_options *options)
{
    struct lod_measure m = {.count = 0};

    list_scripts(&m, options, options->fixed);
    return m.count;
}

/* Decides without a measurement: the script of the user or the default,
 * then the others in order. */
static void decide(const struct lod_measure *m, const struct lod_scans_options *options,
                   struct lod_scan_choice *choice, unsigned ret_chosen[LOD_QUANT_CLASSES])
{
    const struct lod_choose_rule rule = {.mssim_high =
                                             options->top ? LOD_CHOOSE_HIGH_KEPT : LOD_CHOOSE_HIGH,
                                         .light = options->light};

    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        ret_chosen[class] = options->fixed    ? 0
                            : !m->photos[ALL] ? m->standard
                                              : lod_choose(m->means[row_of(m, class)], m->count,
                                                           m->standard, &rule);
        rank(m, class, ret_chosen[class], choice);
    }
}

static int choose(struct lod_measure *m, const struct lod_scans_options *options,
                  struct lod_scans *scans)
{
    unsigned chosen[LOD_QUANT_CLASSES];
    int error = lod_measure_choosing(m);

    if (error) {
        return error;
    }
    decide(m, options, &scans->choice, chosen);
    if (m->photos[ALL] == 0) {
        return 0;
    }
    error = lod_measure_drawn(m, chosen);
    if (error) {
        return error;
    }
    lod_likeness_fit(m, &scans->likeness);
    scans->table = describe(m, chosen);
    return scans->table ? 0 : -ENOMEM;
}

int lod_scans_choose(const struct lod_measure_run *run, const struct lod_sample *sample,
                     const struct lod_scans_options *options, struct lod_scans *ret_scans)
{
    struct lod_measure *m = calloc(1, sizeof(*m));

    memset(ret_scans, 0, sizeof(*ret_scans));
    if (!m) {
        return -ENOMEM;
    }
    if (options->fixed) {
        ret_scans->fixed = *options->fixed;
    }
    m->run = run;
    m->sample = sample;
    m->top = options->top;
    list_scripts(m, options, options->fixed ? &ret_scans->fixed : NULL);
    if (run->progress) {
        lod_progress_stage(run->progress, "measuring scan scripts", 2 * (uint64_t)sample->count, 0);
    }
    int error = lod_measure_init(m);
    error = error ? error : choose(m, options, ret_scans);
    lod_measure_finish(m);
    free(m);
    return error;
}

int lod_scans_add_store(struct lod_scans *scans, const struct lod_likeness_sums *sums)
{
    const struct lod_likeness *likeness = &scans->likeness;
    int32_t mssim[LOD_SCRIPT_GROUPS], within[LOD_SCRIPT_GROUPS];

    if (!scans->table || !likeness->photos) {
        return 0;
    }
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        mssim[k] = (int32_t)lround(lod_likeness_mean(likeness, sums, k) * LOD_CHOOSE_UNIT);
        within[k] = (int32_t)lround(lod_likeness_within(likeness, sums, k) * LOD_CHOOSE_UNIT);
    }
    cJSON *store = cJSON_AddObjectToObject(scans->table, "store");
    return store && cJSON_AddNumberToObject(store, "photographs", likeness->photos) &&
                   add_numbers(store, "mssim", mssim) && add_numbers(store, "within", within)
               ? 0
               : -ENOMEM;
}

void lod_scans_finish(struct lod_scans *scans)
{
    cJSON_Delete(scans->table);
    scans->table = NULL;
}
