/* SPDX-License-Identifier: Apache-2.0 */
/* Each call writes one line with one write(2), so that lines of several threads do not mix. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

/* A path of 4,095 bytes fits, and its escaped form unless most of it is unprintable. */
#define LINE_BYTES 8192

static struct {
    enum lod_log_level level;
    bool to_syslog;
} sink = {.level = LOD_LOG_WARNING}; /* set before threads start, then only read */

static const struct {
    const char *word;
    int priority;
} levels[] = {
    [LOD_LOG_ERROR] = {"error: ", LOG_ERR},
    [LOD_LOG_WARNING] = {"warning: ", LOG_WARNING},
    [LOD_LOG_INFO] = {"", LOG_INFO},
    [LOD_LOG_DEBUG] = {"debug: ", LOG_DEBUG},
};

void lod_log_setup(enum lod_log_level level, bool to_syslog)
{
    if (to_syslog && !sink.to_syslog) {
        openlog("lodfs", LOG_PID, LOG_DAEMON);
    }
    sink.level = level;
    sink.to_syslog = to_syslog;
}

static void write_line(enum lod_log_level level, const char *text)
{
    char line[LINE_BYTES + 32];
    int bytes = snprintf(line, sizeof(line), "lodfs: %s%s\n", levels[level].word, text);

    for (int done = 0; done < bytes;) {
        ssize_t wrote = write(STDERR_FILENO, line + done, (size_t)(bytes - done));
        if (wrote <= 0) {
            return; /* stderr fails: nothing more can be done */
        }
        done += (int)wrote;
    }
}

void lod_log(enum lod_log_level level, const char *format, ...)
{
    char raw[LINE_BYTES], text[LINE_BYTES];
    va_list args;

    if (level > sink.level) {
        return;
    }
    va_start(args, format);
    lod_vformat(raw, sizeof(raw), format, args);
    va_end(args);
    lod_escape_line(raw, text, sizeof(text));
    if (sink.to_syslog) {
        syslog(levels[level].priority, "%s", text);
    } else {
        write_line(level, text);
    }
}
