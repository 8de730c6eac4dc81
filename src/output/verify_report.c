/* SPDX-License-Identifier: Apache-2.0 */
/* Prints findings as lines and as JSON; see verify_report.h. */
#include "output/verify_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/report.h"
#include "backend/format.h"
#include "backend/location.h"

/* The fidelities without original/, which not every item has. */
#define FIDELITIES_OF_ALL_ITEMS (LOD_FIDELITIES_ALL & ~(1u << LOD_ORIGINAL))

#define FIDELITIES_TEXT 96

/* Writes fidelities as words, such as "q4..q10, full" or "every fidelity". Returns `text`. */
static char *words_of(uint16_t fidelities, char text[FIDELITIES_TEXT])
{
    size_t used = 0;

    if ((fidelities & FIDELITIES_OF_ALL_ITEMS) == FIDELITIES_OF_ALL_ITEMS || fidelities == 0) {
        snprintf(text, FIDELITIES_TEXT, fidelities ? "every fidelity" : "no fidelity");
        return text;
    }
    text[0] = '\0';
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        unsigned last = f;
        if (!(fidelities >> f & 1)) {
            continue;
        }
        while (last < LOD_Q10 && fidelities >> (last + 1) & 1) {
            last++;
        }
        used += (size_t)snprintf(text + used, FIDELITIES_TEXT - used, "%s%s", used ? ", " : "",
                                 lod_fidelity_name((enum lod_fidelity)f));
        if (last > f) {
            used += (size_t)snprintf(text + used, FIDELITIES_TEXT - used, "..%s",
                                     lod_fidelity_name((enum lod_fidelity)last));
        }
        f = last;
    }
    return text;
}

static void print_finding(const struct lod_finding *finding, FILE *out)
{
    char fidelities[FIDELITIES_TEXT];

    lod_print(out, "%s%pE", finding->note ? "note: " : "", finding->file);
    if (finding->offset || finding->bytes) {
        fprintf(out, " at %" PRIu64, finding->offset);
    }
    fprintf(out, ": %s", finding->what);
    if (finding->group) {
        fprintf(out, " (slot %" PRIu32 " group %u frame %" PRIu64 ")", finding->slot,
                finding->group, finding->frame);
    }
    if (!finding->path && finding->item != LOD_NO_ITEM && !finding->group) {
        fprintf(out, ": item %" PRIu32, finding->item);
    }
    if (finding->path) {
        lod_print(out, ": %s of '%pE'", words_of(finding->fidelities, fidelities),
                  *finding->path ? finding->path : "/");
    }
    fputc('\n', out);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Counts the different paths that the findings name. */
static int count_names(const struct lod_findings *findings, uint64_t *ret_count)
{
    const char **paths = calloc(findings->count + 1, sizeof(*paths));
    uint64_t count = 0, names = 0;

    if (!paths) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->at[i].path) {
            paths[count++] = findings->at[i].path;
        }
    }
    qsort(paths, count, sizeof(*paths), compare_paths);
    for (uint64_t i = 0; i < count; i++) {
        names += i == 0 || strcmp(paths[i - 1], paths[i]) != 0;
    }
    free(paths);
    *ret_count = names;
    return 0;
}

static bool in_index(const struct lod_findings *findings)
{
    bool found = false;

    for (size_t i = 0; !found && i < findings->count; i++) {
        const char *file = findings->at[i].file;
        found = strcmp(file, LOD_INDEX_NAME) == 0 || strcmp(file, LOD_MANIFEST_NAME) == 0;
    }
    return found;
}

