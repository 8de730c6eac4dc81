/* SPDX-License-Identifier: Apache-2.0 */
/* The commit of a plan: the message that names missing records by their parts; see pack_run.h. */
#include "pack/pack_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "pack/record/write.h"
#include "pack/target/stale_files.h"
#include "text.h"

#define RANGES_SHOWN 20
#define RANGES_TEXT  1024

/* Prints the numbers whose bits are set, counted from 1, as "3, 5-7". */
static void print_ranges(const bool *set, uint32_t count, char text[RANGES_TEXT])
{
    size_t at = 0;
    unsigned shown = 0;

    text[0] = '\0';
    for (uint32_t i = 1, end; i <= count && shown <= RANGES_SHOWN; i = end + 1) {
        for (end = i; end < count && set[i] && set[end + 1]; end++) {
        }
        if (set[i] && shown++ == RANGES_SHOWN) {
            lod_format(text + at, RANGES_TEXT - at, ", ..");
        } else if (set[i]) {
            at += lod_format(text + at, RANGES_TEXT - at, "%s%" PRIu32, at ? ", " : "", i);
            at += end == i ? 0 : lod_format(text + at, RANGES_TEXT - at, "-%" PRIu32, end);
        }
    }
}

/* Names the parts of missing records, or, if N is not known, the records. */
static int name_missing(struct lod_pack_run *p, const struct lod_write *write, uint32_t missing)
{
    const uint32_t records = (uint32_t)p->order.records_count, parts = lod_part_noted(&p->target);
    const uint32_t most = parts ? parts : records;
    uint32_t *numbers = calloc((size_t)records + 1, sizeof(numbers[0]));
    bool *set = calloc((size_t)most + 1, sizeof(set[0]));
    char ranges[RANGES_TEXT];

    if (!numbers || !set) {
        free(numbers);
        free(set);
        return -ENOMEM;
    }
    if (parts) {
        lod_part_numbers(&p->order, parts, numbers);
    }
    for (uint32_t r = 0; r < records; r++) {
        set[parts ? numbers[r] : r + 1] |= write->written[r + 1].missing;
    }
    print_ranges(set, most, ranges);
    free(numbers);
    free(set);
    return parts ? lod_first_error_set(p->first_error, 0, -ENODATA,
                                       "'%pE' lacks %" PRIu32 " of %" PRIu32
                                       " records: run --part=K/%" PRIu32
                                       " for K = %s, then this command again",
                                       p->options->store, missing, records, parts, ranges)
                 : lod_first_error_set(p->first_error, 0, -ENODATA,
                                       "'%pE' lacks %" PRIu32 " of %" PRIu32
                                       " records (%s): run each part, --part=K/N, then this "
                                       "command again",
                                       p->options->store, missing, records, ranges);
}

int lod_pack_refuse_missing(struct lod_pack_run *p, const struct lod_write *write)
{
    uint32_t missing = 0;

    for (size_t r = 1; r <= p->order.records_count; r++) {
        missing += write->written[r].missing;
    }
    if (missing) {
        return name_missing(p, write, missing);
    }
    if (p->planned) { /* the remains of parts and commits that were killed */
        lod_stale_files_prune(p->target.fd, p->target.records_fd, &p->order);
    }
    return 0;
}
