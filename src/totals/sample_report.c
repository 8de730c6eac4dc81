/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the samples of a store; see sample_totals.h. */

#include "framing/framing.h"
#include "terminal/report.h"
#include "totals/sample_totals.h"

static const struct {
    const char *key, *one, *many;
} reasons[LOD_LEFT_OUTS] = {
    [LOD_LEFT_ALONE] = {"no_picture", "file belongs to no picture", "files belong to no picture"},
    [LOD_LEFT_EQUAL] = {"equal", "file is equal to another one", "files are equal to other ones"},
    [LOD_LEFT_SPLIT] = {"no_split", "picture is in no split", "pictures are in no split"},
    [LOD_LEFT_LARGE] = {"too_large", "picture has 2 GiB or more", "pictures have 2 GiB or more"},
};

static void print_folders(FILE *out)
{
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        const char *joint = i == 0 ? "" : i + 1 < LOD_FRAMINGS ? ", " : " and ";
        fprintf(out, "%s%s/", joint, lod_framing_at(i)->folder);
    }
}

static int print_splits(const struct lod_sample_totals *totals, FILE *out)
{
    struct lod_table table = {.align = "lrr"};
    char samples[LOD_REPORT_TEXT], classes[LOD_REPORT_TEXT], name[4 * LOD_NAME_MAX + 1];

    lod_table_add(&table, "split\tsamples\tclasses");
    for (size_t i = 0; i < totals->splits.count; i++) {
        const struct lod_split_total *split = &totals->splits.at[i];
        lod_format(name, sizeof(name), "%pE", split->name);
        lod_table_add(&table, "%s\t%s\t%s", name, lod_report_count(split->samples, samples),
                      lod_report_count(split->classes, classes));
    }
    return lod_table_print(&table, out);
}

/* Prints the paths of one reason. */
static int print_files(const struct lod_sample_totals *totals, struct lod_index *index,
                       enum lod_left_out why, FILE *out)
{
    char path[LOD_PATH_MAX + 1];
    int error = 0;

    for (size_t i = 0; !error && i < totals->files.count; i++) {
        if (totals->files.at[i].why != why) {
            continue;
        }
        error = lod_index_node_path(index, totals->files.at[i].node, path);
        if (!error) {
            lod_print(out, "    %pE\n", path);
        }
    }
    return error;
}

static int print_left_out(const struct lod_sample_totals *totals, struct lod_index *index,
                          FILE *out)
{
    char text[LOD_REPORT_TEXT];
    int error = 0;

    for (unsigned i = 0; !error && i < LOD_LEFT_OUTS; i++) {
        const uint64_t count = totals->left_out[i];
        if (count) {
            fprintf(out, "  not in them: %s %s\n", lod_report_count(count, text),
                    lod_report_plural(count, reasons[i].one, reasons[i].many));
            error = print_files(totals, index, (enum lod_left_out)i, out);
        }
    }
    return error;
}

static void print_refused(const struct lod_sample_totals *totals, FILE *out)
{
    char text[LOD_REPORT_TEXT];

    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        const struct lod_framing *framing = lod_framing_at(i);
        const uint64_t count = totals->refused[i];
        if (count && framing->refuses) {
            fprintf(out, "  not in %s/: %s %s with %s\n", framing->folder,
                    lod_report_count(count, text), lod_report_plural(count, "sample", "samples"),
                    framing->refuses);
        }
    }
}

int lod_sample_totals_print(const struct lod_sample_totals *totals, struct lod_index *index,
                            FILE *out)
{
    char text[LOD_REPORT_TEXT];
    int error = 0;

    fputs("\nSamples in the files of ", out);
    print_folders(out);
    fprintf(out, ": %s\n", totals->samples ? lod_report_count(totals->samples, text) : "none");
    if (totals->samples) {
        error = print_splits(totals, out);
    }
    if (totals->members) {
        fprintf(out, "  beside their pictures they have %s more %s\n",
                lod_report_count(totals->members, text),
                lod_report_plural(totals->members, "file", "files"));
    }
    if (totals->own_labels) {
        fprintf(out, "  with labels of a list or of containers: %s\n",
                lod_report_count(totals->own_labels, text));
    }
    if (totals->unlabelled) {
        fprintf(out, "  without a label%s: %s\n",
                totals->own_labels ? "" : ", since they are in no folder of a class",
                lod_report_count(totals->unlabelled, text));
    }
    print_refused(totals, out);
    return error ? error : print_left_out(totals, index, out);
}

/* ---------------------------------------------------------------------------------- JSON */

static int json_files(const struct lod_sample_totals *totals, struct lod_index *index,
                      struct lod_json *json)
{
    char path[LOD_PATH_MAX + 1];
    int error = 0;

    lod_json_array(json, "left_out");
    for (size_t i = 0; !error && i < totals->files.count; i++) {
        error = lod_index_node_path(index, totals->files.at[i].node, path);
        if (!error) {
            lod_json_object(json, NULL);
            lod_json_text(json, "path", path);
            lod_json_text(json, "why", reasons[totals->files.at[i].why].key);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
    return error;
}

static void json_splits(const struct lod_sample_totals *totals, struct lod_json *json)
{
    lod_json_array(json, "splits");
    for (size_t i = 0; i < totals->splits.count; i++) {
        lod_json_object(json, NULL);
        lod_json_text(json, "name", totals->splits.at[i].name);
        lod_json_number(json, "samples", (double)totals->splits.at[i].samples);
        lod_json_number(json, "classes", (double)totals->splits.at[i].classes);
        lod_json_end(json);
    }
    lod_json_end(json);
}

int lod_sample_totals_json(const struct lod_sample_totals *totals, struct lod_index *index,
                           struct lod_json *json)
{
    lod_json_object(json, "samples");
    lod_json_array(json, "formats");
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        lod_json_text(json, NULL, lod_framing_at(i)->folder);
    }
    lod_json_end(json);
    lod_json_number(json, "samples", (double)totals->samples);
    lod_json_number(json, "members", (double)totals->members);
    lod_json_number(json, "unlabelled", (double)totals->unlabelled);
    lod_json_number(json, "own_labels", (double)totals->own_labels);
    json_splits(totals, json);
    lod_json_object(json, "not_in");
    for (unsigned i = 0; i < LOD_FRAMINGS; i++) {
        lod_json_number(json, lod_framing_at(i)->folder, (double)totals->refused[i]);
    }
    lod_json_end(json);
    lod_json_object(json, "in_no_format");
    for (unsigned i = 0; i < LOD_LEFT_OUTS; i++) {
        lod_json_number(json, reasons[i].key, (double)totals->left_out[i]);
    }
    lod_json_end(json);
    int error = json_files(totals, index, json);
    lod_json_end(json);
    return error;
}
