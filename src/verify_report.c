/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as lines and as JSON; see verify_report.h. */
#include "verify_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "report.h"
#include "store/format.h"

#define PATH_TEXT (4 * LOD_PATH_MAX + 1)

/* The fidelities without original/, which not every item has. */
#define SERVED (LOD_FIDELITIES_ALL & ~(1u << LOD_ORIGINAL))

char *lod_verify_fidelities(uint16_t fidelities, char text[LOD_FIDELITIES_TEXT])
{
    size_t used = 0;

    if ((fidelities & SERVED) == SERVED || fidelities == 0) {
        snprintf(text, LOD_FIDELITIES_TEXT, fidelities ? "every fidelity" : "no fidelity");
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
        used += (size_t)snprintf(text + used, LOD_FIDELITIES_TEXT - used, "%s%s", used ? ", " : "",
                                 lod_fidelity_name((enum lod_fidelity)f));
        if (last > f) {
            used += (size_t)snprintf(text + used, LOD_FIDELITIES_TEXT - used, "..%s",
                                     lod_fidelity_name((enum lod_fidelity)last));
        }
        f = last;
    }
    return text;
}

static void print_finding(const struct lod_finding *finding, FILE *out)
{
    char text[PATH_TEXT], fidelities[LOD_FIDELITIES_TEXT];

    fprintf(out, "%s%s", finding->note ? "note: " : "",
            lod_escape(finding->file, strlen(finding->file), text, sizeof(text)));
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
        const char *path = *finding->path ? finding->path : "/";
        lod_escape(path, strlen(path), text, sizeof(text));
        fprintf(out, ": %s of '%s'", lod_verify_fidelities(finding->fidelities, fidelities), text);
    }
    fputc('\n', out);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many different names the findings have. */
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
    char store[PATH_TEXT], count[LOD_REPORT_TEXT], files[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];
    double rate = summary->seconds > 0 ? (double)summary->bytes / 1e6 / summary->seconds : 0;

    lod_escape(summary->store, strlen(summary->store), store, sizeof(store));
    if (findings->damages == 0) {
        fprintf(out, "'%s' %s", store, summary->stopped ? "has no damage so far" : "is sound");
    } else {
        fprintf(out, "'%s' is damaged: %s %s", store, lod_report_count(findings->damages, count),
                lod_report_plural(findings->damages, "finding", "findings"));
        fprintf(out, ", %s %s concerned", lod_report_count(names, count),
                lod_report_plural(names, "name", "names"));
    }
    if (summary->stopped) {
        fprintf(out, "; not checked: %s %s",
                lod_report_count(summary->files_all - summary->files, files),
                lod_report_plural(summary->files_all - summary->files, "item", "items"));
        fprintf(out, " of %s", lod_report_count(summary->files_all, files));
        fprintf(out, ", %s", lod_report_bytes(summary->bytes_all - summary->bytes, bytes));
        fprintf(out, " of %s", lod_report_bytes(summary->bytes_all, bytes));
    }
    fprintf(out, "; %s %s and %s checked in %.1f s, %.0f MB/s\n",
            lod_report_count(summary->files, files),
            lod_report_plural(summary->files, "item", "items"),
            lod_report_bytes(summary->bytes, bytes), summary->seconds, rate);
    if (in_index(findings)) {
        fprintf(out, "Index and manifest can be made again from the records: lodfs repair\n");
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

static int json_fidelities(cJSON *into, uint16_t fidelities)
{
    cJSON *array = cJSON_AddArrayToObject(into, "fidelities");
    int error = array ? 0 : -ENOMEM;

    for (unsigned f = LOD_Q1; !error && f <= LOD_ORIGINAL; f++) {
        if (fidelities >> f & 1) {
            const char *name = lod_fidelity_name((enum lod_fidelity)f);
            error = cJSON_AddItemToArray(array, cJSON_CreateString(name)) ? 0 : -ENOMEM;
        }
    }
    return error;
}

static int json_finding(cJSON *into, const struct lod_finding *finding)
{
    bool done =
        cJSON_AddStringToObject(into, "what", finding->what) &&
        cJSON_AddBoolToObject(into, "damage", !finding->note) &&
        cJSON_AddNumberToObject(into, "offset", (double)finding->offset) &&
        (!finding->bytes || cJSON_AddNumberToObject(into, "bytes", (double)finding->bytes)) &&
        (finding->item == LOD_NO_ITEM || (cJSON_AddNumberToObject(into, "item", finding->item) &&
                                          cJSON_AddNumberToObject(into, "slot", finding->slot))) &&
        (!finding->group || (cJSON_AddNumberToObject(into, "group", finding->group) &&
                             cJSON_AddNumberToObject(into, "frame", (double)finding->frame)));
    int error = done ? lod_report_json_name(into, "file", finding->file) : -ENOMEM;

    if (!error && finding->path) {
        error = lod_report_json_name(into, "path", finding->path);
    }
    return error ? error : json_fidelities(into, finding->fidelities);
}

static int json_findings(cJSON *json, const struct lod_findings *findings)
{
    cJSON *array = cJSON_AddArrayToObject(json, "findings");
    int error = array ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < findings->count; i++) {
        cJSON *entry = cJSON_CreateObject();
        if (!entry || !cJSON_AddItemToArray(array, entry)) {
            cJSON_Delete(entry);
            return -ENOMEM;
        }
        error = json_finding(entry, &findings->at[i]);
    }
    return error;
}

int lod_verify_json(const struct lod_findings *findings, const struct lod_verify_summary *summary,
                    FILE *out)
{
    cJSON *json = cJSON_CreateObject();
    int error = json ? lod_report_json_name(json, "store", summary->store) : -ENOMEM;

    if (!error &&
        !(cJSON_AddBoolToObject(json, "sound", findings->damages == 0 && !summary->stopped) &&
          cJSON_AddBoolToObject(json, "complete", !summary->stopped) &&
          cJSON_AddNumberToObject(json, "damages", (double)findings->damages) &&
          cJSON_AddNumberToObject(json, "notes", (double)findings->notes) &&
          cJSON_AddNumberToObject(json, "items", (double)summary->files) &&
          cJSON_AddNumberToObject(json, "bytes", (double)summary->bytes) &&
          cJSON_AddNumberToObject(json, "seconds", summary->seconds))) {
        error = -ENOMEM;
    }
    error = error ? error : json_findings(json, findings);
    if (error) {
        cJSON_Delete(json);
        return error;
    }
    return lod_report_json(json, out);
}
