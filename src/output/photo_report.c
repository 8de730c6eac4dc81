/* SPDX-License-Identifier: Apache-2.0 */
/* See photo_report.h. Some items keep their source with --full=scans too, so the majority decides
 * which kind of store it is. */
#include "output/photo_report.h"

#include <string.h>

#include "codec.h"
#include "pack/pack.h"
#include "terminal/report.h"

enum kind { NONE, SOURCES, SCANS };

static enum kind kind_of(const struct lod_store_totals_codec *jpegs)
{
    uint64_t grouped = jpegs->items - jpegs->whole;

    return grouped == 0 ? NONE : 2 * jpegs->kept > grouped ? SOURCES : SCANS;
}

/* Prints how many photographs of --full=scans contain their source file, since it could not be
 * rebuilt from the scans. */
static void print_kept(const struct lod_store_totals_codec *jpegs, FILE *out)
{
    char text[LOD_REPORT_TEXT];

    if (jpegs->kept) {
        fprintf(out,
                "%s of them cannot be rebuilt within the limits (large photographs): the file\n"
                "itself is stored beside the groups up to q5, and shown above.\n",
                lod_report_count(jpegs->kept, text));
    }
}

void lod_photo_report_kind(const struct lod_store_totals *totals, const char *full, FILE *out)
{
    const struct lod_store_totals_codec *jpegs = &totals->codecs[LOD_CODEC_PCR];
    const enum kind kind = kind_of(jpegs);

    switch (kind != NONE && full && strcmp(full, "scans") == 0 ? SCANS : kind) {
    case SOURCES:
        fputs("JPEGs are stored as source files beside scan groups (--full=source): full/ and\n"
              "original/ are the source files, and decode as fast. This suits training at full\n"
              "one day and at a lower fidelity the next.\n",
              out);
        break;
    case SCANS:
        fputs("JPEGs are stored as scan groups only (--full=scans), the smallest store: full/\n"
              "takes several times as long to decode as the source, original/ is rebuilt when\n"
              "it is read. This suits archives, and training at lower fidelities.\n",
              out);
        print_kept(jpegs, out);
        break;
    case NONE:
        break;
    }
}

/* Returns the bytes of scan groups and rebuild data, as a share of the source's, measured on the
 * sample. */
static double scans_share(const cJSON *scans)
{
    const cJSON *share = cJSON_GetObjectItemCaseSensitive(scans, "scans_share");

    return cJSON_IsNumber(share) ? share->valuedouble : 0;
}

void lod_photo_report_other(const struct lod_store_totals *totals, const cJSON *scans,
                            uint64_t store_bytes, FILE *out)
{
    const struct lod_store_totals_codec *jpegs = &totals->codecs[LOD_CODEC_PCR];
    const double rest = (double)store_bytes - (double)jpegs->stored_bytes;
    char text[LOD_REPORT_TEXT];

    switch (kind_of(jpegs)) {
    case SOURCES:
        if (scans_share(scans) > 0) {
            double bytes = rest + scans_share(scans) * (double)jpegs->source_bytes;
            fprintf(out, "With --full=scans it would have about %s; full/ would decode slower.\n",
                    lod_report_bytes((uint64_t)bytes, text));
        }
        break;
    case SCANS: {
        double bytes = rest + (double)jpegs->source_bytes + (double)jpegs->fidelity[LOD_PACK_TOP];
        fprintf(out, "With --full=source it would have about %s; full/ would decode faster.\n",
                lod_report_bytes((uint64_t)bytes, text));
        break;
    }
    case NONE:
        break;
    }
}
