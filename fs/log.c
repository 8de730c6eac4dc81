/* SPDX-License-Identifier: Apache-2.0 */
/* Each call writes one line with one write(2), so that lines of several threads do not mix. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "backend/file_io.h"

/* A path of 4,095 bytes fits, and its escaped form unless most of it is unprintable. */
#define LINE_BYTES 8192

static struct {
    enum lod_log_level level;
    bool in_background;                          /* nothing goes to stderr */
    int file;                                    /* -1: none */
} sink = {.level = LOD_LOG_WARNING, .file = -1}; /* set before threads start, then only read */

static const struct {
    const char *word;
    int priority;
} levels[] = {
    [LOD_LOG_ERROR] = {"error: ", LOG_ERR},
    [LOD_LOG_WARNING] = {"warning: ", LOG_WARNING},
    [LOD_LOG_INFO] = {"", LOG_INFO},
    [LOD_LOG_DEBUG] = {"debug: ", LOG_DEBUG},
};

void lod_log_setup(enum lod_log_level level)
{
    sink.level = level;
    sink.in_background = false;
}

int lod_log_to_file(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);

    if (file < 0) {
        return -errno;
    }
    lod_file_close(sink.file);
    sink.file = file;
    return 0;
}

void lod_log_leave_stderr(void)
{
    if (sink.file < 0) {
        openlog("lodfs", LOG_PID, LOG_DAEMON);
    }
    sink.in_background = true;
}

/* Writes "2026-11-22T23:59:58Z ", or nothing if the clock's year has no such form. */
static void write_time(char text[32])
{
    const time_t now = time(NULL);
    struct tm parts;

    text[0] = '\0';
    if (gmtime_r(&now, &parts)) {
        text[strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ ", &parts)] = '\0';
    }
}

static void write_line(int to, const char *time, enum lod_log_level level, const char *text)
{
    char line[LINE_BYTES + 64];
    int bytes = snprintf(line, sizeof(line), "%slodfs: %s%s\n", time, levels[level].word, text);

    for (int done = 0; done < bytes;) {
        ssize_t wrote = write(to, line + done, (size_t)(bytes - done));
        if (wrote <= 0) {
            return; /* nothing more can be done */
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
    if (sink.file >= 0) {
        char time[32];
        write_time(time);
        write_line(sink.file, time, level, text);
    } else if (sink.in_background) {
        syslog(levels[level].priority, "%s", text);
    }
    if (!sink.in_background) {
        write_line(STDERR_FILENO, "", level, text);
    }
}

void lod_log_warning(const char *sentence)
{
    lod_log(LOD_LOG_WARNING, "%s", sentence);
}
