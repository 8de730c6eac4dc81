/* SPDX-License-Identifier: Apache-2.0 */
/* See losses.h. */
#include "repair/losses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lod_repair_add_loss(struct lod_repair_report *report, const char *name, const char *what,
                        uint64_t items)
{
    report->losses_count++;
    if (report->losses.count == LOD_LOSSES_MAX) {
        return 0;
    }
    if (LOD_LIST_RESERVE(&report->losses)) {
        return -ENOMEM;
    }
    struct lod_loss loss = {.name = name ? strdup(name) : NULL, .what = what, .items = items};
    if (name && !loss.name) {
        return -ENOMEM;
    }
    report->losses.at[report->losses.count++] = loss;
    return 0;
}

void lod_repair_report_finish(struct lod_repair_report *report)
{
    for (size_t i = 0; i < report->losses.count; i++) {
        free(report->losses.at[i].name);
    }
    free(report->losses.at);
    *report = (struct lod_repair_report){0};
}
