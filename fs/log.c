/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line a call, written by one write(2) so that lines of several threads do not mix. What breaks
 * or recolours a line is escaped: C0 and C1 controls, DEL, bytes that are no UTF-8. lod_log leaves
 * backslashes alone, so that a name already made readable by lod_escape is not escaped twice;
 * lod_escape escapes them, so that its result can be read back without doubt.
 */
#include "log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

/* A path of 4,095 bytes fits, and its escaped form unless most of it is unprintable. */
#define LINE_BYTES   8192
#define ESCAPE_BYTES 4 /* \xNN */

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

static bool in(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Bytes of the UTF-8 sequence at `at` that may be shown as it is; 0: its first byte may not. */
static size_t printable(const uint8_t *at, size_t bytes)
{
    uint8_t c = at[0];

    if (c < 0x80) {
        return in(c, 0x20, 0x7e);
    }
    size_t wanted = in(c, 0xc2, 0xdf) ? 2 : in(c, 0xe0, 0xef) ? 3 : in(c, 0xf0, 0xf4) ? 4 : 0;
    if (wanted == 0 || wanted > bytes) {
        return 0;
    }
    /* The second byte's range leaves out overlong forms, surrogates, > U+10FFFF and C1 controls. */
    uint8_t low = c == 0xc2 || c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    uint8_t high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (!in(at[1], low, high)) {
        return 0;
    }
    for (size_t i = 2; i < wanted; i++) {
        if (!in(at[i], 0x80, 0xbf)) {
            return 0;
        }
    }
    return wanted;
}

/* Never cuts inside an escape or a UTF-8 sequence. Returns the bytes written, without the NUL. */
static size_t escape(const uint8_t *name, size_t bytes, bool backslash, char *text, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;

    for (size_t i = 0; i < bytes;) {
        size_t plain = backslash && name[i] == '\\' ? 0 : printable(name + i, bytes - i);
        if (used + (plain ? plain : ESCAPE_BYTES) >= room) {
            break;
        }
        if (plain) {
            memcpy(text + used, name + i, plain);
        } else {
            char escaped[ESCAPE_BYTES] = {'\\', 'x', digits[name[i] >> 4], digits[name[i] & 15]};
            memcpy(text + used, escaped, ESCAPE_BYTES);
        }
        used += plain ? plain : ESCAPE_BYTES;
        i += plain ? plain : 1;
    }
    if (room > 0) {
        text[used] = '\0';
    }
    return used;
}

char *lod_escape(const void *name, size_t bytes, char *text, size_t room)
{
    escape(name, bytes, true, text, room);
    return text;
}

static void write_line(enum lod_log_level level, const char *text)
{
    char line[LINE_BYTES + 32];
    int bytes = snprintf(line, sizeof(line), "lodfs: %s%s\n", levels[level].word, text);

    for (int done = 0; done < bytes;) {
        ssize_t wrote = write(STDERR_FILENO, line + done, (size_t)(bytes - done));
        if (wrote <= 0) {
            return; /* nowhere left to complain */
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
    int bytes = vsnprintf(raw, sizeof(raw), format, args);
    va_end(args);
    if (bytes < 0) {
        return;
    }
    escape((const uint8_t *)raw, strlen(raw), false, text, sizeof(text));
    if (sink.to_syslog) {
        syslog(levels[level].priority, "%s", text);
    } else {
        write_line(level, text);
    }
}
