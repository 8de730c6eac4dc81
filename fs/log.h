/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines of the program and the mount. They have levels, and go to stderr in the foreground and
 * to syslog or a file in the background. Control characters are escaped. Thread-safe. Codecs and
 * the thread pool never log.
 */
#ifndef LOD_LOG_H
#define LOD_LOG_H

#include "compiler.h"
#include "text.h"

/* NONE is for libraries: it drops every line. */
enum lod_log_level { LOD_LOG_NONE, LOD_LOG_ERROR, LOD_LOG_WARNING, LOD_LOG_INFO, LOD_LOG_DEBUG };

/* Sets the level; lines above it are dropped. Lines go to stderr. Default: WARNING. This and the
 * next two functions are for the time before threads start. */
void lod_log_setup(enum lod_log_level level);

/* Appends each line to a file as well, with its time in UTC. The file is created with mode 0600.
 * Returns a negative errno if it cannot be opened. */
LOD_MUST_CHECK int lod_log_to_file(const char *path);

/* From now on nothing goes to stderr: lines go to the file, or to syslog if there is none. */
void lod_log_leave_stderr(void);

/*
 * Logs one line that begins with "lodfs: ". Formats are those of text.h, so names are %pE. The
 * whole line is escaped again, except for backslashes, so that nothing can break a line.
 */
void lod_log(enum lod_log_level level, const char *format, ...) LOD_PRINTF(2, 3);

/* Logs a sentence at level WARNING. A library that does not log calls it through a pointer. */
void lod_log_warning(const char *sentence);

#endif