static void print_conclusion(const struct lod_findings *findings, uint64_t names,
                             const struct lod_verify_summary *summary, FILE *out)
{
    const struct lod_fact found[] = {{NULL, "finding", "findings", findings->damages},
                                     {NULL, "name concerned", "names concerned", names}};
    const struct lod_fact left = {NULL, "item", "items", summary->files_all - summary->files};
    const struct lod_fact checked = {NULL, "item", "items", summary->files};
    char all[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];
    double rate = summary->seconds > 0 ? (double)summary->bytes / 1e6 / summary->seconds : 0;

    if (summary->parts) {
        fprintf(out, "Part %" PRIu32 " of %" PRIu32 " of ", summary->part, summary->parts);
    }
    lod_print(out, "'%pE' ", summary->store);
    if (findings->damages == 0) {
        fputs(summary->stopped ? "has no damage so far" : "is sound", out);
    } else {
        fputs("is damaged: ", out);
        lod_facts_print(found, 2, out);
    }
    if (summary->stopped) {
        fputs("; not checked: ", out);
        lod_facts_print(&left, 1, out);
        fprintf(out, " of %s, %s", lod_report_count(summary->files_all, all),
                lod_report_bytes(summary->bytes_all - summary->bytes, bytes));
        fprintf(out, " of %s", lod_report_bytes(summary->bytes_all, bytes));
    }
    fputs("; ", out);
    lod_facts_print(&checked, 1, out);
    fprintf(out, " and %s checked in %.1f s, %.0f MB/s\n", lod_report_bytes(summary->bytes, bytes),
            summary->seconds, rate);
    if (in_index(findings)) {
        fprintf(out, "Index and manifest can be rebuilt from the records%s: lodfs repair\n",
                lod_location_is_url(summary->store) ? ", in a copy of the store" : "");
    }
}

int lod_verify_print(const struct lod_findings *findings, const struct lod_verify_summary *summary,
                     FILE *out)
{
    uint64_t names = 0;

    int error = count_names(findings, &names);
    if (error) {
        return error;
    }
    for (size_t i = 0; i < findings->count; i++) {
        print_finding(&findings->at[i], out);
    }
    if (findings->damages + findings->notes > findings->count) {
        fprintf(out, "and %" PRIu64 " more\n",
                findings->damages + findings->notes - findings->count);
    }
    print_conclusion(findings, names, summary, out);
    return 0;
}

static void json_finding(struct lod_json *json, const struct lod_finding *finding)
{
    const bool framed = finding->group, of_item = finding->item != LOD_NO_ITEM;
    const struct lod_fact facts[] = {
        {"offset", NULL, NULL, finding->offset},
        {finding->bytes ? "bytes" : NULL, NULL, NULL, finding->bytes},
        {of_item ? "item" : NULL, NULL, NULL, finding->item},
        {of_item ? "slot" : NULL, NULL, NULL, finding->slot},
        {framed ? "group" : NULL, NULL, NULL, finding->group},
        {framed ? "frame" : NULL, NULL, NULL, finding->frame},
    };

    lod_json_object(json, NULL);
    lod_json_text(json, "file", finding->file);
    lod_json_text(json, "what", finding->what);
    lod_json_bool(json, "damage", !finding->note);
    lod_facts_json(facts, sizeof(facts) / sizeof(facts[0]), json);
    if (finding->path) {
        lod_json_text(json, "path", finding->path);
    }
    lod_json_array(json, "fidelities");
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        if (finding->fidelities >> f & 1) {
            lod_json_text(json, NULL, lod_fidelity_name((enum lod_fidelity)f));
        }
    }
    lod_json_end(json);
    lod_json_end(json);
}

void lod_verify_json(const struct lod_findings *findings, const struct lod_verify_summary *summary,
                     FILE *out)
{
    struct lod_json json = {.out.file = out};
    const struct lod_fact facts[] = {
        {"damages", NULL, NULL, findings->damages},
        {"notes", NULL, NULL, findings->notes},
        {"items", NULL, NULL, summary->files},
        {"bytes", NULL, NULL, summary->bytes},
        {summary->parts ? "part" : NULL, NULL, NULL, summary->part},
        {summary->parts ? "parts" : NULL, NULL, NULL, summary->parts},
    };

    lod_json_object(&json, NULL);
    lod_json_text(&json, "store", summary->store);
    lod_json_bool(&json, "sound", findings->damages == 0 && !summary->stopped);
    lod_json_bool(&json, "complete", !summary->stopped);
    lod_facts_json(facts, sizeof(facts) / sizeof(facts[0]), &json);
    lod_json_number(&json, "seconds", summary->seconds);
    lod_json_array(&json, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        json_finding(&json, &findings->at[i]);
    }
    lod_json_end(&json);
    lod_json_end(&json);
}
