/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches one case at a time. A crash, a hang or a report of a sanitizer is printed with the text
 * of the case. The memory that the program's own code allocates is counted, as the linker wraps
 * malloc (see meson.build).
 */
#ifndef LOD_WATCH_H
#define LOD_WATCH_H

#include <stddef.h>

#include "compiler.h"

/* Limits of a case: CPU time and elapsed time. */
#define WATCH_CPU_S  5
#define WATCH_WALL_S 60

void watch_setup(void);
/* Discards log lines on stderr; messages of the watch are still printed. */
void watch_hide_stderr(void);
/* Begins a case: clears the text, and starts to count memory and time. */
void watch_begin(void);
void watch_say(const char *format, ...) LOD_PRINTF(1, 2); /* adds to the text */
const char *watch_text(void);
/* Returns the peak of memory since watch_begin, minus the memory held then. */
size_t watch_peak_bytes(void);
/* Starts a new peak from the memory held now. */
void watch_peak_reset(void);

#endif
