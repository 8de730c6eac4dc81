/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress line on stderr: percent, files, rate, ratio, time left. One line, redrawn at most
 * ten times a second by whichever thread reports, cleared at the end.
 */
#ifndef LOD_PROGRESS_H
#define LOD_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct lod_progress {
    bool on;
    pthread_mutex_t lock; /* guards all below */
    const char *stage;
    uint64_t files, files_total, bytes_in, bytes_total, bytes_out;
    uint64_t began_ns, drawn_ns;
    bool drawn;
};

void lod_progress_init(struct lod_progress *progress, bool on);

/* Starts counting anew. Totals of 0: not known. `stage` is a static text. */
void lod_progress_stage(struct lod_progress *progress, const char *stage, uint64_t files_total,
                        uint64_t bytes_total);

/* More is done. Any thread. */
void lod_progress_add(struct lod_progress *progress, uint64_t files, uint64_t bytes_in,
                      uint64_t bytes_out);

/* Removes the line, so that something else can be printed. */
void lod_progress_clear(struct lod_progress *progress);
void lod_progress_finish(struct lod_progress *progress);

/*
 * The line after `seconds` of work, NUL-terminated in `text`; cut at `columns`. Apart so that it
 * can be tested without a clock or a terminal.
 */
#define LOD_PROGRESS_TEXT 256
void lod_progress_text(const struct lod_progress *progress, double seconds, unsigned columns,
                       char text[LOD_PROGRESS_TEXT]);

#endif
