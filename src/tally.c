/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over items; see tally.h. */
#include "tally.h"

#include <errno.h>
#include <stdbool.h>

#include "report.h"

static void add_codec(struct lod_tally_codec *sums, const struct lod_tally_codec *item)
{
    sums->items += item->items;
    sums->files += item->files;
    sums->source_bytes += item->source_bytes;
    sums->stored_bytes += item->stored_bytes;
    sums->whole += item->whole;
}

/*
 * What a store is read for to show the file: of one that is made, the item's groups, the last of
 * which is for original/ alone.
 */
static uint64_t bytes_read(const struct lod_plan *plan, const uint64_t segments[LOD_GROUPS_MAX])
{
    uint64_t bytes = 0;
    bool made = false;

    for (unsigned i = 0; i < plan->count; i++) {
        made |= plan->pieces[i].kind == LOD_PIECE_MADE;
    }
    for (unsigned i = 0; i < LOD_GROUPS_MAX - 1; i++) {
        bytes += segments[i];
    }
    return made ? bytes : plan->bytes;
}

static int add_fidelities(struct lod_tally *tally, const struct lod_codec *codec,
                          const uint8_t row[LOD_ROW_BYTES], const uint64_t segments[LOD_GROUPS_MAX],
                          uint64_t names)
{
    uint64_t source_bytes = codec->source_bytes(row), least = 0;
    struct lod_plan plan;

    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        int error = lod_codec_plan(codec, row, LOD_FORMAT_TREE, (enum lod_fidelity)f, &plan);
        if (error) {
            return error;
        }
        const uint64_t bytes = bytes_read(&plan, segments);
        tally->fidelity[f] += names * bytes;
        least = f == LOD_Q1 ? bytes : least;
        if (f == LOD_FULL && least >= bytes) {
            tally->unshrinkable_bytes += names * source_bytes;
        }
    }
    tally->shown_bytes += names * source_bytes;
    tally->no_original += (lod_row_flags(row) & LOD_ITEM_NO_ORIGINAL) ? names : 0;
    return 0;
}

/* Read to make its table; one that stands beside a table which is stored itself is not. */
static void add_shard(struct lod_tally *tally, const uint64_t segments[LOD_GROUPS_MAX])
{
    if (tally->shards_ahead == 0) {
        return;
    }
    tally->shards_ahead--;
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
            tally->fidelity[f] += segments[i];
        }
    }
}

int lod_tally_add(struct lod_tally *tally, const struct lod_codec *codec,
                  const uint8_t row[LOD_ROW_BYTES], uint64_t names)
{
    struct lod_tally_codec item = {.items = 1,
                                   .files = names,
                                   .source_bytes = codec->source_bytes(row),
                                   .whole = (lod_row_flags(row) & LOD_ITEM_WHOLE) != 0};
    uint64_t segments[LOD_GROUPS_MAX];
    int error = lod_codec_segments(codec, row, segments);

    if (!error && (lod_row_flags(row) & LOD_ITEM_SHARD)) {
        add_shard(tally, segments);
    } else if (!error) {
        error = add_fidelities(tally, codec, row, segments, names);
        if (!error && codec->maker && codec->maker->ahead) {
            tally->shards_ahead = codec->maker->ahead(row);
        }
    }
    for (unsigned i = 0; !error && i < LOD_GROUPS_MAX; i++) {
        item.stored_bytes += segments[i];
    }
    if (!error) {
        add_codec(&tally->codecs[codec->id], &item);
        add_codec(&tally->all, &item);
    }
    return error;
}

static void print_codec(struct lod_table *table, const char *name,
                        const struct lod_tally_codec *sums)
{
    char files[LOD_REPORT_TEXT], items[LOD_REPORT_TEXT], in[LOD_REPORT_TEXT], out[LOD_REPORT_TEXT],
        share[LOD_REPORT_TEXT], whole[LOD_REPORT_TEXT];

    lod_table_add(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s", name, lod_report_count(sums->files, files),
                  lod_report_count(sums->items, items), lod_report_bytes(sums->source_bytes, in),
                  lod_report_bytes(sums->stored_bytes, out),
                  lod_report_share(sums->stored_bytes, sums->source_bytes, share),
                  lod_report_count(sums->whole, whole));
}

