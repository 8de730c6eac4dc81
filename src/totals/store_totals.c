/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over items; see store_totals.h. */
#include "totals/store_totals.h"

#include <stddef.h>

#include "l3/container/l3_row.h"
#include "terminal/report.h"

static void add_codec(struct lod_store_totals_codec *sums,
                      const struct lod_store_totals_codec *item)
{
    sums->items += item->items;
    sums->files += item->files;
    sums->source_bytes += item->source_bytes;
    sums->stored_bytes += item->stored_bytes;
    sums->whole += item->whole;
    sums->kept += item->kept;
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        sums->fidelity[f] += item->fidelity[f];
    }
}

static int add_fidelities(struct lod_store_totals *totals, const struct lod_codec *codec,
                          const uint8_t row[LOD_ROW_BYTES], const uint64_t segments[LOD_GROUPS_MAX],
                          uint64_t names, struct lod_store_totals_codec *item)
{
    uint64_t source_bytes = codec->source_bytes(row), least = 0;
    uint64_t bytes = 0;

    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        int error = lod_codec_read_bytes(codec, row, segments, (enum lod_fidelity)f, &bytes);
        if (error) {
            return error;
        }
        totals->fidelity[f] += names * bytes;
        item->fidelity[f] = bytes;
        least = f == LOD_Q1 ? bytes : least;
        if (f == LOD_FULL && least >= bytes) {
            totals->unshrinkable_bytes += names * source_bytes;
        }
    }
    totals->shown_bytes += names * source_bytes;
    totals->no_original += (lod_row_flags(row) & LOD_ITEM_NO_ORIGINAL) ? names : 0;
    return 0;
}

/* Adds the bytes of a shard from which its table is decoded. A shard beside a table that is stored
 * itself adds nothing. */
static void add_shard(struct lod_store_totals *totals, const uint64_t segments[LOD_GROUPS_MAX])
{
    if (totals->shards_ahead == 0) {
        return;
    }
    totals->shards_ahead--;
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
            totals->fidelity[f] += segments[i];
        }
    }
}

/* Groups 1 .. 7 of a lossless image are its lower fidelities. */
static void add_levels(struct lod_store_totals *totals, const uint64_t segments[LOD_GROUPS_MAX])
{
    totals->levels += segments[0] != 0;
    for (unsigned i = 0; segments[0] && i < LOD_GROUPS_MAX; i++) {
        totals->level_bytes += i < LOD_L3_LEVELS ? segments[i] : 0;
        totals->levels_bytes_all += segments[i];
    }
}

int lod_store_totals_add(struct lod_store_totals *totals, const struct lod_codec *codec,
                         const uint8_t row[LOD_ROW_BYTES], uint64_t names)
{
    struct lod_store_totals_codec item = {.items = 1,
                                          .files = names,
                                          .source_bytes = codec->source_bytes(row),
                                          .whole = (lod_row_flags(row) & LOD_ITEM_WHOLE) != 0,
                                          .kept = (lod_row_flags(row) & LOD_ITEM_KEPT) != 0};
    uint64_t segments[LOD_GROUPS_MAX];
    int error = lod_codec_segments(codec, row, segments);

    if (!error && (lod_row_flags(row) & LOD_ITEM_SHARD)) {
        add_shard(totals, segments);
    } else if (!error) {
        error = add_fidelities(totals, codec, row, segments, names, &item);
        if (!error && codec->maker && codec->maker->ahead) {
            totals->shards_ahead = codec->maker->ahead(row);
        }
    }
    for (unsigned i = 0; !error && i < LOD_GROUPS_MAX; i++) {
        item.stored_bytes += segments[i];
    }
    if (!error) {
        if (codec->id == LOD_CODEC_L3) {
            add_levels(totals, segments);
        }
        add_codec(&totals->codecs[codec->id], &item);
        add_codec(&totals->all, &item);
    }
    return error;
}

