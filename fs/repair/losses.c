/* SPDX-License-Identifier: Apache-2.0 */
/* See losses.h. */
#include "repair/losses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lod_repair_lose(struct lod_repair_report *report, const char *name, const char *what,
                    uint64_t items)
{
    report->losses_count++;
    if (report->losses_kept == LOD_LOSSES_MAX) {
        return 0;
    }
    if (report->losses_kept == report->losses_room) {
        size_t room = report->losses_room ? report->losses_room * 2 : 16;
        struct lod_loss *losses = reallocarray(report->losses, room, sizeof(*losses));
        if (!losses) {
            return -ENOMEM;
        }
        report->losses = losses;
        report->losses_room = room;
    }
    struct lod_loss loss = {.name = name ? strdup(name) : NULL, .what = what, .items = items};
    if (name && !loss.name) {
        return -ENOMEM;
    }
    report->losses[report->losses_kept++] = loss;
    return 0;
}

void lod_repair_report_finish(struct lod_repair_report *report)
{
    for (size_t i = 0; i < report->losses_kept; i++) {
        free(report->losses[i].name);
    }
    free(report->losses);
    *report = (struct lod_repair_report){0};
}