int lod_tally_print_codecs(const struct lod_tally *tally, FILE *out)
{
    struct lod_table table = {.align = "lrrrrrr"};
    unsigned used = 0;

    lod_table_add(&table, "codec\tfiles\titems\tsource\tstored\tof source\twhole");
    for (unsigned id = 0; id < LOD_CODECS; id++) {
        if (tally->codecs[id].items) {
            print_codec(&table, lod_codec_find(id)->name, &tally->codecs[id]);
            used++;
        }
    }
    if (used != 1) {
        print_codec(&table, "all", &tally->all);
    }
    return lod_table_print(&table, out);
}

void lod_tally_print_same(const struct lod_tally *tally, FILE *out)
{
    char share[LOD_REPORT_TEXT];

    if (tally->unshrinkable_bytes == 0) {
        fputs("Every file is smaller at lower fidelities.\n", out);
        return;
    }
    fprintf(out,
            "%s of the bytes are the same at every fidelity: lossless images, tables,\n"
            "files stored as they are.\n",
            lod_report_share(tally->unshrinkable_bytes, tally->shown_bytes, share));
}

static int json_codec(cJSON *array, const char *name, const struct lod_tally_codec *sums)
{
    cJSON *codec = cJSON_CreateObject();

    if (!codec || !cJSON_AddItemToArray(array, codec)) {
        cJSON_Delete(codec);
        return -ENOMEM;
    }
    return cJSON_AddStringToObject(codec, "codec", name) &&
                   cJSON_AddNumberToObject(codec, "items", (double)sums->items) &&
                   cJSON_AddNumberToObject(codec, "files", (double)sums->files) &&
                   cJSON_AddNumberToObject(codec, "source_bytes", (double)sums->source_bytes) &&
                   cJSON_AddNumberToObject(codec, "stored_bytes", (double)sums->stored_bytes) &&
                   cJSON_AddNumberToObject(codec, "whole", (double)sums->whole)
               ? 0
               : -ENOMEM;
}

int lod_tally_json(const struct lod_tally *tally, cJSON *into)
{
    cJSON *codecs = cJSON_AddArrayToObject(into, "codecs");
    cJSON *fidelities = cJSON_AddObjectToObject(into, "fidelity_bytes");
    int error = codecs && fidelities ? 0 : -ENOMEM;

    for (unsigned id = 0; !error && id < LOD_CODECS; id++) {
        if (tally->codecs[id].items) {
            error = json_codec(codecs, lod_codec_find(id)->name, &tally->codecs[id]);
        }
    }
    for (unsigned f = LOD_Q1; !error && f <= LOD_FULL; f++) {
        const char *name = lod_fidelity_name((enum lod_fidelity)f);
        bool added = cJSON_AddNumberToObject(fidelities, name, (double)tally->fidelity[f]);
        error = added ? 0 : -ENOMEM;
    }
    if (error) {
        return error;
    }
    return cJSON_AddNumberToObject(into, "items", (double)tally->all.items) &&
                   cJSON_AddNumberToObject(into, "files", (double)tally->all.files) &&
                   cJSON_AddNumberToObject(into, "source_bytes", (double)tally->all.source_bytes) &&
                   cJSON_AddNumberToObject(into, "stored_bytes", (double)tally->all.stored_bytes) &&
                   cJSON_AddNumberToObject(into, "shown_bytes", (double)tally->shown_bytes) &&
                   cJSON_AddNumberToObject(into, "unshrinkable_bytes",
                                           (double)tally->unshrinkable_bytes) &&
                   cJSON_AddNumberToObject(into, "no_original", (double)tally->no_original)
               ? 0
               : -ENOMEM;
}
