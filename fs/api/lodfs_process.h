/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies this process by counting forks. Handles remember the generation that opened them, so
 * they detect that they are in a forked child. It takes no lock.
 */
#ifndef LOD_LODFS_PROCESS_H
#define LOD_LODFS_PROCESS_H

#include "compiler.h"

/*
 * Returns the number of forks between the process that loaded the library and this one. It differs
 * from that of every process whose memory this one inherited. Any thread.
 */
unsigned lod_process_generation(void);

/* Returns 0, or -ENOMEM if forks cannot be counted; then no handle may be opened. */
LOD_MUST_CHECK int lod_process_check(void);

#endif
