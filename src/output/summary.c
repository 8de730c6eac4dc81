/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of pack; see summary.h. */
#include "output/summary.h"

#include <string.h>

#include "terminal/report.h"
#include "output/level_folders.h"
#include "output/photo_report.h"
#include "report/scan_report.h"
#include "pack/source/filter.h"
#include "text.h"

#define NAMES_SHOWN 10 /* without -v */

struct summary {
    const struct lod_pack_options *options;
    const struct lod_pack_result *result;
    bool verbose;
    FILE *out;
};

static void print_head(const struct summary *s, double seconds)
{
    const struct lod_pack_options *options = s->options;

    lod_print(s->out, "%s %pE into %pE", options->dry_run ? "Would pack" : "Packed",
              options->source, options->store);
    if (options->dry_run) {
        fputs(" (nothing was written)\n\n", s->out);
    } else {
        fprintf(s->out, " in %.1f s\n\n", seconds);
    }
}

static void print_planned(const struct summary *s)
{
    char count[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];

    for (unsigned id = 0; id < LOD_CODECS; id++) {
        const struct lod_store_totals_codec *codec = &s->result->totals.codecs[id];
        if (codec->items) {
            fprintf(s->out, "  %-4s %10s %s, %s\n", lod_codec_find(id)->name,
                    lod_report_count(codec->files, count),
                    lod_report_plural(codec->files, "file", "files"),
                    lod_report_bytes(codec->source_bytes, bytes));
        }
    }
    fputc('\n', s->out);
}

#define FACTS_MAX 20

static size_t make_facts(const struct lod_pack_result *result, struct lod_fact facts[FACTS_MAX])
{
    const struct lod_fact all[] = {
        {NULL, "file", "files", result->totals.all.files},
        {"folders", "folder", "folders", result->folders},
        {"symlinks", "symbolic link", "symbolic links", result->symlinks},
        {"equal_files", "file equal to another", "files equal to others", result->equal},
        {"hard_links", "hard link", "hard links", result->hard_links},
        {"tables", "table", "tables", result->tables_stored},
        {"tables_beside", "table beside its shards", "tables beside their shards",
         result->tables_beside},
        {"shards", "shard", "shards", result->shards},
        {"records", "record", "records", result->records},
        {"kept_records", NULL, NULL, result->kept},
        {"cuts", NULL, NULL, result->cuts},
        {"whole_files", NULL, NULL, result->whole},
        {"level_files", NULL, NULL, result->levels},
        {"no_level_files", NULL, NULL, result->no_levels},
        {"left_out_files", NULL, NULL, result->left_out},
        {"left_out_folders", NULL, NULL, result->left_out_folders},
        {"other_labels", NULL, NULL, result->other_labels},
        {"not_in_recordio", NULL, NULL, result->not_in_recordio},
        {"store_bytes", NULL, NULL, result->store_bytes},
    };

    _Static_assert(sizeof(all) <= FACTS_MAX * sizeof(all[0]), "FACTS_MAX");
    memcpy(facts, all, sizeof(all));
    return sizeof(all) / sizeof(all[0]);
}

/* Mentions --levels if most of a source is lossless images. */
static void hint_levels(const struct summary *s)
{
    if (!s->options->levels.count && lod_store_totals_mostly_lossless(&s->result->totals)) {
        fputs("Photographs among the lossless images can have lower fidelities: --levels=GLOB.\n",
              s->out);
    }
}

/*
 * Counts records of TFRecord whose picture has an unusual key: they are stored, but not as
 * pictures.
 */
static void hint_key(const struct summary *s)
{
    const struct lod_container *from = s->options->from;
    const struct lod_source_list *list = &s->result->list;
    uint64_t files = 0, beside = 0;

    for (size_t i = 0; from && from->has_key && i < list->count; i++) {
        const bool file = list->at[i].role == LOD_SOURCE_FILE;
        files += file;
        beside += file && lod_ends_with(list->at[i].path, from->beside);
    }
    if (files && files == beside) {
        fputs("No record has a picture under the usual keys: --key=KEY names its own.\n", s->out);
    }
}

