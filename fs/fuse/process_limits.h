/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a server's process: its open files, and its heap. */
#ifndef LOD_PROCESS_LIMITS_H
#define LOD_PROCESS_LIMITS_H

#include <stdint.h>

/* `available`: bytes of memory that the process may use. Call it before any thread starts. */
void lod_process_limits_set(uint64_t available);

#endif
