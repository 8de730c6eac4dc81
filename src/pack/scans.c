/* SPDX-License-Identifier: Apache-2.0 */
/* Measures scripts on the sample, chooses by the rule of choose.h, writes down what was measured.
 */
#include "pack/scans.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack/choose.h"
#include "pack/sample_photos.h"
#include "pcr/curve.h"

/* Below this a class's mean says less about it than that of all classes together. */
#define CLASS_PHOTOS_MIN 3

#define ALL LOD_QUANT_CLASSES /* the row of all classes together */

/* Scripts that are measured, and what came out. */
struct measure {
    const struct lod_sample *sample;
    unsigned count;
    const struct lod_script *scripts[LOD_SCRIPTS_MAX];
    unsigned standard;                           /* index of the default script */
    struct lod_curve (*curves)[LOD_SCRIPTS_MAX]; /* one row a photograph */
    bool *fit;                                   /* was it measured? */
    unsigned photos[ALL + 1];                    /* measured, by class */
    struct lod_mean_curve means[ALL + 1][LOD_SCRIPTS_MAX];
};

static int measure_photo(void *ctx, uint64_t index)
{
    struct measure *m = ctx;
    struct lod_curve_source *source = NULL;
    unsigned class = 0;

    int error =
        lod_curve_source_create(lod_buf_span(&m->sample->photos[index].file), &class, &source);
    for (unsigned i = 0; i < m->count && !error; i++) {
        error = lod_curve_measure(source, m->scripts[i], &m->curves[index][i]);
    }
    lod_curve_source_destroy(source);
    m->fit[index] = !error;
    return error == -ENOTSUP ? 0 : error;
}

static int32_t rounded(double share)
{
    return (int32_t)lround(share * LOD_CHOOSE_UNIT);
}

/* The mean of one script's curves over the photographs of a class, or of all. */
static void mean_curve(struct measure *m, unsigned class, unsigned script)
{
    double bytes[LOD_SCRIPT_GROUPS] = {0}, mssim[LOD_SCRIPT_GROUPS] = {0};
    struct lod_mean_curve *mean = &m->means[class][script];

    for (unsigned i = 0; i < m->sample->count; i++) {
        const struct lod_curve *curve = &m->curves[i][script];
        bool counts = m->fit[i] && (class == ALL || m->sample->photos[i].class == class);
        for (unsigned k = 0; counts && k < LOD_SCRIPT_GROUPS; k++) {
            bytes[k] += curve->bytes[k] / curve->source_bytes;
            mssim[k] += curve->mssim[k];
        }
    }
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        mean->bytes[k] = rounded(bytes[k] / m->photos[class]);
        mean->mssim[k] = rounded(mssim[k] / m->photos[class]);
    }
}

static void mean_curves(struct measure *m)
{
    for (unsigned i = 0; i < m->sample->count; i++) {
        m->photos[m->sample->photos[i].class] += m->fit[i];
        m->photos[ALL] += m->fit[i];
    }
    for (unsigned class = 0; class <= ALL; class ++) {
        for (unsigned i = 0; i < m->count && m->photos[class]; i++) {
            mean_curve(m, class, i);
        }
    }
}

/* The row whose means decide for a class. */
static unsigned row_of(const struct measure *m, unsigned class)
{
    return m->photos[class] >= CLASS_PHOTOS_MIN ? class : ALL;
}

/* The chosen script first, then the others, the smallest total first. */
static void rank(const struct measure *m, unsigned class, unsigned chosen,
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
    return add_numbers(object, "bytes", curve->bytes) && add_numbers(object, "mssim", curve->mssim);
}

static bool add_class(const struct measure *m, unsigned class, unsigned chosen, cJSON *classes)
{
    const struct lod_mean_curve *means = m->means[row_of(m, class)];
    cJSON *object = cJSON_CreateObject();

    if (!object || !cJSON_AddItemToArray(classes, object)) {
        cJSON_Delete(object);
        return false;
    }
    cJSON *standard = NULL;
    return cJSON_AddNumberToObject(object, "class", class) &&
           cJSON_AddStringToObject(object, "script", m->scripts[chosen]->name) &&
           cJSON_AddNumberToObject(object, "samples", m->photos[class]) &&
           cJSON_AddStringToObject(object, "measured", row_of(m, class) == ALL ? "all" : "class") &&
           add_curve(object, &means[chosen]) &&
           (standard = cJSON_AddObjectToObject(object, "default")) != NULL &&
           add_curve(standard, &means[m->standard]);
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

/* Decides for each class and writes it down. NULL: out of memory. */
static cJSON *decide(const struct measure *m, bool fixed, struct lod_scan_choice *choice)
{
    cJSON *table = cJSON_CreateObject();
    cJSON *scripts = cJSON_AddObjectToObject(table, "scripts");
    cJSON *classes = cJSON_AddArrayToObject(table, "classes");
    bool done = scripts && classes;

    for (unsigned class = 0; class < LOD_QUANT_CLASSES && done; class ++) {
        unsigned chosen = fixed ? 0 : lod_choose(m->means[row_of(m, class)], m->count, m->standard);
        rank(m, class, chosen, choice);
        done = add_script(scripts, m->scripts[chosen]) && add_class(m, class, chosen, classes);
    }
    if (!done) {
        cJSON_Delete(table);
        return NULL;
    }
    return table;
}

/* What there is to choose from, the default script among it; the script given by hand is first. */
static void list_scripts(struct measure *m, const struct lod_script *fixed)
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
    for (unsigned i = 0; lod_script_builtin(i); i++) {
        assert(i < LOD_SCRIPTS_MAX);
        m->standard = lod_script_builtin(i) == standard ? i : m->standard;
        m->scripts[m->count++] = lod_script_builtin(i);
    }
}

/* Without a measurement: the script given by hand, else the default; then the others in order. */
static void choose_unmeasured(const struct measure *m, bool fixed, struct lod_scan_choice *choice)
{
    for (unsigned class = 0; class < LOD_QUANT_CLASSES; class ++) {
        rank(m, class, fixed ? 0 : m->standard, choice);
    }
}

int lod_scans_choose(struct lod_pool *pool, const struct lod_sample *sample,
                     const struct lod_script *fixed, struct lod_scans *ret_scans)
{
    struct measure *m = calloc(1, sizeof(*m));
    int error = -ENOMEM;

    memset(ret_scans, 0, sizeof(*ret_scans));
    if (!m) {
        return error;
    }
    if (fixed) {
        ret_scans->fixed = *fixed;
    }
    m->sample = sample;
    list_scripts(m, fixed ? &ret_scans->fixed : NULL);
    m->curves = calloc(sample->count + 1, sizeof(m->curves[0]));
    m->fit = calloc(sample->count + 1, sizeof(m->fit[0]));
    if (!m->curves || !m->fit) {
        goto out;
    }
    error = lod_pool_each(pool, sample->count, measure_photo, m);
    if (error) {
        goto out;
    }
    mean_curves(m);
    if (m->photos[ALL] == 0) {
        choose_unmeasured(m, fixed, &ret_scans->choice);
        goto out;
    }
    ret_scans->table = decide(m, fixed, &ret_scans->choice);
    error = ret_scans->table ? 0 : -ENOMEM;
out:
    free(m->curves);
    free(m->fit);
    free(m);
    return error;
}

void lod_scans_finish(struct lod_scans *scans)
{
    cJSON_Delete(scans->table);
    scans->table = NULL;
}
