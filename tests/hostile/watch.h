/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case at a time under watch: a crash, a hang or a sanitizer's report is told with the text of
 * the case, and the memory that the program's own code takes is counted (the linker wraps malloc,
 * see meson.build).
 */
#ifndef LOD_WATCH_H
#define LOD_WATCH_H

#include <stddef.h>

#include "compiler.h"

/* A case may take so long on the processor, and so long by the clock. */
#define WATCH_CPU_S  5
#define WATCH_WALL_S 60

void watch_setup(void);
/* Log lines go nowhere; what the watch says still comes out. */
void watch_hide_stderr(void);
/* Begins a case: its text so far is forgotten, memory is counted from here, time runs. */
void watch_begin(void);
void watch_say(const char *format, ...) LOD_PRINTF(1, 2); /* adds to the text */
const char *watch_text(void);
/* The most memory held at one time since watch_begin, less what was held then. */
size_t watch_peak_bytes(void);
/* Counts the peak from what is held now. */
void watch_peak_reset(void);

#endif
