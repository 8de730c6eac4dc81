/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of a plan and of a part; see part_report.h. */
#include "output/part_report.h"

#include <inttypes.h>

#include "terminal/report.h"

static void print_plan(const struct lod_pack_options *options, const struct lod_pack_result *result,
                       double seconds, FILE *out)
{
    char files[LOD_REPORT_TEXT], records[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];

    lod_print(out, "Planned %pE into %pE in %.1f s: %s %s in %s %s; the plan has %s.\n",
              options->source, options->store, seconds,
              lod_report_count(result->totals.all.files, files),
              lod_report_plural(result->totals.all.files, "file", "files"),
              lod_report_count(result->records, records),
              lod_report_plural(result->records, "record", "records"),
              lod_report_bytes(result->plan_bytes, bytes));
    fputs("Now pack --part=K/N for each K of 1 to N, then pack without either, all with the same "
          "options.\n",
          out);
}

void lod_part_report_print(const struct lod_pack_options *options,
                           const struct lod_pack_result *result, double seconds, FILE *out)
{
    char records[LOD_REPORT_TEXT], kept[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];

    if (options->plan) {
        print_plan(options, result, seconds, out);
        return;
    }
    lod_print(out,
              "Part %" PRIu32 " of %" PRIu32 " of %pE in %.1f s: %s %s of %s, %s of them kept.\n",
              options->part.number, options->part.count, options->store, seconds,
              lod_report_count(result->records, records),
              lod_report_plural(result->records, "record", "records"),
              lod_report_bytes(result->store_bytes, bytes), lod_report_count(result->kept, kept));
}

void lod_part_report_json(const struct lod_pack_options *options,
                          const struct lod_pack_result *result, double seconds, FILE *out)
{
    struct lod_json json = {.out.file = out};
    const struct lod_fact plan[] = {
        {"files", NULL, NULL, result->totals.all.files},
        {"records", NULL, NULL, result->records},
        {"plan_bytes", NULL, NULL, result->plan_bytes},
    };
    const struct lod_fact part[] = {
        {"part", NULL, NULL, options->part.number}, {"parts", NULL, NULL, options->part.count},
        {"records", NULL, NULL, result->records},   {"kept_records", NULL, NULL, result->kept},
        {"bytes", NULL, NULL, result->store_bytes},
    };

    lod_json_object(&json, NULL);
    lod_json_text(&json, "source", options->source);
    lod_json_text(&json, "store", options->store);
    lod_json_number(&json, "seconds", seconds);
    lod_facts_json(options->plan ? plan : part,
                   options->plan ? sizeof(plan) / sizeof(plan[0]) : sizeof(part) / sizeof(part[0]),
                   &json);
    lod_json_end(&json);
}