/* Returns whether some file of the source, or one of its other names, matches. */
static bool matches_any(const struct lod_source_list *list, const char *pattern)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *source = &list->at[i];
        if ((source->role == LOD_SOURCE_FILE || source->role == LOD_SOURCE_HARD_LINK) &&
            lod_pattern_matches(pattern, source->path, false)) {
            return true;
        }
    }
    return false;
}

/* Names the patterns without effect, which are often misspelt. */
static void print_unmatched(const struct summary *s, const char *option,
                            const struct lod_option_list *patterns)
{
    for (unsigned i = 0; i < patterns->count; i++) {
        if (!matches_any(&s->result->list, patterns->at[i])) {
            lod_print(s->out,
                      "No file matches --%s='%pE'; a pattern with a slash is for paths from the "
                      "source, and case matters.\n",
                      option, patterns->at[i]);
        }
    }
}

static void print_kept(const struct summary *s, uint64_t kept)
{
    char text[LOD_REPORT_TEXT];

    if (kept && s->options->dry_run) {
        fprintf(s->out,
                "%s %s there from an earlier run that did not end;\n"
                "pack keeps those that are sound.\n",
                lod_report_count(kept, text), lod_report_plural(kept, "record is", "records are"));
    } else if (kept) {
        fprintf(s->out, "%s %s kept from an earlier run that did not end.\n",
                lod_report_count(kept, text),
                lod_report_plural(kept, "record was", "records were"));
    }
}

static void print_exceptions(const struct summary *s)
{
    const uint64_t other_labels = s->result->other_labels,
                   no_original = s->result->totals.no_original;
    char text[LOD_REPORT_TEXT];

    if (other_labels) {
        fprintf(s->out,
                "%s %s equal to another file of another label:\n"
                "each picture has one label, that of its first name.\n",
                lod_report_count(other_labels, text),
                lod_report_plural(other_labels, "file is", "files are"));
    }
    if (no_original) {
        fprintf(s->out,
                "%s %s no original: pixels and metadata are exact,\n"
                "but not the file's own bytes, which --original=all keeps too.\n",
                lod_report_count(no_original, text),
                lod_report_plural(no_original, "file has", "files have"));
    }
}

static void print_counts(const struct summary *s)
{
    const struct lod_pack_result *result = s->result;
    struct lod_fact facts[FACTS_MAX];
    char text[LOD_REPORT_TEXT];

    lod_facts_print(facts, make_facts(result, facts), s->out);
    if (!s->options->dry_run) {
        fprintf(s->out, ".\nThe store has %s.\n", lod_report_bytes(result->store_bytes, text));
        lod_photo_report_other(&result->totals, result->scans, result->store_bytes, s->out);
        lod_photo_report_kind(&result->totals, s->options->top ? "source" : "scans", s->out);
        lod_store_totals_print_levels(&result->totals, s->out);
        lod_store_totals_print_same(&result->totals, s->out);
    } else {
        fputs(".\n", s->out);
    }
    hint_levels(s);
    hint_key(s);
    print_unmatched(s, "levels", &s->options->levels);
    print_unmatched(s, "tables", &s->options->tables.globs);
    print_kept(s, result->kept);
    print_exceptions(s);
}

/* Returns the reason why a source belongs to a list, or NULL if it does not. */
typedef const char *(*reason_of)(const struct lod_source *source);

static const char *why_whole(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE ? source->why : NULL;
}

static const char *why_left_out(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_LEFT_OUT ? source->why : NULL;
}

static const char *why_no_levels(const struct lod_source *source)
{
    return source->role == LOD_SOURCE_FILE ? source->no_levels : NULL;
}

static const char *why_not_in_recordio(const struct lod_source *source)
{
    static const char *const lacks[] = {[LOD_RECORDIO_WORDS] =
                                            "it has more than 4,096 magic words of RecordIO",
                                        [LOD_RECORDIO_LARGE] = "it has 2^29 bytes or more"};

    return source->role == LOD_SOURCE_FILE ? lacks[source->recordio] : NULL;
}

#define REASONS_MAX 16

