/* SPDX-License-Identifier: Apache-2.0 */
/* See pack_describe.h. Lists of patterns can be long: the journal has the first one and a hash. */
#include "pack/pack_describe.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hash.h"
#include "raw_units_write.h"
#include "text.h"

#define SHOWN      256 /* bytes of an argument that are printed */
#define GLOB_BYTES 4096

/* ---------------------------------------------------------------------------- the manifest */

/* Adds the patterns as an array `name`, unless there are none. */
static int globs_json(const char *name, const struct lod_option_list *globs, cJSON *into)
{
    char text[4 * GLOB_BYTES + 1];
    cJSON *array = globs->count ? cJSON_AddArrayToObject(into, name) : NULL;
    bool good = array || !globs->count;

    for (unsigned i = 0; good && i < globs->count; i++) {
        lod_escape(globs->at[i], strlen(globs->at[i]), text, sizeof(text));
        good = cJSON_AddItemToArray(array, cJSON_CreateString(text));
    }
    return good ? 0 : -ENOMEM;
}

static int tables_json(const struct lod_tables_options *options, cJSON *into)
{
    const struct lod_table_options *cut = &options->text.cut;
    const bool added =
        globs_json("tables", &options->globs, into) == 0 &&
        (!options->text.one_hot || cJSON_AddTrueToObject(into, "one_hot")) &&
        (!cut->batch_rows || cJSON_AddNumberToObject(into, "batch_rows", cut->batch_rows)) &&
        (!cut->shard_rows || cJSON_AddNumberToObject(into, "shard_rows", cut->shard_rows));

    return added ? 0 : -ENOMEM;
}

/* Numbers in JSON are doubles, so seeds are limited to 53 bits. */
cJSON *lod_pack_describe(const struct lod_pack_options *options, uint64_t record_bytes)
{
    const char *top = options->top ? lod_fidelity_name((enum lod_fidelity)options->top) : "q10";
    cJSON *json = cJSON_CreateObject();

    if (json &&
        (!cJSON_AddStringToObject(json, "order", options->order.by_path ? "path" : "shuffle") ||
         !cJSON_AddNumberToObject(json, "seed", (double)options->order.seed) ||
         !cJSON_AddNumberToObject(json, "record_size", (double)record_bytes) ||
         !cJSON_AddStringToObject(json, "scans", options->scans_name) ||
         !cJSON_AddStringToObject(json, "full", options->top ? "source" : "scans") ||
         !cJSON_AddStringToObject(json, "top", top) ||
         !cJSON_AddStringToObject(json, "l3", options->l3_name) ||
         !cJSON_AddStringToObject(json, "raw", options->raw_plain ? "plain" : "zstd") ||
         !cJSON_AddStringToObject(json, "original", options->keep ? "all" : "auto") ||
         !cJSON_AddStringToObject(json, "symlinks", options->follow ? "follow" : "keep") ||
         (options->from && !cJSON_AddStringToObject(json, "from", options->from->name)) ||
         (options->labels && !cJSON_AddStringToObject(json, "labels", "file")) ||
         (options->splits.text &&
          !cJSON_AddStringToObject(json, "splits", options->splits.count ? "named" : "none")))) {
        cJSON_Delete(json);
        json = NULL;
    }
    if (json &&
        (tables_json(&options->tables, json) || globs_json("levels", &options->levels, json))) {
        cJSON_Delete(json);
        json = NULL;
    }
    return json;
}

/* ----------------------------------------------------------------------------- the journal */

static void globs_line(struct lod_out *out, const char *name, const struct lod_option_list *globs)
{
    char shown[SHOWN + 1];
    uint64_t hash = 0;

    for (unsigned i = 0; i < globs->count; i++) {
        hash = lod_hash64(globs->at[i], strlen(globs->at[i]) + 1, hash);
    }
    if (globs->count) {
        lod_format(shown, sizeof(shown), "%pE", globs->at[0]);
        lod_out_print(out, "--%s=%s (%u of hash %016" PRIx64 ")\n", name, shown, globs->count,
                      hash);
    }
}

static void tables_lines(struct lod_out *out, const struct lod_tables_options *options)
{
    const struct lod_table_options *cut = &options->text.cut;

    globs_line(out, "tables", &options->globs);
    lod_out_print(out, "%s", options->text.one_hot ? "--one-hot\n" : "");
    if (cut->batch_rows) {
        lod_out_print(out, "--batch-rows=%" PRIu32 "\n", cut->batch_rows);
    }
    if (cut->shard_rows) {
        lod_out_print(out, "--shard-rows=%" PRIu32 "\n", cut->shard_rows);
    }
}

