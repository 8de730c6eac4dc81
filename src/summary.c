/* SPDX-License-Identifier: Apache-2.0 */
/* What pack says at its end; see summary.h. */
#include "summary.h"

#include <errno.h>
#include <string.h>

#include "log.h"
#include "report.h"
#include "scan_report.h"
#include "store/format.h"

#define NAMES_SHOWN 10 /* without -v */
#define NAME_TEXT   (4 * LOD_PATH_MAX + 1)

struct summary {
    const struct lod_pack_options *options;
    const struct lod_pack_result *result;
    bool verbose;
    FILE *out;
};

static void print_head(const struct summary *s, double seconds)
{
    char source[NAME_TEXT], store[NAME_TEXT];
    const struct lod_pack_options *options = s->options;

    lod_escape(options->source, strlen(options->source), source, sizeof(source));
    lod_escape(options->store, strlen(options->store), store, sizeof(store));
    if (options->dry_run) {
        fprintf(s->out, "Would pack %s into %s (nothing was written)\n\n", source, store);
    } else {
        fprintf(s->out, "Packed %s into %s in %.1f s\n\n", source, store, seconds);
    }
}

static void print_planned(const struct summary *s)
{
    char count[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];

    for (unsigned id = 0; id < LOD_CODECS; id++) {
        const struct lod_tally_codec *codec = &s->result->tally.codecs[id];
        if (codec->items) {
            fprintf(s->out, "  %-4s %10s %s, %s\n", lod_codec_find(id)->name,
                    lod_report_count(codec->files, count),
                    lod_report_plural(codec->files, "file", "files"),
                    lod_report_bytes(codec->source_bytes, bytes));
        }
    }
    fputc('\n', s->out);
}

static void print_count(const struct summary *s, uint64_t count, const char *one, const char *many)
{
    char text[LOD_REPORT_TEXT];

    if (count) {
        fprintf(s->out, ", %s %s", lod_report_count(count, text),
                lod_report_plural(count, one, many));
    }
}

static void print_counts(const struct summary *s)
{
    const struct lod_pack_result *result = s->result;
    char text[LOD_REPORT_TEXT];

    fprintf(s->out, "%s %s", lod_report_count(result->tally.all.files, text),
            lod_report_plural(result->tally.all.files, "file", "files"));
    print_count(s, result->folders, "folder", "folders");
    print_count(s, result->symlinks, "symbolic link", "symbolic links");
    print_count(s, result->equal, "file equal to another", "files equal to others");
    print_count(s, result->hard_links, "hard link", "hard links");
    print_count(s, result->tables_stored, "table", "tables");
    print_count(s, result->tables_beside, "table beside its shards", "tables beside their shards");
    print_count(s, result->shards, "shard", "shards");
    print_count(s, result->records, "record", "records");
    if (!s->options->dry_run) {
        fprintf(s->out, ".\nThe store has %s.\n", lod_report_bytes(result->store_bytes, text));
        lod_tally_print_same(&result->tally, s->out);
    } else {
        fputs(".\n", s->out);
    }
    if (result->kept && s->options->dry_run) {
        fprintf(s->out,
                "%s %s there from an earlier run that did not end; pack keeps what is "
                "sound.\n",
                lod_report_count(result->kept, text),
                lod_report_plural(result->kept, "record is", "records are"));
    } else if (result->kept) {
        fprintf(s->out, "%s %s kept of an earlier run that did not end.\n",
                lod_report_count(result->kept, text),
                lod_report_plural(result->kept, "record was", "records were"));
    }
    if (result->tally.no_original) {
        fprintf(s->out,
                "%s %s no original: pixels and metadata are exact, not the file's own bytes "
                "(--original=all\nkeeps those too).\n",
                lod_report_count(result->tally.no_original, text),
                lod_report_plural(result->tally.no_original, "file has", "files have"));
    }
}

/* The reason of a source that belongs to the list shown; NULL: it does not. */
typedef const char *(*reason_of)(const struct lod_source *source);

static const char *why_whole(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE ? source->why : NULL;
}

static const char *why_left_out(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_LEFT_OUT ? source->why : NULL;
}

