/* SPDX-License-Identifier: Apache-2.0 */
/* Prints fidelities and scan scripts as tables; see scan_report.h. */
#include "report/scan_report.h"

#include <stdbool.h>
#include <string.h>

#include "terminal/report.h"
#include "report/scan_facts.h"

#define BAR_BYTES 16

/* Computes the mean of object[key] at q(group + 1) over the classes,
 * weighted by their frequency. */
static bool class_mean(const cJSON *scans, const char *key, int group, double *ret_mean)
{
    const cJSON *class;
    double sum = 0, seen = 0, value;

    cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(scans, "classes"))
    {
        double count = lod_scan_number(class, "seen");
        if (count > 0 && lod_scan_number_at(class, key, group, &value)) {
            sum += count * value;
            seen += count;
        }
    }
    if (seen > 0) {
        *ret_mean = sum / seen;
    }
    return seen > 0;
}

/* The measured numbers of a fidelity as text; "-" if not measured. */
struct measured {
    char mssim[LOD_REPORT_TEXT], within[LOD_REPORT_TEXT], decode[LOD_REPORT_TEXT];
};

/* Writes the numbers of a fidelity. `own`: its files differ from those at full. */
static void describe(const cJSON *scans, unsigned fidelity, bool own, struct measured *ret_measured)
{
    const cJSON *store = cJSON_GetObjectItemCaseSensitive(scans, "store");
    const int group = fidelity < LOD_FULL ? (int)fidelity - 1 : LOD_SCAN_GROUPS - 1;
    double mssim = 1, within = 0, decode = 1;

    *ret_measured = (struct measured){"-", "-", "-"};
    if (!own || (lod_scan_number_at(store, "mssim", group, &mssim) &&
                 lod_scan_number_at(store, "within", group, &within))) {
        snprintf(ret_measured->mssim, LOD_REPORT_TEXT, "%.4f", mssim);
        snprintf(ret_measured->within, LOD_REPORT_TEXT, own ? "%.4f" : " ", within);
    }
    if (class_mean(scans, "decode", group, &decode)) {
        snprintf(ret_measured->decode, LOD_REPORT_TEXT, "%.2f", decode);
    }
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

/* Returns the lowest fidelity from which on all show the same number of bytes as full. */
static unsigned first_like_full(const struct lod_store_totals *totals)
{
    unsigned first = LOD_FULL;

    while (first > LOD_Q1 && totals->fidelity[first - 1] == totals->fidelity[LOD_FULL]) {
        first--;
    }
    return first;
}

/* Adds one line for fidelities first .. `fidelity`, which show the same bytes. */
static void add_fidelity(struct lod_table *table, const struct lod_store_totals *totals,
                         const cJSON *scans, unsigned first, unsigned fidelity)
{
    char bytes[LOD_REPORT_TEXT], share[LOD_REPORT_TEXT], drawn[BAR_BYTES + 1];
    char name[LOD_REPORT_TEXT];
    struct measured measured = {"", "", ""};

    if (scans) {
        describe(scans, fidelity, fidelity < LOD_FULL, &measured);
    }
    bar(totals->fidelity[fidelity], totals->shown_bytes, drawn);
    snprintf(name, sizeof(name), first < fidelity ? "%s .. %s" : "%s",
             lod_fidelity_name((enum lod_fidelity)first),
             lod_fidelity_name((enum lod_fidelity)fidelity));
    lod_table_add(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s", name,
                  lod_report_bytes(totals->fidelity[fidelity], bytes),
                  lod_report_share(totals->fidelity[fidelity], totals->shown_bytes, share),
                  measured.mssim, measured.within, measured.decode, drawn);
}

int lod_scan_report_fidelities(const struct lod_store_totals *totals, const cJSON *scans, FILE *out)
{
    struct lod_table table = {.align = "lrrrrrl"};
    char bytes[LOD_REPORT_TEXT];

    lod_table_add(&table, "fidelity\tbytes\tof source\t%s\t",
                  scans ? "MSSIM\twithin\tdecoding" : "\t\t");
    const unsigned alike = first_like_full(totals);
    for (unsigned f = LOD_Q1; f < alike; f++) {
        add_fidelity(&table, totals, scans, f, f);
    }
    add_fidelity(&table, totals, scans, alike, LOD_FULL);
    lod_table_add(&table, "source\t%s", lod_report_bytes(totals->shown_bytes, bytes));
    return lod_table_print(&table, out);
}

static void add_class(struct lod_table *table, const cJSON *class, bool met)
{
    char name[LOD_SCAN_NAME_BYTES], number_text[LOD_REPORT_TEXT], good[LOD_REPORT_TEXT],
        better[LOD_REPORT_TEXT];
    const char *measured =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(class, "measured"));

    snprintf(number_text, sizeof(number_text), "%.0f", lod_scan_number(class, "class"));
    lod_scan_reach(class, .95, good);
    lod_scan_reach(class, .98, better);
    lod_table_add(table, "%s\t%.0f\t%s\t%s\t%s\t%s", met ? number_text : "others",
                  lod_scan_number(class, "samples"), lod_scan_name(class, name),
                  measured && measured[0] == 'c' ? "this class" : "all classes", good, better);
}

int lod_scan_report_classes(const cJSON *scans, FILE *out)
{
    struct lod_table table = {.align = "lrllll"};
    const cJSON *class, *others = NULL;

    lod_table_add(&table, "class\tsampled\tscript\tmeasured on\tMSSIM .95 at\t.98 at");
    cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(scans, "classes"))
    {
        if (lod_scan_number(class, "samples") > 0) {
            add_class(&table, class, true);
        } else {
            others = class; /* classes without sampled photographs use the measurement of all */
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
    char name[LOD_SCAN_NAME_BYTES];
    double bytes, mssim, default_bytes, default_mssim;

    fprintf(out, "Class %.0f, script %s:\n", lod_scan_number(class, "class"),
            lod_scan_name(class, name));
    lod_table_add(&table, "\tof source\tMSSIM\tdefault's\tMSSIM");
    for (int i = 0; i < LOD_SCAN_GROUPS; i++) {
        if (lod_scan_number_at(class, "bytes", i, &bytes) &&
            lod_scan_number_at(class, "mssim", i, &mssim) &&
            lod_scan_number_at(standard, "bytes", i, &default_bytes) &&
            lod_scan_number_at(standard, "mssim", i, &default_mssim)) {
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
        if (!error && lod_scan_number(class, "samples") > 0) {
            error = print_class(class, out);
        }
    }
    return error;
}