/* The columns of the table of codecs, in text and in JSON. */
static const struct column {
    const char *key, *heading; /* no heading: in JSON only */
    size_t at;
    char *(*show)(uint64_t value, char text[LOD_REPORT_TEXT]);
} columns[] = {
    {"files", "files", offsetof(struct lod_store_totals_codec, files), lod_report_count},
    {"items", "items", offsetof(struct lod_store_totals_codec, items), lod_report_count},
    {"source_bytes", "source", offsetof(struct lod_store_totals_codec, source_bytes),
     lod_report_bytes},
    {"stored_bytes", "stored", offsetof(struct lod_store_totals_codec, stored_bytes),
     lod_report_bytes},
    {"whole", "whole", offsetof(struct lod_store_totals_codec, whole), lod_report_count},
    {"kept", NULL, offsetof(struct lod_store_totals_codec, kept), lod_report_count},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
/* Without `whole` and `kept`, which only single codecs have. */
#define COLUMNS_OF_ALL (COLUMNS - 2)

static uint64_t value_of(const struct lod_store_totals_codec *sums, const struct column *column)
{
    return *(const uint64_t *)(const void *)((const char *)sums + column->at);
}

static void add_row(struct lod_table *table, const char *name,
                    const struct lod_store_totals_codec *sums)
{
    char text[LOD_REPORT_TEXT], row[(COLUMNS + 2) * LOD_REPORT_TEXT];
    struct lod_out out = {.text = row, .room = sizeof(row)};

    lod_out_print(&out, "%s", name);
    for (size_t i = 0; i < COLUMNS && columns[i].heading; i++) {
        lod_out_print(&out, "\t%s",
                      sums ? columns[i].show(value_of(sums, &columns[i]), text)
                           : columns[i].heading);
    }
    lod_out_print(&out, "\t%s",
                  sums ? lod_report_share(sums->stored_bytes, sums->source_bytes, text)
                       : "of source");
    lod_table_add(table, "%s", row);
}

int lod_store_totals_print_codecs(const struct lod_store_totals *totals, FILE *out)
{
    struct lod_table table = {.align = "lrrrrrr"};
    unsigned used = 0;

    add_row(&table, "codec", NULL);
    for (unsigned id = 0; id < LOD_CODECS; id++) {
        if (totals->codecs[id].items) {
            add_row(&table, lod_codec_find(id)->name, &totals->codecs[id]);
            used++;
        }
    }
    if (used != 1) {
        add_row(&table, "all", &totals->all);
    }
    return lod_table_print(&table, out);
}

bool lod_store_totals_mostly_lossless(const struct lod_store_totals *totals)
{
    return 2 * totals->codecs[LOD_CODEC_L3].source_bytes > totals->all.source_bytes;
}

void lod_store_totals_print_levels(const struct lod_store_totals *totals, FILE *out)
{
    char count[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT], share[LOD_REPORT_TEXT];

    if (totals->levels) {
        fprintf(out, "%s lossless %s lower fidelities (--levels), which add %s, %s to %s bytes.\n",
                lod_report_count(totals->levels, count),
                lod_report_plural(totals->levels, "image has", "images have"),
                lod_report_bytes(totals->level_bytes, bytes),
                lod_report_share(totals->level_bytes,
                                 totals->levels_bytes_all - totals->level_bytes, share),
                lod_report_plural(totals->levels, "its", "their"));
    }
}

void lod_store_totals_print_same(const struct lod_store_totals *totals, FILE *out)
{
    char share[LOD_REPORT_TEXT];

    if (totals->all.files == 0) {
        fputs("There are no files in it.\n", out);
        return;
    }
    if (totals->unshrinkable_bytes == 0) {
        fputs("Every file is smaller at lower fidelities.\n", out);
        return;
    }
    fprintf(out,
            "%s of the bytes are the same at every fidelity: lossless images, tables,\n"
            "and other files.\n",
            lod_report_share(totals->unshrinkable_bytes, totals->shown_bytes, share));
}

static void json_sums(struct lod_json *json, const struct lod_store_totals_codec *sums,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lod_json_number(json, columns[i].key, (double)value_of(sums, &columns[i]));
    }
}

void lod_store_totals_json(const struct lod_store_totals *totals, struct lod_json *json)
{
    const struct lod_fact facts[] = {
        {"shown_bytes", NULL, NULL, totals->shown_bytes},
        {"unshrinkable_bytes", NULL, NULL, totals->unshrinkable_bytes},
        {"levels", NULL, NULL, totals->levels},
        {"level_bytes", NULL, NULL, totals->level_bytes},
        {"no_original", NULL, NULL, totals->no_original},
    };

    json_sums(json, &totals->all, COLUMNS_OF_ALL);
    lod_facts_json(facts, sizeof(facts) / sizeof(facts[0]), json);
    lod_json_array(json, "codecs");
    for (unsigned id = 0; id < LOD_CODECS; id++) {
        if (totals->codecs[id].items) {
            lod_json_object(json, NULL);
            lod_json_text(json, "codec", lod_codec_find(id)->name);
            json_sums(json, &totals->codecs[id], COLUMNS);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
    lod_json_object(json, "fidelity_bytes");
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        lod_json_number(json, lod_fidelity_name((enum lod_fidelity)f), (double)totals->fidelity[f]);
    }
    lod_json_end(json);
}
