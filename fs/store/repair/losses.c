/* SPDX-License-Identifier: Apache-2.0 */
/* See losses.h. */
#include "repair/losses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add(struct lod_repair_report *report, const char *name, const char *of, const char *what,
               uint64_t items)
{
    report->losses_count++;
    if (report->losses.count == LOD_LOSSES_MAX) {
        return 0;
    }
    if (LOD_LIST_RESERVE(&report->losses)) {
        return -ENOMEM;
    }
    struct lod_loss loss = {.name = name ? strdup(name) : NULL,
                            .of = of ? strdup(of) : NULL,
                            .what = what,
                            .items = items};
    report->losses.at[report->losses.count++] = loss;
    return (name && !loss.name) || (of && !loss.of) ? -ENOMEM : 0;
}

int lod_repair_add_loss(struct lod_repair_report *report, const char *name, const char *what,
                        uint64_t items)
{
    return add(report, name, NULL, what, items);
}

int lod_repair_add_lost_name(struct lod_repair_report *report, const char *name, const char *of)
{
    return add(report, name, of, "another name of a lost file", 0);
}

void lod_repair_report_finish(struct lod_repair_report *report)
{
    for (size_t i = 0; i < report->losses.count; i++) {
        free(report->losses.at[i].name);
        free(report->losses.at[i].of);
    }
    free(report->losses.at);
    *report = (struct lod_repair_report){0};
}
