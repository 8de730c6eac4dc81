/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines of the program and the mount. They have levels, and go to stderr in the foreground and
 * to syslog in the background. Control characters are escaped. Thread-safe. Codecs and the thread
 * pool never log.
 */
#ifndef LOD_LOG_H
#define LOD_LOG_H

#include <stdbool.h>

#include "compiler.h"
#include "text.h"

/* NONE is for libraries: it drops every line. */
enum lod_log_level { LOD_LOG_NONE, LOD_LOG_ERROR, LOD_LOG_WARNING, LOD_LOG_INFO, LOD_LOG_DEBUG };

/* Sets the level; lines above it are dropped. Call it before threads start. Default: WARNING,
 * stderr. */
void lod_log_setup(enum lod_log_level level, bool to_syslog);

/*
 * Logs one line that begins with "lodfs: ". Formats are those of text.h, so names are %pE. The
 * whole line is escaped again, except for backslashes, so that nothing can break a line.
 */
void lod_log(enum lod_log_level level, const char *format, ...) LOD_PRINTF(2, 3);

#endif
