/* SPDX-License-Identifier: Apache-2.0 */
/* See fidelity_report.h. */
#include "output/fidelity_report.h"

#include "json.h"
#include "terminal/report.h"
#include "text.h"

static const struct lod_survey_level *full_of(const struct lod_survey *survey)
{
    return &survey->levels[survey->count - 1];
}

static void print_head(const char *store, const struct lod_survey_options *options,
                       const struct lod_survey *survey, FILE *out)
{
    char all[LOD_REPORT_TEXT], compared[LOD_REPORT_TEXT];

    lod_print(out, "%pE\n\n", store);
    fprintf(out, "%s of %s %s compared, ", lod_report_count(survey->compared, compared),
            lod_report_count(survey->photographs, all),
            lod_report_plural(survey->photographs, "photograph", "photographs"));
    if (options->inputs[0].crop > 0) {
        fprintf(out, "each in crops of %g to 100 %% of its area,\nbrought to %u x %u pixels:\n\n",
                100 * options->inputs[0].crop, options->inputs[0].size, options->inputs[0].size);
    } else if (options->inputs[0].size) {
        fprintf(out, "with a shorter side of at most %u pixels:\n\n", options->inputs[0].size);
    } else {
        fputs("at their own size:\n\n", out);
    }
}

static void add_level(struct lod_table *table, const struct lod_survey *survey, unsigned number)
{
    const struct lod_survey_level *level = &survey->levels[number];
    char name[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT], share[LOD_REPORT_TEXT];

    snprintf(name, sizeof(name), level->first < level->last ? "%s .. %s" : "%s",
             lod_fidelity_name(level->first), lod_fidelity_name(level->last));
    lod_table_add(table, "%s\t%s\t%s\t%.4f\t%.4f\t%.4f%s", name,
                  lod_report_bytes((uint64_t)(level->bytes + .5), bytes),
                  lod_report_share((uint64_t)level->bytes, (uint64_t)full_of(survey)->bytes, share),
                  level->mssim, level->error, level->worst_tenth,
                  number == survey->chosen ? "\t<- take this" : "");
}

/* Prints how many photographs were left out, a line for each reason. */
static void print_left_out(const struct lod_survey *survey, FILE *out)
{
    char text[LOD_REPORT_TEXT];

    if (survey->unreadable) {
        fprintf(out, "%s %s left out: damaged or not of 8 bits.\n",
                lod_report_count(survey->unreadable, text),
                lod_report_plural(survey->unreadable, "photograph was", "photographs were"));
    }
    if (survey->large) {
        fprintf(out, "%s %s of the store %s left out: too large to decode.\n",
                lod_report_count(survey->large, text),
                lod_report_plural(survey->large, "photograph", "photographs"),
                lod_report_plural(survey->large, "was", "were"));
    }
    if (survey->small) {
        fprintf(out, "%s %s left out: a side below %u pixels.\n",
                lod_report_count(survey->small, text),
                lod_report_plural(survey->small, "photograph was", "photographs were"),
                LOD_SURVEY_SIZE_MIN);
    }
}

static void print_choice(const struct lod_survey_options *options, const struct lod_survey *survey,
                         FILE *out)
{
    char share[LOD_REPORT_TEXT];
    const struct lod_survey_level *chosen = &survey->levels[survey->chosen];

    putc('\n', out);
    if (survey->chosen + 1 == survey->count) {
        fprintf(out, "No lower fidelity reaches an MS-SSIM of %g: take full.\n", options->target);
    } else {
        fprintf(out,
                "%s is the lowest fidelity that surely reaches an MS-SSIM of %g. It reads\n"
                "%s of full's bytes.\n",
                lod_fidelity_name(lod_survey_fidelity(survey)), options->target,
                lod_report_share((uint64_t)chosen->bytes, (uint64_t)full_of(survey)->bytes, share));
    }
    if (!survey->decided) {
        fputs("A lower one may reach it too; a larger --sample would tell.\n", out);
    }
    print_left_out(survey, out);
}

int lod_fidelity_report_print(const char *store, const struct lod_survey_options *options,
                              const struct lod_survey *survey, FILE *out)
{
    struct lod_table table = {.align = "lrrrrrl"};

    print_head(store, options, survey, out);
    lod_table_add(&table, "fidelity\tbytes read\tof full\tMS-SSIM\twithin\tworst tenth");
    for (unsigned i = 0; i < survey->count; i++) {
        add_level(&table, survey, i);
    }
    int error = lod_table_print(&table, out);
    print_choice(options, survey, out);
    return error;
}

static void json_level(const struct lod_survey_level *level, double full, struct lod_json *json)
{
    lod_json_object(json, NULL);
    lod_json_text(json, "fidelity", lod_fidelity_name(level->first));
    lod_json_text(json, "last", lod_fidelity_name(level->last));
    lod_json_number(json, "bytes", level->bytes);
    lod_json_number(json, "share", level->bytes / full);
    lod_json_number(json, "mssim", level->mssim);
    lod_json_number(json, "within", level->error);
    lod_json_number(json, "worst_tenth", level->worst_tenth);
    lod_json_end(json);
}

void lod_fidelity_report_json(const char *store, const struct lod_survey_options *options,
                              const struct lod_survey *survey, FILE *out)
{
    struct lod_json json = {.out.file = out};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "store", store);
    lod_json_number(&json, "size", options->inputs[0].size);
    lod_json_number(&json, "crop", options->inputs[0].crop);
    lod_json_number(&json, "target", options->target);
    lod_json_number(&json, "photographs", (double)survey->photographs);
    lod_json_number(&json, "compared", survey->compared);
    lod_json_number(&json, "unreadable", survey->unreadable);
    lod_json_number(&json, "small", survey->small);
    lod_json_number(&json, "large", (double)survey->large);
    lod_json_text(&json, "fidelity", lod_fidelity_name(lod_survey_fidelity(survey)));
    lod_json_bool(&json, "decided", survey->decided);
    lod_json_array(&json, "levels");
    for (unsigned i = 0; i < survey->count; i++) {
        json_level(&survey->levels[i], full_of(survey)->bytes, &json);
    }
    lod_json_end(&json);
    lod_json_end(&json);
}