static void contents_of(struct lod_out *out, const void *text, size_t bytes)
{
    lod_out_print(out, " of contents %016" PRIx64, lod_hash64(text, bytes, 0));
}

static void scans_line(struct lod_out *out, const struct lod_pack_options *options)
{
    char script[LOD_SCRIPT_TEXT_MAX];

    lod_out_print(out, "--scans=%s", options->scans_name);
    if (strcmp(options->scans_name, "file") == 0) {
        lod_script_print(options->scans, script, sizeof(script));
        contents_of(out, script, strlen(script));
    }
    lod_out_print(out, "\n--full=%s%s%s\n", options->top ? "source" : "scans",
                  options->top ? " --top=" : "",
                  options->top ? lod_fidelity_name((enum lod_fidelity)options->top) : "");
}

static void source_lines(struct lod_out *out, const struct lod_pack_options *options,
                         struct lod_span labels)
{
    char shown[SHOWN + 1];

    if (options->from) {
        lod_out_print(out, "--from=%s%s%.255s\n", options->from->name,
                      options->key ? " --key=" : "", options->key ? options->key : "");
    }
    if (options->splits.text) {
        lod_format(shown, sizeof(shown), "%pE", options->splits.text);
        lod_out_print(out, "--splits=%s of hash %016" PRIx64 "\n", shown,
                      lod_hash64(options->splits.text, strlen(options->splits.text), 0));
    }
    if (labels.at) {
        lod_out_print(out, "--labels");
        contents_of(out, labels.at, labels.bytes);
        lod_out_print(out, "\n");
    }
}

void lod_pack_lines(const struct lod_pack_options *options, struct lod_span labels,
                    char text[LOD_JOURNAL_OPTIONS_MAX + 1])
{
    struct lod_out out = {.text = text, .room = LOD_JOURNAL_OPTIONS_MAX + 1};

    lod_out_print(&out, "lodfs " LODFS_VERSION "\n--order=%s\n--seed=%" PRIu64 "\n--record-size=",
                  options->order.by_path ? "path" : "shuffle", options->order.seed);
    if (options->order.record_bytes) {
        lod_out_print(&out, "%" PRIu64 "\n", options->order.record_bytes);
    } else {
        lod_out_print(&out, "auto\n");
    }
    scans_line(&out, options);
    lod_out_print(&out, "--l3=%s\n--raw=%s%s\n--original=%s\n--symlinks=%s\n", options->l3_name,
                  options->raw_plain ? "plain" : "zstd of libzstd ",
                  options->raw_plain ? "" : lod_raw_units_version(), options->keep ? "all" : "auto",
                  options->follow ? "follow" : "keep");
    source_lines(&out, options, labels);
    tables_lines(&out, &options->tables);
    globs_line(&out, "levels", &options->levels);
}

static void hash_list(const struct lod_option_list *list, char sign, uint64_t *hash)
{
    for (unsigned i = 0; i < list->count; i++) {
        *hash = lod_hash64(&sign, 1, *hash);
        *hash = lod_hash64(list->at[i], strlen(list->at[i]), *hash);
    }
}

void lod_pack_filter_line(const struct lod_filter *filter, char text[LOD_JOURNAL_OPTIONS_MAX + 1])
{
    const char *first = filter->exclude.count   ? filter->exclude.at[0]
                        : filter->include.count ? filter->include.at[0]
                                                : "FILE";
    const size_t count = filter->exclude.count + filter->include.count + filter->lines.count;
    const size_t used = strlen(text);
    uint64_t hash = 0;

    hash_list(&filter->exclude, '-', &hash);
    hash_list(&filter->include, '+', &hash);
    for (size_t i = 0; i < filter->lines.count; i++) {
        hash = lod_hash64(filter->lines.at[i], strlen(filter->lines.at[i]) + 1, hash);
    }
    if (count) {
        lod_format(text + used, LOD_JOURNAL_OPTIONS_MAX + 1 - used,
                   "--%s=%.256s (%zu patterns of hash %016" PRIx64 ")\n",
                   filter->exclude.count   ? "exclude"
                   : filter->include.count ? "include"
                                           : "exclude-from",
                   first, count, hash);
    }
}
