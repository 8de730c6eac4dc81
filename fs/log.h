/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines of the program and the mount: levels, one sink (stderr in the foreground, syslog in the
 * background), control characters escaped. Thread-safe. Codecs and the pool never log.
 */
#ifndef LOD_LOG_H
#define LOD_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

/* NONE is a level to set up, for a library: nothing is of it. */
enum lod_log_level { LOD_LOG_NONE, LOD_LOG_ERROR, LOD_LOG_WARNING, LOD_LOG_INFO, LOD_LOG_DEBUG };

/* Lines above `level` are dropped. To be called before threads start; default WARNING, stderr. */
void lod_log_setup(enum lod_log_level level, bool to_syslog);

/* One line, "lodfs: " before it; the text is escaped as a whole, so a name cannot break a line. */
void lod_log(enum lod_log_level level, const char *format, ...) LOD_PRINTF(2, 3);

/*
 * Copies `bytes` bytes of a name into `text` for a human: control characters, backslash, DEL and
 * bytes that are no UTF-8 become \xNN. NUL-terminated, cut at `room`. Returns `text`.
 */
char *lod_escape(const void *name, size_t bytes, char *text, size_t room);

#endif
