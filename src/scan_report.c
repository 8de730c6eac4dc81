/* SPDX-License-Identifier: Apache-2.0 */
/* Fidelities and scan scripts for people; see scan_report.h. */
#include "scan_report.h"

#include <stdbool.h>
#include <string.h>

#include "log.h"
#include "report.h"

#define GROUPS     10
#define BAR_BYTES  24
#define NAME_BYTES 64

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* The index-th of ten numbers object[key]; false: there is none. */
static bool number_at(const cJSON *object, const char *key, int index, double *ret_number)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, key), index);

    if (!cJSON_IsNumber(item)) {
        return false;
    }
    *ret_number = item->valuedouble;
    return true;
}

/* MSSIM at q(group + 1): the mean over the classes, each as often as it was met in the sample. */
static bool mean_mssim(const cJSON *scans, int group, double *ret_mean)
{
    const cJSON *class;
    double sum = 0, samples = 0, mssim;

    cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(scans, "classes"))
    {
        double count = number(class, "samples");
        if (count > 0 && number_at(class, "mssim", group, &mssim)) {
            sum += count * mssim;
            samples += count;
        }
    }
    if (samples > 0) {
        *ret_mean = sum / samples;
    }
    return samples > 0;
}

static void bar(uint64_t part, uint64_t whole, char text[BAR_BYTES + 1])
{
    double share = whole ? (double)part / (double)whole : 0;
    unsigned length = share < 1 ? (unsigned)(share * BAR_BYTES + 0.5) : BAR_BYTES;

    for (unsigned i = 0; i < BAR_BYTES; i++) {
        text[i] = '#';
    }
    text[length] = '\0';
}

static void add_fidelity(struct lod_table *table, const struct lod_tally *tally, const cJSON *scans,
                         unsigned fidelity)
{
    char bytes[LOD_REPORT_TEXT], share[LOD_REPORT_TEXT], mssim[LOD_REPORT_TEXT] = "-";
    char drawn[BAR_BYTES + 1];
    double mean = 1;

    if (fidelity == LOD_FULL || mean_mssim(scans, (int)fidelity - 1, &mean)) {
        snprintf(mssim, sizeof(mssim), "%.4f", mean);
    }
    bar(tally->fidelity[fidelity], tally->shown_bytes, drawn);
    lod_table_add(table, "%s\t%s\t%s\t%s\t%s", lod_fidelity_name((enum lod_fidelity)fidelity),
                  lod_report_bytes(tally->fidelity[fidelity], bytes),
                  lod_report_share(tally->fidelity[fidelity], tally->shown_bytes, share),
                  scans ? mssim : "", drawn);
}

int lod_scan_report_fidelities(const struct lod_tally *tally, const cJSON *scans, FILE *out)
{
    struct lod_table table = {.align = "lrrrl"};
    char bytes[LOD_REPORT_TEXT];

    lod_table_add(&table, "fidelity\tbytes\tof source\t%s\t", scans ? "MSSIM" : "");
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        add_fidelity(&table, tally, scans, f);
    }
    lod_table_add(&table, "source\t%s", lod_report_bytes(tally->shown_bytes, bytes));
    return lod_table_print(&table, out);
}

static const char *name_of(const cJSON *class, char text[NAME_BYTES])
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(class, "script"));

    return lod_escape(name ? name : "?", name ? strlen(name) : 1, text, NAME_BYTES);
}

/* The lowest q whose MSSIM is at least `wanted`, with its bytes; "-" if none or not measured. */
static void reach(const cJSON *class, double wanted, char text[LOD_REPORT_TEXT])
{
    double mssim, bytes;

    snprintf(text, LOD_REPORT_TEXT, "-");
    for (int i = 0; i < GROUPS; i++) {
        if (number_at(class, "mssim", i, &mssim) && mssim >= wanted &&
            number_at(class, "bytes", i, &bytes)) {
            snprintf(text, LOD_REPORT_TEXT, "q%d (%.1f %%)", i + 1, 100 * bytes);
            return;
        }
    }
}

static void add_class(struct lod_table *table, const cJSON *class, bool met)
{
    char name[NAME_BYTES], number_text[LOD_REPORT_TEXT], good[LOD_REPORT_TEXT],
        better[LOD_REPORT_TEXT];
    const char *measured =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(class, "measured"));

    snprintf(number_text, sizeof(number_text), "%.0f", number(class, "class"));
    reach(class, .95, good);
    reach(class, .98, better);
    lod_table_add(table, "%s\t%.0f\t%s\t%s\t%s\t%s", met ? number_text : "others",
                  number(class, "samples"), name_of(class, name),
                  measured && measured[0] == 'c' ? "this class" : "all classes", good, better);
}

int lod_scan_report_classes(const cJSON *scans, FILE *out)
{
    struct lod_table table = {.align = "lrllll"};
    const cJSON *class, *others = NULL;

    lod_table_add(&table, "class\tsampled\tscript\tmeasured on\tMSSIM .95 at\t.98 at");
    cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(scans, "classes"))
    {
        if (number(class, "samples") > 0) {
            add_class(&table, class, true);
        } else {
            others = class; /* classes that were not met share the measurement of all */
        }
    }
    if (others) {
        add_class(&table, others, false);
    }
    return lod_table_print(&table, out);
}

static int print_class(const cJSON *class, FILE *out)
{
    struct lod_table table = {.align = "lrrrr"};
    const cJSON *standard = cJSON_GetObjectItemCaseSensitive(class, "default");
    char name[NAME_BYTES];
    double bytes, mssim, default_bytes, default_mssim;

    fprintf(out, "Class %.0f, script %s:\n", number(class, "class"), name_of(class, name));
    lod_table_add(&table, "\tof source\tMSSIM\tdefault's\tMSSIM");
    for (int i = 0; i < GROUPS; i++) {
        if (number_at(class, "bytes", i, &bytes) && number_at(class, "mssim", i, &mssim) &&
            number_at(standard, "bytes", i, &default_bytes) &&
            number_at(standard, "mssim", i, &default_mssim)) {
            lod_table_add(&table, "q%d\t%.1f %%\t%.4f\t%.1f %%\t%.4f", i + 1, 100 * bytes, mssim,
                          100 * default_bytes, default_mssim);
        }
    }
    return lod_table_print(&table, out);
}

int lod_scan_report_tables(const cJSON *scans, FILE *out)
{
    const cJSON *class;
    int error = 0;

    cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(scans, "classes"))
    {
        if (!error && number(class, "samples") > 0) {
            error = print_class(class, out);
        }
    }
    return error;
}
