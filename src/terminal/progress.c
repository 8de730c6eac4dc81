/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line; see progress.h. */
#include "terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

#define COLUMNS_DEFAULT 80u
#define LINE_NS         (30ull * 1000 * 1000 * 1000)
#define SETTLE_SECONDS  1.0 /* before this the rate is too uncertain to estimate the time left */

static unsigned columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
                                                                       : COLUMNS_DEFAULT;
}

/* A line is redrawn by control codes, which a terminal of type "dumb" or of no type lacks. */
static bool can_draw(void)
{
    const char *type = getenv("TERM");

    return isatty(STDERR_FILENO) && type && strcmp(type, "dumb") != 0;
}

enum lod_progress_mode lod_progress_wanted(int option, bool quiet)
{
    return option == 0  ? LOD_PROGRESS_OFF
           : option > 0 ? LOD_PROGRESS_DRAWN
           : quiet      ? LOD_PROGRESS_OFF
           : can_draw() ? LOD_PROGRESS_DRAWN
                        : LOD_PROGRESS_LINES;
}

void lod_progress_init(struct lod_progress *progress, enum lod_progress_mode mode)
{
    *progress = (struct lod_progress){.mode = mode, .stage = ""};
    pthread_mutex_init(&progress->lock, NULL);
    progress->began_ns = progress->printed_ns = lod_clock_ns();
}

void lod_progress_stage(struct lod_progress *progress, const char *stage, uint64_t files_total,
                        uint64_t bytes_total)
{
    pthread_mutex_lock(&progress->lock);
    progress->stage = stage;
    progress->files = progress->bytes_in = progress->bytes_out = 0;
    progress->files_total = files_total;
    progress->bytes_total = bytes_total;
    progress->began_ns = lod_clock_ns();
    pthread_mutex_unlock(&progress->lock);
}

static void format_eta(double seconds, char text[32])
{
    unsigned left = seconds < 359999 ? (unsigned)(seconds + 0.5) : 359999;

    if (left >= 3600) {
        snprintf(text, 32, "%uh%02um", left / 3600, left / 60 % 60);
    } else if (left >= 60) {
        snprintf(text, 32, "%um%02us", left / 60, left % 60);
    } else {
        snprintf(text, 32, "%us", left);
    }
}

void lod_progress_text(const struct lod_progress *p, double seconds, unsigned width,
                       char text[LOD_PROGRESS_TEXT])
{
    double in = (double)p->bytes_in, rate = seconds > 0 ? in / seconds : 0;
    size_t room = width < LOD_PROGRESS_TEXT ? width + 1 : LOD_PROGRESS_TEXT;
    char eta[32] = "", ratio[32] = "", of[32] = "";

    if (p->files_total) {
        snprintf(of, sizeof(of), "/%llu", (unsigned long long)p->files_total);
    }
    if (!p->bytes_total && !p->files && !p->files_total) {
        snprintf(text, room, "%s", *p->stage ? p->stage : "beginning");
        return;
    }
    if (!p->bytes_total) {
        snprintf(text, room, "%s: %llu%s files", p->stage, (unsigned long long)p->files, of);
        return;
    }
    if (p->bytes_out && p->bytes_in) {
        snprintf(ratio, sizeof(ratio), ", ratio %.3f", (double)p->bytes_out / in);
    }
    if (seconds >= SETTLE_SECONDS && rate > 0) {
        double left = (double)p->bytes_total - in;
        format_eta(left > 0 ? left / rate : 0, eta);
    }
    snprintf(text, room, "%s: %3.0f%%  %llu%s files, %.1f MB/s%s%s%s", p->stage,
             in < (double)p->bytes_total ? 100 * in / (double)p->bytes_total : 100,
             (unsigned long long)p->files, of, rate / 1e6, ratio, eta[0] ? ", ETA " : "", eta);
}

/* The caller holds the lock. */
static void draw(struct lod_progress *progress, uint64_t now_ns)
{
    char text[LOD_PROGRESS_TEXT];

    lod_progress_text(progress, (double)(now_ns - progress->began_ns) / 1e9, columns() - 1, text);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    progress->drawn = true;
}

/* The caller holds the lock. */
static void print(struct lod_progress *progress, uint64_t now_ns)
{
    char text[LOD_PROGRESS_TEXT];

    lod_progress_text(progress, (double)(now_ns - progress->began_ns) / 1e9, LOD_PROGRESS_TEXT,
                      text);
    fprintf(stderr, "%slodfs: %s\n", progress->drawn ? "\r\033[K" : "", text);
    fflush(stderr);
    progress->printed_ns = now_ns;
    progress->drawn = false;
}

void lod_progress_tick(struct lod_progress *progress, uint64_t now_ns)
{
    pthread_mutex_lock(&progress->lock);
    if (progress->mode == LOD_PROGRESS_DRAWN && *progress->stage) {
        draw(progress, now_ns);
    } else if (progress->mode == LOD_PROGRESS_LINES && now_ns - progress->printed_ns >= LINE_NS) {
        print(progress, now_ns);
    }
    pthread_mutex_unlock(&progress->lock);
}

void lod_progress_print(struct lod_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    print(progress, lod_clock_ns());
    pthread_mutex_unlock(&progress->lock);
}

void lod_progress_add(struct lod_progress *progress, uint64_t files, uint64_t bytes_in,
                      uint64_t bytes_out)
{
    pthread_mutex_lock(&progress->lock);
    progress->files += files;
    progress->bytes_in += bytes_in;
    progress->bytes_out += bytes_out;
    pthread_mutex_unlock(&progress->lock);
}

void lod_progress_clear(struct lod_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = false;
    }
    pthread_mutex_unlock(&progress->lock);
}

void lod_progress_finish(struct lod_progress *progress)
{
    lod_progress_clear(progress);
    pthread_mutex_destroy(&progress->lock);
}
