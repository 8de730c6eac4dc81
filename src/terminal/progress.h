/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of long work on stderr: percent, files, rate, ratio, time left. On a terminal one line
 * is redrawn ten times a second and cleared at the end. Otherwise, and where TERM is dumb or not
 * set, a line is printed every 30 seconds. Worker threads only count; the thread of cancel.h draws.
 */
#ifndef LOD_PROGRESS_H
#define LOD_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum lod_progress_mode { LOD_PROGRESS_OFF, LOD_PROGRESS_DRAWN, LOD_PROGRESS_LINES };

struct lod_progress {
    enum lod_progress_mode mode;
    pthread_mutex_t lock; /* guards all below */
    const char *stage;
    uint64_t files, files_total, bytes_in, bytes_total, bytes_out;
    uint64_t began_ns;   /* start of the stage */
    uint64_t printed_ns; /* time of the last line, or of the start */
    bool drawn;
};

/* Returns the mode for --progress (1) and --no-progress (0). With -1 it depends on the terminal and
 * on `quiet`. */
enum lod_progress_mode lod_progress_wanted(int option, bool quiet);

void lod_progress_init(struct lod_progress *progress, enum lod_progress_mode mode);

/* Begins a stage and resets the counts. Totals of 0 mean unknown. `stage` is a static text. */
void lod_progress_stage(struct lod_progress *progress, const char *stage, uint64_t files_total,
                        uint64_t bytes_total);

/* Adds to the counts. May be called from any thread. */
void lod_progress_add(struct lod_progress *progress, uint64_t files, uint64_t bytes_in,
                      uint64_t bytes_out);

/* Draws or prints if a line is due at `now_ns`, a time of clock.h. */
void lod_progress_tick(struct lod_progress *progress, uint64_t now_ns);

/* Prints a line, in any mode. */
void lod_progress_print(struct lod_progress *progress);

/* Removes the drawn line, so that something else can be printed. */
void lod_progress_clear(struct lod_progress *progress);
void lod_progress_finish(struct lod_progress *progress);

/*
 * Writes the line after `seconds` of work into `text`, NUL-terminated and cut at `columns`. It
 * needs no clock and no terminal.
 */
#define LOD_PROGRESS_TEXT 256
void lod_progress_text(const struct lod_progress *progress, double seconds, unsigned columns,
                       char text[LOD_PROGRESS_TEXT]);

#endif