/* Prints how many sources have each reason, at most REASONS_MAX of them. */
static void print_reasons(const struct lod_source_list *list, reason_of reason, FILE *out)
{
    struct {
        const char *why;
        uint64_t count;
    } reasons[REASONS_MAX + 1] = {{0}};
    char text[LOD_REPORT_TEXT];

    for (size_t i = 0; i < list->count; i++) {
        const char *why = reason(&list->at[i]);
        size_t at = 0;
        while (why && at < REASONS_MAX && reasons[at].why && strcmp(reasons[at].why, why) != 0) {
            at++;
        }
        if (why) {
            reasons[at].why = at < REASONS_MAX ? why : "other reasons";
            reasons[at].count++;
        }
    }
    for (size_t i = 0; i <= REASONS_MAX && reasons[i].why; i++) {
        fprintf(out, "  %10s  %s\n", lod_report_count(reasons[i].count, text), reasons[i].why);
    }
}

static void print_names(const struct summary *s, const char *title, uint64_t files,
                        uint64_t folders, reason_of reason)
{
    const struct lod_fact facts[] = {{NULL, "file", "files", files},
                                     {NULL, "folder", "folders", folders}};
    const uint64_t count = files + folders;
    const struct lod_source_list *list = &s->result->list;
    char text[LOD_REPORT_TEXT];
    uint64_t shown = 0;

    if (!count) {
        return;
    }
    fprintf(s->out, "\n%s: ", title);
    lod_facts_print(files ? facts : facts + 1, files ? 2 : 1, s->out);
    fputc('\n', s->out);
    for (size_t i = 0; i < list->count && (s->verbose || shown < NAMES_SHOWN); i++) {
        const char *why = reason(&list->at[i]);
        if (why) {
            lod_print(s->out, "  %pE: %s\n", list->at[i].path, why);
            shown++;
        }
    }
    if (shown < count) {
        fprintf(s->out, "  and %s more (-v lists all); in all:\n",
                lod_report_count(count - shown, text));
        print_reasons(list, reason, s->out);
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
        error = lod_store_totals_print_codecs(&result->totals, out);
        fputc('\n', out);
        error = error ? error : lod_scan_report_fidelities(&result->totals, result->scans, out);
        fputc('\n', out);
    }
    if (!error && result->scans) {
        fputs("Scan scripts by quantisation class (0 is the finest):\n", out);
        error = lod_scan_report_classes(result->scans, out);
        fputc('\n', out);
    }
    print_counts(&s);
    print_names(&s, "Stored whole, with the same bytes at every fidelity", result->whole, 0,
                why_whole);
    print_names(&s, "Left out", result->left_out, result->left_out_folders, why_left_out);
    if (result->levels) {
        lod_level_folders_print(&result->list, verbose ? SIZE_MAX : NAMES_SHOWN, out);
    }
    print_names(&s, "Named by --levels, but the same at every fidelity", result->no_levels, 0,
                why_no_levels);
    print_names(&s, "In no file of recordio/", result->not_in_recordio, 0, why_not_in_recordio);
    return error;
}

static void json_names(struct lod_json *json, const char *key, const struct lod_source_list *list,
                       reason_of reason)
{
    lod_json_array(json, key);
    for (size_t i = 0; i < list->count; i++) {
        const char *why = reason(&list->at[i]);
        if (why) {
            lod_json_object(json, NULL);
            lod_json_text(json, "path", list->at[i].path);
            lod_json_text(json, "why", why);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
}

void lod_summary_json(const struct lod_pack_options *options, const struct lod_pack_result *result,
                      double seconds, FILE *out)
{
    static const struct lod_source_list none = {0};
    struct lod_json json = {.out.file = out};
    struct lod_fact facts[FACTS_MAX];

    lod_json_object(&json, NULL);
    lod_json_text(&json, "source", options->source);
    lod_json_text(&json, "store", options->store);
    lod_json_bool(&json, "dry_run", options->dry_run);
    lod_json_number(&json, "seconds", seconds);
    lod_facts_json(facts, make_facts(result, facts), &json);
    lod_store_totals_json(&result->totals, &json);
    json_names(&json, "whole", &result->list, why_whole);
    json_names(&json, "left_out", &result->list, why_left_out);
    lod_level_folders_json(result->levels ? &result->list : &none, &json);
    json_names(&json, "no_levels", &result->list, why_no_levels);
    json_names(&json, "not_in_recordio", &result->list, why_not_in_recordio);
    lod_json_value(&json, "scans", result->scans);
    lod_json_end(&json);
}