static void print_names(const struct summary *s, const char *title, uint64_t count,
                        reason_of reason)
{
    const struct lod_source_list *list = &s->result->list;
    char name[NAME_TEXT], text[LOD_REPORT_TEXT];
    uint64_t shown = 0;

    if (!count) {
        return;
    }
    fprintf(s->out, "\n%s: %s %s\n", title, lod_report_count(count, text),
            lod_report_plural(count, "file", "files"));
    for (size_t i = 0; i < list->count && (s->verbose || shown < NAMES_SHOWN); i++) {
        const char *why = reason(&list->at[i]);
        if (why) {
            lod_escape(list->at[i].path, strlen(list->at[i].path), name, sizeof(name));
            fprintf(s->out, "  %s: %s\n", name, why);
            shown++;
        }
    }
    if (shown < count) {
        fprintf(s->out, "  and %s more (-v lists all)\n", lod_report_count(count - shown, text));
    }
}

int lod_summary_print(const struct lod_pack_options *options, const struct lod_pack_result *result,
                      double seconds, bool verbose, FILE *out)
{
    const struct summary s = {.options = options, .result = result, .verbose = verbose, .out = out};
    int error = 0;

    print_head(&s, seconds);
    if (options->dry_run) {
        print_planned(&s);
    } else {
        error = lod_tally_print_codecs(&result->tally, out);
        fputc('\n', out);
        error = error ? error : lod_scan_report_fidelities(&result->tally, result->scans, out);
        fputc('\n', out);
    }
    if (!error && result->scans) {
        fputs("Scan scripts by quantisation class (0 is the finest):\n", out);
        error = lod_scan_report_classes(result->scans, out);
        fputc('\n', out);
    }
    print_counts(&s);
    print_names(&s, "Stored whole, every fidelity shows them as they are", result->whole,
                why_whole);
    print_names(&s, "Left out", result->left_out, why_left_out);
    return error;
}

static int json_names(cJSON *into, const char *key, const struct lod_source_list *list,
                      reason_of reason)
{
    cJSON *array = cJSON_AddArrayToObject(into, key);
    int error = array ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < list->count; i++) {
        const char *why = reason(&list->at[i]);
        cJSON *entry = why ? cJSON_CreateObject() : NULL;
        if (!why) {
            continue;
        }
        if (!entry || !cJSON_AddItemToArray(array, entry)) {
            cJSON_Delete(entry);
            return -ENOMEM;
        }
        error = lod_report_json_name(entry, "path", list->at[i].path);
        if (!error && !cJSON_AddStringToObject(entry, "why", why)) {
            error = -ENOMEM;
        }
    }
    return error;
}

static int json_numbers(cJSON *json, const struct lod_pack_result *result, double seconds)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"seconds", seconds},
        {"store_bytes", (double)result->store_bytes},
        {"records", (double)result->records},
        {"kept_records", (double)result->kept},
        {"cuts", (double)result->cuts},
        {"folders", (double)result->folders},
        {"symlinks", (double)result->symlinks},
        {"equal_files", (double)result->equal},
        {"hard_links", (double)result->hard_links},
        {"whole_files", (double)result->whole},
        {"left_out_files", (double)result->left_out},
        {"tables", (double)result->tables_stored},
        {"tables_beside", (double)result->tables_beside},
        {"shards", (double)result->shards},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!cJSON_AddNumberToObject(json, numbers[i].key, numbers[i].value)) {
            return -ENOMEM;
        }
    }
    return 0;
}

int lod_summary_json(const struct lod_pack_options *options, const struct lod_pack_result *result,
                     double seconds, FILE *out)
{
    cJSON *json = cJSON_CreateObject();
    int error = json ? lod_report_json_name(json, "source", options->source) : -ENOMEM;

    error = error ? error : lod_report_json_name(json, "store", options->store);
    if (!error && !cJSON_AddBoolToObject(json, "dry_run", options->dry_run)) {
        error = -ENOMEM;
    }
    error = error ? error : json_numbers(json, result, seconds);
    error = error ? error : lod_tally_json(&result->tally, json);
    error = error ? error : json_names(json, "whole", &result->list, why_whole);
    error = error ? error : json_names(json, "left_out", &result->list, why_left_out);
    if (!error) {
        cJSON *scans = result->scans ? cJSON_Duplicate(result->scans, true) : cJSON_CreateNull();
        error = cJSON_AddItemToObject(json, "scans", scans) ? 0 : -ENOMEM;
    }
    if (error) {
        cJSON_Delete(json);
        return error;
    }
    return lod_report_json(json, out);
}
